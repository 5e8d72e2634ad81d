import * as fc from 'fast-check';
import { EVENT_TYPES, SCOPES } from '../../../src/contract/enums.js';
import {
  CALL_FAULTS,
  type CallFaultAction,
  DELIVERY_FAULTS,
  type DeliveryFaultAction,
} from '../../../src/contract/fault-kinds.js';
import type { RetrySchedule } from '../../../src/contract/limits.js';
import { SESSION_DECISIONS } from '../../../src/contract/transitions.js';
import type { Command } from '../../../src/core/apply.js';
import { accountsOf } from '../../../src/core/identity/applications.js';
import type { DecisionInput } from '../../../src/core/identity/sessions.js';
import { draftCharge, draftWithdrawal } from '../../../src/core/payments/defaults.js';
import type { App } from '../../../src/core/world.js';
import { callFault, deliveryFault } from './faults.js';
import { endpointInput, OPENING_BALANCE_CENTS, START_MS, type TestWorld } from './world.js';

const CALL_ACTIONS = Object.keys(CALL_FAULTS) as CallFaultAction[];
const DELIVERY_ACTIONS = Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[];

type FaultMove = CommandMove & { readonly type: `fault.${string}` & Command['type'] };

/** The command that a move about faults is in this world. */
function faultCommandOf({ world }: TestWorld, { type, pick, pick2, variant }: FaultMove): Command {
  if (type === 'fault.remove')
    return { type, id: variant === 0 ? null : idOf([...world.faults.values()], pick) };
  if (type === 'fault.insert') {
    const { id = '' } = picked([...world.apps.rows], pick) ?? {};
    return { type, appId: id, call: { door: 'api', method: 'GET', path: '/api/public/v1/withdrawals' } };
  }
  if (type === 'fault.on-call') {
    return { type, call: { door: 'api', method: pick % 2 === 0 ? 'GET' : 'POST', path: `/v${variant % 3}` } };
  }
  const chosen = {
    probability: [1, 0.5, 0.1][variant % 3] ?? 1,
    count: [null, 1, 3][pick2 % 3] ?? null,
  };
  const aim =
    variant % 5 === 0 ? { code: '*', resource: (pick % 3) + 1, nth: (pick2 % 3) + 1 } : { nth: undefined };
  if (pick2 % 4 === 0) {
    const match = { path: variant % 2 === 0 ? '/v1' : null, method: pick % 2 === 0 ? null : 'GET', ...aim };
    return { type, fault: callFault(picked(CALL_ACTIONS, pick) ?? 'reset', { ...chosen, match }) };
  }
  const match = {
    eventType: [null, 'pix.*', 'withdrawal.failed'][variant % 3] ?? null,
    endpointId: pick2 % 2 === 0 ? null : idOf([...world.endpoints.values()], pick),
    attempt: variant % 4 === 0 ? null : variant % 4,
    endpointUrl: pick2 % 3 === 0 ? 'https://*' : undefined,
    ...aim,
  };
  return { type, fault: deliveryFault(picked(DELIVERY_ACTIONS, pick) ?? 'drop', { ...chosen, match }) };
}

/**
 * Something that may be done to a test world, as plain data: rows are named by a number that is taken round the rows
 * there are at the time, and now and then by one that does not exist. Many moves are refused, which is wanted.
 */
export type Move =
  | { readonly pass: number | 'to the next due' }
  | { readonly outcome: number; readonly status: number }
  | {
      readonly type: Command['type'];
      readonly pick: number;
      readonly pick2: number;
      readonly variant: number;
    };

/** Time steps around everything that has a limit in time. */
const STEPS_MS = [
  0, 1, 499, 500, 59_999, 60_000, 1_799_999, 1_800_000, 3_600_000, 86_399_999, 86_400_000, 172_800_000,
];
const SCHEDULES: readonly RetrySchedule[] = ['real', 'fast', 'off'];

const COMMANDS: readonly Command['type'][] = [
  'clock.tick',
  'app.create',
  'account.create',
  'nonce.use',
  'charge.create',
  'charge.settle',
  'charge.fail',
  'charge.expire',
  'withdrawal.create',
  'withdrawal.process',
  'withdrawal.settle',
  'withdrawal.fail',
  'withdrawal.return',
  'endpoint.create',
  'endpoint.rotate',
  'endpoint.disable',
  'endpoint.enable',
  'endpoint.delete',
  'listener.connect',
  'listener.lose',
  'event.resend',
  'delivery.retry',
  'deliveries.retry',
  'deliveries.pause',
  'deliveries.resume',
  'session.create',
  'session.createPublic',
  'session.begin',
  'session.decide',
  'origin.add',
  'fault.add',
  'fault.remove',
  'fault.on-call',
  'trigger',
  'fault.insert',
];

/** What leads into the deeper corners of the world. */
const FREQUENT: readonly Command['type'][] = [
  'trigger',
  'charge.create',
  'endpoint.create',
  'endpoint.disable',
  'endpoint.enable',
  'listener.connect',
  'listener.lose',
  'delivery.retry',
  'session.create',
  'session.decide',
  'fault.add',
];

function commandMove(types: readonly Command['type'][]): fc.Arbitrary<Move> {
  const small = fc.nat(15);
  return fc.record({ type: fc.constantFrom(...types), pick: small, pick2: small, variant: small });
}

export const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: commandMove(COMMANDS) },
  { weight: 4, arbitrary: commandMove(FREQUENT) },
  { weight: 4, arbitrary: fc.record({ outcome: fc.nat(20), status: fc.constantFrom(200, 204, 302, 500) }) },
  { weight: 2, arbitrary: fc.record({ pass: fc.constantFrom(...STEPS_MS, 'to the next due' as const) }) },
);

/** Moves that mean the same whatever has become of the deliveries so far. */
export const anyPaymentMove: fc.Arbitrary<Move> = commandMove(
  COMMANDS.filter((type) => /^(charge|withdrawal|trigger)/.test(type)),
);

/** The row that a number stands for; nothing for one number in a full round. */
export function picked<Row>(rows: readonly Row[], pick: number): Row | undefined {
  return rows[pick % (rows.length + 1)];
}

export function idOf(rows: readonly { readonly id: string }[], pick: number): string {
  return picked(rows, pick)?.id ?? 'none';
}

const on = (type: Command['type'], fields: object) => ({ type, ...fields }) as Command;

/** The command that a move is in this world; undefined when the move is no command. */
export function commandOf(test: TestWorld, move: Move): Command | undefined {
  if ('pass' in move) return undefined;
  if ('outcome' in move) return outcomeOf(test, move.outcome, move.status);
  const { world } = test;
  const { type, pick, pick2, variant } = move;
  const app = picked(world.apps.rows, pick) ?? test.app;
  const endpoints = [...world.endpoints.values()];
  if (/^charge\.(settle|expire)$/.test(type)) return on(type, { chargeId: idOf(world.charges.rows, pick) });
  if (/^withdrawal\.(process|settle|fail|return)$/.test(type))
    return on(type, { withdrawalId: idOf(world.withdrawals.rows, pick), reason: 'AC03' });
  if (/^endpoint\.(disable|enable|delete)$/.test(type))
    return on(type, { endpointId: idOf(endpoints, pick) });
  switch (type) {
    case 'charge.fail': {
      return { type, chargeId: idOf(world.charges.rows, pick), reason: variant % 2 ? 'FRAD' : null };
    }
    case 'endpoint.rotate': {
      return { type, endpointId: idOf(endpoints, pick), secret: `whsec_${String(variant).padStart(4, '0')}` };
    }
    case 'listener.lose': {
      const listeners = endpoints.filter(({ transport }) => transport === 'listener');
      return { type, endpointId: idOf(listeners, pick) };
    }
    case 'event.resend': {
      const endpointId = variant % 3 === 0 ? idOf(endpoints, pick2) : undefined;
      return { type, eventId: idOf(world.events.rows, pick), endpointId };
    }
    case 'delivery.retry': {
      const failed = world.deliveries.rows.filter(({ status }) => status === 'FAILED');
      return { type, deliveryId: idOf(variant % 4 === 0 ? world.deliveries.rows : failed, pick) };
    }
    case 'deliveries.retry': {
      const eventType = ['pix.*', '*', 'withdrawal.failed'][pick2 % 4];
      return { type, eventType, endpointId: variant % 3 === 0 ? idOf(endpoints, pick) : undefined };
    }
    case 'deliveries.pause':
    case 'deliveries.resume': {
      return { type };
    }
    case 'session.begin': {
      return { type, sessionId: idOf(world.sessions.rows, pick), document: DOCUMENTS[variant % 4] };
    }
    case 'session.decide': {
      return { type, sessionId: idOf(world.sessions.rows, pick), ...decisionOf(pick2, variant) };
    }
    case 'fault.add':
    case 'fault.remove':
    case 'fault.insert':
    case 'fault.on-call': {
      return faultCommandOf(test, { type, pick, pick2, variant });
    }
    default: {
      return creationOf(test, app, move);
    }
  }
}

/** Two people and a company; the last is no document. */
const DOCUMENTS = [undefined, '52998224725', '11.222.333/0001-81', '1'];
const DELAYS_MS = [0, 0, 1, 500, 60_000];

function decisionOf(pick: number, variant: number): DecisionInput {
  if (variant === 15) return pick % 2 === 0 ? { error: 'CAMERA_DENIED' } : {};
  return {
    status: SESSION_DECISIONS[pick % SESSION_DECISIONS.length],
    document: DOCUMENTS[variant % 4],
    delayMs: DELAYS_MS[variant % DELAYS_MS.length],
  };
}

export type CommandMove = Extract<Move, { readonly type: string }>;

function creationOf(test: TestWorld, app: App, { type, pick, pick2, variant }: CommandMove): Command {
  const appId = variant === 15 ? 'nobody' : app.id;
  const accountId = idOfAccount(test, app, variant);
  const code = `code-${pick2}`;
  const amountCents = [1, 100, 101, 5_000, OPENING_BALANCE_CENTS, 999_999_999_999][variant % 6] ?? 1;
  const events = EVENT_TYPES.filter((_, index) => (pick2 >> (index % 4)) & 1);
  switch (type) {
    case 'charge.create': {
      return { type, appId, charge: { ...draftCharge(app, { code, amountCents }), accountId } };
    }
    case 'withdrawal.create': {
      return { type, appId, withdrawal: { ...draftWithdrawal(app, { code, amountCents }), accountId } };
    }
    case 'endpoint.create': {
      const schedule = SCHEDULES[pick2 % 3];
      return { type, appId, endpoint: endpointInput({ url: `https://${pick2}.example/`, events, schedule }) };
    }
    case 'listener.connect': {
      const name = `listener-${pick2 % 3}`;
      const fields = endpointInput({
        events: variant % 3 === 0 ? events : EVENT_TYPES,
        schedule: SCHEDULES[variant % 3],
      });
      return { type, appId, listener: { ...fields, name, fresh: variant % 4 === 3 } };
    }
    case 'app.create': {
      const scopes = SCOPES.filter((_, index) => index !== pick2 % 7);
      const token = `token-${pick}`;
      return {
        type,
        name: `named-${variant}`,
        token,
        signingSecret: 's',
        scopes,
        openingBalanceCents: pick2,
        organization: ORGANIZATIONS[pick2 % ORGANIZATIONS.length],
      };
    }
    case 'account.create': {
      const given = variant % 5 === 0 ? idOfAccount(test, app, variant) : undefined;
      return { type, appId, accountId: given, openingBalanceCents: pick2 };
    }
    case 'session.create': {
      const organizationId = variant === 15 ? 'nobody' : app.organizationId;
      const idempotencyKey = variant % 3 === 0 ? null : `key-${pick2 % 6}`;
      return { type, organizationId, idempotencyKey, ...sessionOf(test, pick2, variant) };
    }
    case 'session.createPublic': {
      const publishableKey = `publishable-key-${1 + (pick % 3)}`;
      const origin = ORIGINS[variant % ORIGINS.length] ?? '';
      return { type, publishableKey, origin, ...sessionOf(test, pick2, variant) };
    }
    case 'origin.add': {
      return { type, appId, origin: ORIGINS[pick2 % ORIGINS.length] ?? '' };
    }
    case 'nonce.use': {
      const nowS = Math.floor(test.now / 1_000);
      return { type, appId, nonce: `nonce-${pick2 % 4}`, nowS, untilS: nowS + variant * 60 };
    }
    case 'trigger': {
      return triggerOf(test, { type, pick, pick2, variant });
    }
    default: {
      return { type: 'clock.tick' };
    }
  }
}

/** The first one, a second one with credentials, one without, and one that borrows the second's. */
const ORGANIZATIONS = [
  undefined,
  { name: 'second', kycToken: 'kyc-token-2', publishableKey: 'publishable-key-2' },
  { name: 'third', kycToken: null, publishableKey: null },
  { name: 'fourth', kycToken: 'kyc-token-2', publishableKey: null },
];
const ORIGINS = ['https://shop.example', 'http://localhost:*', 'http://localhost:3000', 'shop'];

function sessionOf({ world }: TestWorld, pick: number, variant: number) {
  const taken = world.sessions.rows[0]?.id;
  return {
    sessionId: (variant === 7 ? taken : undefined) ?? `session-${world.sessions.rows.length}`,
    formToken: 'form',
    customerType: pick % 2 === 0 ? ('individual' as const) : ('business' as const),
  };
}

function idOfAccount({ app: first, world }: TestWorld, app: App, variant: number): string {
  if (variant === 14) return 'unknown';
  if (variant > 9 && variant < 13) return accountsOf(world, app).at(-1)?.id ?? app.accountId;
  return variant === 13 ? first.accountId : app.accountId;
}

function triggerOf({ world }: TestWorld, { pick, pick2, variant }: CommandMove): Command {
  const event = EVENT_TYPES[pick % EVENT_TYPES.length] ?? 'pix.settled';
  const isPix = event.startsWith('pix.');
  const late = variant % 5 === 0;
  const path = variant === 11 ? 'data.object.amout' : 'data.object.amount';
  const overrides = variant % 4 === 3 ? [{ path, value: pick2 }] : undefined;
  const common = { type: 'trigger', event, late, overrides } as const;
  if (variant % 3 !== 0) return { ...common, appId: picked(world.apps.rows, pick2)?.id };
  return isPix
    ? { ...common, charge: idOf(world.charges.rows, pick2) }
    : { ...common, withdrawal: idOf(world.withdrawals.rows, pick2) };
}

/** An outcome of any attempt that was ever started: open, answered long ago, or overtaken. */
function outcomeOf(test: TestWorld, pick: number, status: number): Command {
  const newest = test.attempts.slice(-12);
  const { deliveryId, number } = picked(newest, pick) ?? { deliveryId: 'none', number: 1, at: START_MS };
  const error = status < 300 ? null : status < 400 ? 'REDIRECT' : 'HTTP_STATUS';
  return { type: 'delivery.attempted', deliveryId, number, status, error };
}
