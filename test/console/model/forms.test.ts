import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../../src/client/control.js';
import {
  toAppChoices,
  createAppFields,
  toFormFailure,
  getFaultPage,
} from '../../../src/console/model/forms.js';
import { listPaymentActions, type PaymentMove } from '../../../src/console/model/actions.js';
import { createFailureForm, createPaymentForm, createTriggerForm } from '../../../src/console/model/forms.js';
import { CALL_ROUTES } from '../../../src/contract/fault-kinds.js';
import { readBodyOrRefuse } from '../../../src/core/input/bodies.js';
import { FAULT } from '../../../src/core/webhooks/faults.js';

const FIELDS = [{ name: 'code' }, { name: 'count' }];

function refusal(details: { field: string; message: string }[], hint?: string): SandboxError {
  const body = { code: 'INVALID_REQUEST', message: 'Not valid.', request_id: '', details, hint };
  return new SandboxError(400, body, 'POST /_sandbox/trigger');
}

describe('issues reported by the sandbox', () => {
  test('issues are shown next to the fields that they name, including those of a nested object', () => {
    const error = refusal([
      { field: 'with.code', message: 'Must be printable.' },
      { field: 'count', message: 'Must be 1.' },
    ]);
    expect(toFormFailure(error, FIELDS)).toEqual({
      byField: { code: 'Must be printable.', count: 'Must be 1.' },
      rest: '',
    });
  });

  test('issues reported by the sandbox are shown below the fields without a named field, with their hint', () => {
    const error = refusal([{ field: 'charge', message: 'Is gone.' }], 'Make one.');
    expect(toFormFailure(error, FIELDS)).toEqual({
      byField: {},
      rest: 'Not valid. charge: Is gone. Make one.',
    });
  });
});

describe('invalid lines', () => {
  test.for([
    ['override', 'data.object.amount', 'expects path=value or path:=json; got data.object.amount.'],
    ['override', 'data.object.amount:=abc', 'data.object.amount:= expects JSON; got abc.'],
    ['metadata', 'a=b\nc', 'expects key=value; got c.'],
  ] as const)('invalid lines are named in %s without sending anything: %j', ([name, lines, problem]) => {
    const { problems } = createTriggerForm().prepare({ type: 'pix.settled', [name]: lines });
    expect(problems?.[name]).toContain(problem);
  });
});

describe('the application of a payment', () => {
  const apps = toAppChoices([
    { id: 'id-1', name: 'default' },
    { id: 'id-2', name: 'shop' },
    { id: 'id-3', name: 'shop' },
  ]);
  const choices = (isNew: boolean) => createAppFields(apps, isNew).map((field) => field.choices);

  test('the application of a payment defaults to the default one, and is named by its id if ambiguous', () => {
    expect(choices(true)).toEqual([
      [
        ['', 'default'],
        ['id-2', 'shop'],
        ['id-3', 'shop'],
      ],
    ]);
  });

  test('the application of an existing payment may be any application', () => {
    expect(choices(false)).toEqual([[['', 'any'], ...apps]]);
  });

  test('the application of a payment is not requested if there is only one', () => {
    expect(createAppFields([], true)).toEqual([]);
  });
});

test('a new payment requires an amount, because its command would prompt for one', () => {
  const { prepare } = createPaymentForm('charge');
  expect(Object.keys(prepare({ amount: ' ' }).problems ?? {})).toEqual(['amount']);
  expect(prepare({ amount: '1.00' }).problems).toEqual({});
});

const CALL_APIS = Object.entries(CALL_ROUTES).flatMap(([api, routes]) =>
  routes.map((route) => [api, ...route.split(' ')] as [api: string, method: string, path: string]),
);

test.for(CALL_APIS)('links a request to %s %s %s to a fault that matches it', ([api, method, route]) => {
  const path = `${route.replaceAll(/:\w+/g, 'a1-b2')}?limit=1`;
  const page = getFaultPage({ api, method, path });
  const fields = Object.fromEntries(new URLSearchParams(page?.replace('/faults?', '')));
  expect(fields).toEqual({ api, method, path: route.replaceAll(/:\w+/g, '*') });
  expect(readBodyOrRefuse(FAULT, { ...fields, action: 'empty' }).match).toMatchObject({
    on: 'call',
    ...fields,
  });
});

test.for([
  ['hosted', 'GET', '/start'],
  ['api', 'GET', '/api/public/v1/nothing'],
  ['api', 'DELETE', '/api/public/v1/pix'],
  ['identity', 'POST', '/api/public/v1/pix'],
])(
  'links a request to %s %s %s to no fault, because none matches it',
  ([api = '', method = '', path = '']) => {
    expect(getFaultPage({ api, method, path })).toBeUndefined();
  },
);

test('the form that returns a withdrawal offers the SPI return codes first; a failure offers none of them', () => {
  const codesFor = (status: string, name: string) => {
    const move = listPaymentActions('withdrawal', { id: 'w', status }).find((one) => one.name === name);
    const [field] = createFailureForm(move as PaymentMove, 'none').fields({});
    return Array.from(field?.choices ?? [], ([code]) => code);
  };
  expect(codesFor('SETTLED', 'return').slice(0, 5)).toEqual(['', 'BE08', 'FR01', 'MD06', 'SL02']);
  expect(codesFor('PENDING', 'fail')).not.toContain('MD06');
});
