import { expect, test } from 'vitest';
import { readAt, row } from '../../../src/core/state/read.js';
import type { TableName } from '../../../src/core/state/rows.js';
import { HEAD, ROWS } from '../../../src/core/state/rows.js';
import type { Schema } from '../../../src/schema/schema.js';
import { fieldForms } from '../../helpers/core/field-forms.js';
import { richState } from '../../helpers/core/rich-state.js';
import { ROW_FORMS } from './row-forms.js';

const { world } = richState();
const AIM = { code: 'a', resource: 1, nth: 1 };
const FIRED = {
  id: '00000000-0000-4000-8000-000000000001',
  action: 'duplicate',
  status: 500,
  delayMs: 1,
  copies: 1,
  parallel: true,
  when: 'answered',
};
const ATTEMPT = { number: 1, startedAt: 1, status: 200, error: 'TIMEOUT', faults: [FIRED] };
const OVERRIDE = { path: 'a', value: 1 };

/** What the first row of a table lacks of the fields that a row may have. */
const MORE: Partial<Record<TableName, object>> = {
  apps: { nonces: [['a', 1]] },
  charges: { settledEarly: true },
  events: { overrides: [OVERRIDE] },
  deliveries: { faults: [FIRED], log: [ATTEMPT] },
};

type Form = readonly [example: object, schema: Schema<unknown>];

function rowOf(name: string): Form {
  const table = name as TableName;
  const [first] = world[table];
  if (first === undefined) throw new Error(`Expected a row in ${name}.`);
  return [{ ...first, ...MORE[table] }, ROWS[table]];
}

function faultOn(on: 'call' | 'delivery', match: object): Form {
  const fault = world.faults.find((one) => one.match.on === on);
  const whole = { ...fault, parallel: true, when: 'answered', match: { ...fault?.match, ...match, ...AIM } };
  return [whole, ROWS.faults];
}

function headForm(): Form {
  const head = Object.fromEntries(Object.keys(HEAD).map((name) => [name, world[name as keyof typeof HEAD]]));
  const kycAuto = { status: 'approved', delayMs: 1 };
  return [{ ...head, kycAuto, deliveriesPaused: true }, row(HEAD as never)];
}

const SPECIAL: Readonly<Record<string, () => Form>> = {
  'a state': headForm,
  'a fault on calls': () => faultOn('call', {}),
  'a fault on deliveries': () => faultOn('delivery', { endpointUrl: 'a' }),
};

function formOf(name: string): Form {
  return SPECIAL[name]?.() ?? rowOf(name);
}

function names(): string[] {
  return [...Object.keys(ROWS).filter((table) => table !== 'faults'), ...Object.keys(SPECIAL)];
}

function formsOf(name: string): string[] {
  const [example, schema] = formOf(name);
  return fieldForms(example, (value) => readAt(schema, value, ''));
}

test.each(names())('%s: the fields are in the form that states keep', (name) => {
  const [example, schema] = formOf(name);
  expect(readAt(schema, example, '')).toEqual(example);
  expect(formsOf(name)).toEqual(ROW_FORMS[name]);
});
