import * as fc from 'fast-check';
import { EVENT_TYPES, SCOPES } from '../../../src/contract/enums.js';
import {
  CALL_FAULTS,
  type CallFaultAction,
  DELIVERY_FAULTS,
  type DeliveryFaultAction,
} from '../../../src/contract/fault-kinds.js';
import { INCIDENTS } from '../../../src/contract/incidents.js';
import type { RetrySchedule } from '../../../src/contract/limits.js';
import { SESSION_DECISIONS } from '../../../src/contract/transitions.js';
import type { Command, CommandType } from '../../../src/core/apply.js';
import { listAccounts } from '../../../src/core/identity/applications.js';
import { createPaymentDraft } from '../../../src/core/payments/payments.js';
import { readBodyOrRefuse } from '../../../src/core/input/bodies.js';
import { INCIDENT } from '../../../src/core/webhooks/incidents.js';
import type { App, Endpoint } from '../../../src/core/world.js';
import { callFault, deliveryFault } from './fault-commands.js';
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
    return { type, appId: id, call: { api: 'api', method: 'GET', path: '/api/public/v1/withdrawals' } };
  }
  if (type === 'fault.on-call') {
    return { type, call: { api: 'api', method: pick % 2 === 0 ? 'GET' : 'POST', path: `/v${variant % 3}` } };
  }
  const window = { forMs: [1, 60_000, 86_400_000][pick2 % 3] ?? 1 };
  const chosen = {
    probability: [1, 0.5, 0.1][variant % 3] ?? 1,
    count: [null, 1, 3][pick2 % 3] ?? null,
    ...(variant % 3 === 1 ? { ...window, from: world.now + (pick - 5) * 500 } : {}),
    ...(variant % 3 === 2 ? window : {}),
  };
  const aim =
    variant % 5 === 0
      ? { code: '*', resource: (pick % 3) + 1, nth: (pick2 % 3) + 1 }
      : { every: (pick % 2) + 1 };
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

/** The row that a number stands for; nothing for one number in a full round. */
export function picked<Row>(rows: readonly Row[], pick: number): Row | undefined {
  return rows[pick % (rows.length + 1)];
}

export function idOf(rows: readonly { readonly id: string }[], pick: number): string {
  return picked(rows, pick)?.id ?? 'none';
}

/** The command that a move is in this world; undefined when the move is no command. */
export function commandOf(test: TestWorld, move: Move): Command | undefined {
  if ('pass' in move) return undefined;
  if ('outcome' in move) return outcomeOf(test, move.outcome, move.status);
  if (move.type.startsWith('fault.')) return faultCommandOf(test, move as FaultMove);
  const app = picked(test.world.apps.rows, move.pick) ?? test.app;
  const amounts = [1, 100, 101, 5_000, OPENING_BALANCE_CENTS, 999_999_999_999];
  const drawn: Drawn = {
    ...move,
    test,
    world: test.world,
    app,
    appId: move.variant === 15 ? 'nobody' : app.id,
    accountId: idOfAccount(test, app, move.variant),
    code: `code-${move.pick2}`,
    amountCents: amounts[move.variant % 6] ?? 1,
    events: EVENT_TYPES.filter((_, index) => (move.pick2 >> (index % 4)) & 1),
    endpoints: [...test.world.endpoints.values()],
  };
  return { type: move.type, ...MAKERS[move.type]?.(drawn) } as Command;
}

export type CommandMove = Extract<Move, { readonly type: string }>;

interface Drawn extends CommandMove {
  readonly test: TestWorld;
  readonly world: TestWorld['world'];
  readonly app: App;
  readonly appId: string;
  readonly accountId: string;
  readonly code: string;
  readonly amountCents: number;
  readonly events: (typeof EVENT_TYPES)[number][];
  readonly endpoints: readonly Endpoint[];
}

/** Two people and a company; the last is no document. */
const DOCUMENTS = [undefined, '52998224725', '11.222.333/0001-81', '1'];
const DELAYS_MS = [0, 0, 1, 500, 60_000];

const chargeId = ({ world, pick }: Drawn) => idOf(world.charges.rows, pick);
const withdrawalId = ({ world, pick }: Drawn) => idOf(world.withdrawals.rows, pick);
const endpointId = ({ endpoints, pick }: Drawn) => idOf(endpoints, pick);
const sessionId = ({ world, pick }: Drawn) => idOf(world.sessions.rows, pick);

/** The fields of each command, besides its type. */
const INCIDENT_NAMES = Object.keys(INCIDENTS);

const MAKERS: { readonly [Type in CommandType]?: (drawn: Drawn) => Omit<Command<Type>, 'type'> } = {
  'clock.tick': () => ({}),
  'incident.start': ({ pick }) =>
    readBodyOrRefuse(INCIDENT, { name: picked(INCIDENT_NAMES, pick) ?? INCIDENT_NAMES[0] }),
  'incident.stop': ({ pick }) => ({ name: picked(INCIDENT_NAMES, pick) ?? null }),
  'app.create': ({ variant, pick, pick2 }) => ({
    name: `named-${variant}`,
    token: `token-${pick}`,
    signingSecret: 's',
    scopes: SCOPES.filter((_, index) => index !== pick2 % 7),
    openingBalanceCents: pick2,
    organization: ORGANIZATIONS[pick2 % ORGANIZATIONS.length],
  }),
  'account.create': ({ appId, accountId, variant, pick2 }) => ({
    appId,
    accountId: variant % 5 === 0 ? accountId : undefined,
    openingBalanceCents: pick2,
  }),
  'nonce.use': ({ test, appId, pick2, variant }) => {
    const nowS = Math.floor(test.now / 1_000);
    return { appId, nonce: `nonce-${pick2 % 4}`, nowS, untilS: nowS + variant * 60 };
  },
  'charge.create': ({ app, appId, accountId, code, amountCents }) => ({
    appId,
    charge: { ...createPaymentDraft('charge', app, { code, amountCents }), accountId },
  }),
  'charge.settle': (drawn) => ({ chargeId: chargeId(drawn) }),
  'charge.fail': (drawn) => ({ chargeId: chargeId(drawn), reason: drawn.variant % 2 ? 'FRAD' : null }),
  'charge.expire': (drawn) => ({ chargeId: chargeId(drawn) }),
  'withdrawal.create': ({ app, appId, accountId, code, amountCents }) => ({
    appId,
    withdrawal: { ...createPaymentDraft('withdrawal', app, { code, amountCents }), accountId },
  }),
  'withdrawal.process': (drawn) => ({ withdrawalId: withdrawalId(drawn) }),
  'withdrawal.settle': (drawn) => ({ withdrawalId: withdrawalId(drawn) }),
  'withdrawal.fail': (drawn) => ({ withdrawalId: withdrawalId(drawn), reason: 'AC03' }),
  'withdrawal.return': (drawn) => ({ withdrawalId: withdrawalId(drawn), reason: 'AC03' }),
  'endpoint.create': ({ appId, pick2, events }) => ({
    appId,
    endpoint: endpointInput({ url: `https://${pick2}.example/`, events, schedule: SCHEDULES[pick2 % 3] }),
  }),
  'endpoint.rotate': (drawn) => ({
    endpointId: endpointId(drawn),
    secret: `whsec_${String(drawn.variant).padStart(4, '0')}`,
  }),
  'endpoint.disable': (drawn) => ({ endpointId: endpointId(drawn) }),
  'endpoint.enable': (drawn) => ({ endpointId: endpointId(drawn) }),
  'endpoint.delete': (drawn) => ({ endpointId: endpointId(drawn) }),
  'listener.connect': ({ appId, variant, pick2, events }) => ({
    appId,
    listener: {
      ...endpointInput({
        events: variant % 3 === 0 ? events : EVENT_TYPES,
        schedule: SCHEDULES[variant % 3],
      }),
      name: `listener-${pick2 % 3}`,
      fresh: variant % 4 === 3,
    },
  }),
  'listener.lose': ({ endpoints, pick }) => {
    const listeners = endpoints.filter(({ transport }) => transport === 'listener');
    return { endpointId: idOf(listeners, pick) };
  },
  'event.resend': ({ world, endpoints, pick, pick2, variant }) => ({
    eventId: idOf(world.events.rows, pick),
    endpointId: variant % 3 === 0 ? idOf(endpoints, pick2) : undefined,
  }),
  'delivery.retry': ({ world: { deliveries }, pick, variant }) => {
    const failed = deliveries.rows.filter(({ status }) => status === 'FAILED');
    return { deliveryId: idOf(variant % 4 === 0 ? deliveries.rows : failed, pick), early: variant % 3 === 0 };
  },
  'deliveries.retry': ({ endpoints, pick, pick2, variant }) => ({
    eventType: ['pix.*', '*', 'withdrawal.failed'][pick2 % 4],
    endpointId: variant % 3 === 0 ? idOf(endpoints, pick) : undefined,
  }),
  'deliveries.pause': () => ({}),
  'deliveries.resume': () => ({}),
  'session.create': ({ test, app, pick2, variant }) => ({
    organizationId: variant === 15 ? 'nobody' : app.organizationId,
    idempotencyKey: variant % 3 === 0 ? null : `key-${pick2 % 6}`,
    ...sessionOf(test, pick2, variant),
  }),
  'session.createPublic': ({ test, pick, pick2, variant }) => ({
    publishableKey: `publishable-key-${1 + (pick % 3)}`,
    origin: ORIGINS[variant % ORIGINS.length] ?? '',
    ...sessionOf(test, pick2, variant),
  }),
  'session.begin': (drawn) => ({ sessionId: sessionId(drawn), document: DOCUMENTS[drawn.variant % 4] }),
  'session.decide': (drawn) => {
    const { pick2, variant } = drawn;
    if (variant === 15)
      return { sessionId: sessionId(drawn), error: pick2 % 2 ? undefined : 'CAMERA_DENIED' };
    return {
      sessionId: sessionId(drawn),
      status: SESSION_DECISIONS[pick2 % SESSION_DECISIONS.length],
      document: DOCUMENTS[variant % 4],
      delayMs: DELAYS_MS[variant % DELAYS_MS.length],
    };
  },
  'origin.add': ({ appId, pick2 }) => ({ appId, origin: ORIGINS[pick2 % ORIGINS.length] ?? '' }),
  trigger: ({ world, pick, pick2, variant }) => {
    const event = EVENT_TYPES[pick % EVENT_TYPES.length] ?? 'pix.settled';
    const path = variant === 11 ? 'data.object.amout' : 'data.object.amount';
    const overrides = variant % 4 === 3 ? [{ path, value: pick2 }] : undefined;
    const common = { event, late: variant % 5 === 0, overrides };
    if (variant % 3 !== 0) return { ...common, appId: picked(world.apps.rows, pick2)?.id };
    return event.startsWith('pix.')
      ? { ...common, charge: idOf(world.charges.rows, pick2) }
      : { ...common, withdrawal: idOf(world.withdrawals.rows, pick2) };
  },
};

const COMMANDS = [
  ...(Object.keys(MAKERS) as Command['type'][]),
  ...(['fault.add', 'fault.remove', 'fault.on-call', 'fault.insert'] as const),
];

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
  if (variant > 9 && variant < 13) return listAccounts(world, app).at(-1)?.id ?? app.accountId;
  return variant === 13 ? first.accountId : app.accountId;
}

/** An outcome of any attempt that was ever started: open, answered long ago, or overtaken. */
function outcomeOf(test: TestWorld, pick: number, status: number): Command {
  const newest = test.attempts.slice(-12);
  const { deliveryId, number } = picked(newest, pick) ?? { deliveryId: 'none', number: 1, at: START_MS };
  const error = status < 300 ? null : status < 400 ? 'REDIRECT' : 'HTTP_STATUS';
  return { type: 'delivery.attempted', deliveryId, number, status, error };
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
