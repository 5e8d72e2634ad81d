import { expect, test } from 'vitest';
import * as bodies from '../../../src/core/input/bodies.js';
import * as kinds from '../../../src/core/input/kinds.js';
import * as texts from '../../../src/core/input/text-kinds.js';
import { PAGE_QUERY } from '../../../src/core/page.js';
import * as faults from '../../../src/core/webhooks/fault-input.js';
import { schemasText } from '../../helpers/core/schema-text.js';

const MADE = {
  CHARGE_FIELDS: bodies.chargeFields(),
  WITHDRAWAL_FIELDS: bodies.withdrawalFields(),
  NAMED_FIELDS: bodies.chargeFields('a charge'),
  NESTED: bodies.nested(bodies.chargeFields('a charge')),
  SOME: kinds.choices(['a', 'b']),
  ANY: kinds.choices(['a', 'b'], 0),
  WHOLE: kinds.wholeNumber(1, 2),
  ABOVE: kinds.numberAbove(0, 1),
  BY_NAME: kinds.valuesByName({ a: 1 }),
  TEXT: texts.text(7),
  DURATION: texts.duration({ example: '3s' }),
  LIMITED_DURATION: texts.duration({ leastMs: 1, mostMs: 60_000, example: '3s' }),
  PAGE_QUERY,
};

test.each([
  ['bodies', bodies],
  ['kinds', kinds],
  ['texts', texts],
  ['faults', faults],
  ['made', MADE],
])('the %s of requests are described to clients as before', async (name, module) => {
  await expect(schemasText(module)).toMatchFileSnapshot(`schemas/${name}.txt`);
});
