import { describe, expect, expectTypeOf, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete.js';
import { paymentMoves } from '../../src/console/model/actions.js';
import { decisionForm, type FormSpec, triggerForm } from '../../src/console/model/forms.js';
import { EVENT_TYPES, type EventType } from '../../src/contract/enums.js';
import * as tables from '../../src/contract/transitions.js';
import type { SessionView } from '../../src/http/control/schema.js';
import { createSandbox } from '../../src/index.js';
import { scenarioSchema } from '../../src/scenario/parse.js';
import type * as published from '../../src/shapes.js';
import { COMMANDS } from '../helpers/cli/commands.js';
import { readDocuments } from '../helpers/openapi/openapi-documents.js';

// Walks each table and shows that its entries are on every surface where they belong.
const { control, service } = await readDocuments();
const scenario = JSON.stringify(scenarioSchema());
const choicesOf = (form?: FormSpec) => form?.fields({})[0]?.choices?.map(([value]) => value);

async function completionsOf(line: string): Promise<readonly string[]> {
  const { candidates } = await complete(line.split(' '), { env: { XDG_STATE_HOME: '/none' }, cwd: '/none' });
  return candidates.map(({ value }) => value);
}

type Verbs = { [Kind in tables.PaymentKind as `${Kind}s`]: Record<tables.MoveOf<Kind>, unknown> };

describe.each(['charge', 'withdrawal'] as const)('a move of a %s', (kind) => {
  test.each(tables.moveNames(kind))(
    '%s is a route, command, completion, verb, step and button',
    async (name) => {
      expect(control.paths).toHaveProperty([`/_sandbox/${kind}s/{id}/${name}`, 'post']);
      expect(COMMANDS.map((command) => command.name)).toContain(`${kind}s ${name}`);
      expect(await completionsOf(`${kind}s `)).toContain(name);
      await using library: Verbs & AsyncDisposable = await createSandbox();
      expect(library[`${kind}s`]).toHaveProperty(name, expect.any(Function));
      expect(scenario).toContain(`"${name}":{`);
      const { from, button } = tables.moveOf(kind, name);
      expect(button).toMatch(/^\S.* \| .*\S$/);
      expect(paymentMoves(kind, { id: '', status: from[0] ?? '' })).toContainEqual(
        expect.objectContaining({ name, button }),
      );
    },
  );
});

test.each([
  ['charges list', tables.CHARGE_STATUSES],
  ['withdrawals list', tables.WITHDRAWAL_STATUSES],
  ['deliveries list', tables.DELIVERY_STATUSES],
  ['kyc list', tables.SESSION_STATUSES],
] as const)('the statuses of %s are completed and described', async (command, statuses) => {
  expect(await completionsOf(`${command} --status `)).toEqual(statuses);
  expect(JSON.stringify(control.components.schemas)).toContain(JSON.stringify(statuses));
});

test('each decision is in the library, scenarios, completion and the form of the console', async () => {
  expectTypeOf<published.SessionDecision>().toEqualTypeOf<tables.SessionDecision>();
  expect(scenario).toContain(JSON.stringify(tables.SESSION_DECISIONS));
  expect(await completionsOf('kyc decide kyc_1 ')).toEqual(tables.SESSION_DECISIONS);
  const offered = choicesOf(decisionForm({ id: '', status: 'CREATED' } as SessionView));
  expect(offered).toEqual(expect.arrayContaining([...tables.SESSION_DECISIONS]));
});

test('each event is in the document, library, scenarios, completion and the form of the console', async () => {
  expect(Object.keys(service.webhooks ?? {})).toEqual(EVENT_TYPES);
  expectTypeOf<published.EventType>().toEqualTypeOf<EventType>();
  expect(scenario).toContain(JSON.stringify(EVENT_TYPES));
  for (const line of ['trigger ', 'events list --type '])
    expect(await completionsOf(line)).toEqual(EVENT_TYPES);
  expect(choicesOf(triggerForm())).toEqual(EVENT_TYPES);
});
