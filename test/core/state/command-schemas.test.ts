import { expect, test } from 'vitest';
import type { Command, CommandType } from '../../../src/core/commands.js';
import { readCommand } from '../../../src/core/state/command-schemas.js';
import { callFault, deliveryFault } from '../../helpers/core/faults.js';
import { fieldForms } from '../../helpers/core/field-forms.js';
import { COMMAND_FORMS } from './command-forms.js';
import { refusalTextOf } from '../../helpers/core/refusal-text.js';

const CHARGE = {
  code: 'a',
  accountId: 'a',
  amountCents: 1,
  payerName: 'a',
  payerDocument: 'a',
  metadata: { a: 'a' },
};
const WITHDRAWAL = {
  code: 'a',
  accountId: 'a',
  amountCents: 1,
  pixKey: 'a',
  pixKeyType: 'CPF',
  beneficiaryDocument: 'a',
  beneficiaryName: 'a',
  metadata: { a: 'a' },
} as const;
const RECEIVER = {
  description: 'a',
  events: ['pix.settled'],
  secret: 'a',
  schedule: 'real',
  timeoutMs: 1,
  concurrency: 1,
} as const;
const AIM = { code: 'a', resource: 1, nth: 1 };
const ALL_DETAILS = { count: 1, status: 500, delayMs: 1, copies: 1, parallel: true } as const;
const ON_CALL = { ...callFault('status', ALL_DETAILS), when: 'answered' } as const;
const ON_DELIVERY = { ...deliveryFault('duplicate', ALL_DETAILS), when: 'answered' } as const;
const CALL = { door: 'api', method: 'GET', path: '/', code: 'a', resource: 1 };
const SESSION = { sessionId: 'a', formToken: 'a', customerType: 'business' } as const;

/** Each command with every field that it may have. */
const WHOLE: { readonly [Type in CommandType]: Omit<Command<Type>, 'type'> } = {
  'clock.tick': {},
  'app.create': {
    name: 'a',
    token: 'a',
    signingSecret: 'a',
    scopes: ['pix:read'],
    accountId: 'a',
    openingBalanceCents: 0,
    organization: { name: 'a', kycToken: 'a', publishableKey: 'a' },
  },
  'account.create': { appId: 'a', accountId: 'a', openingBalanceCents: 0 },
  'app.rekey': { token: 'a', signingSecret: 'a', kycToken: 'a', publishableKey: 'a' },
  'nonce.use': { appId: 'a', nonce: 'a', nowS: 1, untilS: 1 },
  'charge.create': { appId: 'a', charge: CHARGE },
  'charge.settle': { chargeId: 'a', early: true },
  'charge.fail': { chargeId: 'a', reason: 'AC03' },
  'charge.expire': { chargeId: 'a' },
  'withdrawal.create': { appId: 'a', withdrawal: WITHDRAWAL },
  'withdrawal.process': { withdrawalId: 'a' },
  'withdrawal.settle': { withdrawalId: 'a' },
  'withdrawal.fail': { withdrawalId: 'a', reason: 'AC03' },
  'withdrawal.return': { withdrawalId: 'a', reason: 'AC03' },
  'endpoint.create': { appId: 'a', endpoint: { ...RECEIVER, url: 'a' } },
  'endpoint.rotate': { endpointId: 'a', secret: 'a' },
  'endpoint.disable': { endpointId: 'a' },
  'endpoint.enable': { endpointId: 'a' },
  'endpoint.delete': { endpointId: 'a' },
  'listener.connect': {
    appId: 'a',
    listener: {
      ...RECEIVER,
      name: 'a',
      fresh: true,
      faults: [{ ...ON_DELIVERY, match: { ...ON_DELIVERY.match, endpointUrl: 'a', ...AIM } } as never],
    },
  },
  'listener.lose': { endpointId: 'a' },
  'event.resend': { eventId: 'a', endpointId: 'a' },
  'delivery.retry': { deliveryId: 'a' },
  'deliveries.retry': { status: 'FAILED', eventType: 'a', endpointId: 'a' },
  'deliveries.pause': {},
  'deliveries.resume': {},
  'session.create': { ...SESSION, organizationId: 'a', idempotencyKey: 'a' },
  'session.createPublic': { ...SESSION, publishableKey: 'a', origin: 'a' },
  'session.begin': { sessionId: 'a', name: 'a', document: 'a' },
  'session.decide': { sessionId: 'a', status: 'approved', document: 'a', delayMs: 1, error: 'a' },
  'origin.add': { appId: 'a', origin: 'a' },
  'delivery.attempted': { deliveryId: 'a', number: 1, status: 200, error: 'TIMEOUT' },
  'fault.add': { fault: { ...ON_CALL, match: { ...ON_CALL.match, ...AIM } } as never },
  'fault.remove': { id: 'a' },
  'fault.insert': { appId: 'a', call: CALL },
  'fault.on-call': { call: CALL },
  trigger: {
    event: 'pix.settled',
    appId: 'a',
    charge: 'a',
    withdrawal: 'a',
    chargeFields: CHARGE,
    withdrawalFields: WITHDRAWAL,
    late: true,
    reason: 'AC03',
    overrides: [{ path: 'a', value: 1, isText: true }],
  },
};

function names(): CommandType[] {
  return Object.keys(WHOLE) as CommandType[];
}

function formsOf(type: CommandType): string[] {
  return fieldForms(WHOLE[type], (value) => readCommand({ ...(value as object), type }));
}

test.each(names())('%s has its fields in the form that journals keep', (type) => {
  const command = { type, ...WHOLE[type] };
  expect(readCommand(command)).toEqual(command);
  expect(formsOf(type)).toEqual(COMMAND_FORMS[type]);
});

test('a key of half a character is no metadata', () => {
  const charge = { ...CHARGE, metadata: { '\ud800': 'a' } };
  expect(refusalTextOf(() => readCommand({ type: 'charge.create', appId: 'a', charge }))).toBe(
    'INVALID_REQUEST charge.create.charge.metadata: expected keys of whole characters; got {"\\ud800":"a"}.',
  );
});

test('a command without a known name is refused with the beginning of its name', () => {
  const type = 'a'.repeat(70);
  expect(refusalTextOf(() => readCommand({ type }))).toBe(
    `INVALID_REQUEST There is no command "${'a'.repeat(60)}".`,
  );
});
