import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { CUSTOMER_TYPES, FAILURE_REASON_CODES, SCOPES } from '../../contract/enums.js';
import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS, RESTART_MOMENTS } from '../../contract/fault-kinds.js';
import { RETRY_SCHEDULES } from '../../contract/limits.js';
import { formatDuration, isoTime } from '../../contract/time.js';
import { SESSION_STATUSES } from '../../contract/transitions.js';
import { AGENDA_KINDS } from '../../core/agenda.js';
import type { Due } from '../../core/due.js';
import { dueInOrder, dueNext } from '../../core/due.js';
import { accountsOf } from '../../core/identity/applications.js';
import { shortSessionId, visibleStatus } from '../../core/identity/session.js';
import type { DrawQr } from '../../core/resources/serialize.js';
import { presentCharge, presenter, presentWithdrawal } from '../../core/resources/serialize.js';
import type {
  Account,
  App,
  Charge,
  Endpoint,
  Fault,
  IdentitySession,
  Withdrawal,
  World,
} from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Snapshot } from '../../sandbox/snapshots.js';
import { variant } from '../../schema/compound.js';
import { nullable } from '../../schema/object.js';
import { component, type Infer, type Schema } from '../../schema/schema.js';
import { always, described, flag, keyOf, number, oneOf, text, whole } from '../../schema/values.js';
import { hostedSessionUrl } from '../operation/targets.js';

export const LATENCY = number('milliseconds', { least: 0 });
export const OPTIONAL_TEXT = nullable(is.TEXT);
export const BALANCE = text('a balance', /^-?(?:0|[1-9]\d*)\.\d{2}$/, { examples: ['10.00'] });
export const RATE = number('a rate', { least: 0 });

export interface PageView<Row> {
  readonly data: readonly Row[];
  readonly paging: { readonly before: string | null; readonly after: string | null };
}

export const ENDPOINT_VIEW = is.resource('Endpoint', 'A webhook endpoint or a listener.', {
  ...service.ENDPOINT.fields,
  app_id: is.UUID,
  transport: oneOf(['http', 'listener']),
  connected: nullable(is.BOOLEAN),
  retries: keyOf(RETRY_SCHEDULES),
  timeout_ms: is.COUNT,
  deliveries: is.COUNT,
});
export type EndpointView = Infer<typeof ENDPOINT_VIEW>;

export const ENDPOINT_WITH_SECRET = is.resource(
  'EndpointWithSecret',
  'An endpoint with its signing secret.',
  { ...ENDPOINT_VIEW.fields, secret: service.SECRET },
);

export const ACCOUNT = is.resource('Account', 'An account of an application, with its balance.', {
  id: is.UUID,
  app_id: is.UUID,
  balance: BALANCE,
});
export type AccountView = Infer<typeof ACCOUNT>;

export const APP = is.resource('App', 'An application of the public API.', {
  id: is.UUID,
  organization_id: is.UUID,
  name: is.TEXT,
  scopes: is.listOf(oneOf(SCOPES)),
  account_id: described('Its first account, which payments use that name none.', is.UUID),
  account_ids: is.listOf(is.UUID),
  token: is.TEXT,
});
export type AppView = Infer<typeof APP>;

export const APP_WITH_SECRETS = is.resource(
  'AppWithSecrets',
  'An application with its secrets, which are shown only here.',
  {
    ...APP.fields,
    signing_secret: is.TEXT,
    kyc_token: described('Only of a new organization.', OPTIONAL_TEXT),
    kyc_publishable_key: described('Only of a new organization.', OPTIONAL_TEXT),
  },
);

export type AppWithSecrets = Infer<typeof APP_WITH_SECRETS>;

const writeEndpoint = presenter(ENDPOINT_VIEW);
const writeApp = presenter(APP);
const writeAccount = presenter(ACCOUNT);

export function endpointView(endpoint: Endpoint): EndpointView {
  return writeEndpoint(endpoint, {
    connected: endpoint.transport === 'listener' ? endpoint.connected : null,
    retries: endpoint.schedule,
    deliveries: endpoint.deliveries.length,
  });
}

export function appView(world: World, app: App): AppView {
  return writeApp(app, { account_ids: accountsOf(world, app).map(({ id }) => id) });
}

export function accountView(account: Account): AccountView {
  return writeAccount(account);
}

const INSIDE = { app_id: is.UUID, reason: nullable(oneOf(FAILURE_REASON_CODES)) };

export const CHARGE_VIEW = is.resource('Charge', 'A charge, with its application and why it failed.', {
  ...service.CHARGE.fields,
  ...INSIDE,
});
export type ChargeView = Infer<typeof CHARGE_VIEW>;

export const WITHDRAWAL_VIEW = is.resource(
  'Withdrawal',
  'A withdrawal, with its application and why it failed.',
  { ...service.WITHDRAWAL.fields, ...INSIDE },
);
export type WithdrawalView = Infer<typeof WITHDRAWAL_VIEW>;

export function chargeView(charge: Readonly<Charge>, drawQr: DrawQr = null): ChargeView {
  return { ...presentCharge(charge, drawQr), app_id: charge.appId, reason: charge.reason };
}

export function withdrawalView(withdrawal: Readonly<Withdrawal>): WithdrawalView {
  return { ...presentWithdrawal(withdrawal), app_id: withdrawal.appId, reason: withdrawal.reason };
}

export const CHARGE_DETAIL = is.resource(
  'ChargeDetail',
  'A charge, and where a browser opens its pay page.',
  {
    ...CHARGE_VIEW.fields,
    pay_url: is.TEXT,
  },
);
export type ChargeDetail = Infer<typeof CHARGE_DETAIL>;

/** A session in streams, where its `id` is shortened. */
export const SESSION_LINE = is.shape('An identity-verification session, seen from inside.', {
  id: is.TEXT,
  organization_id: is.UUID,
  customer_type: oneOf(CUSTOMER_TYPES),
  status: oneOf(SESSION_STATUSES),
  visible_status: oneOf(SESSION_STATUSES),
  created_at: is.INSTANT,
  expires_at: is.INSTANT,
  decided_at: nullable(is.INSTANT),
  readable_at: nullable(is.INSTANT),
  name: OPTIONAL_TEXT,
  document: OPTIONAL_TEXT,
  euid: nullable(is.EUID),
  error: OPTIONAL_TEXT,
  embed_origin: OPTIONAL_TEXT,
});
type SessionLine = Infer<typeof SESSION_LINE>;

export const SESSION = is.resource('Session', 'An identity-verification session, seen from inside.', {
  ...SESSION_LINE.fields,
  url: is.ADDRESS,
});
export type SessionView = Infer<typeof SESSION>;

const writeSession = presenter(SESSION_LINE);

/**
 * A session as streams and logs may show it: its id, which is a credential, is shortened. `status` shows a decision
 * as soon as it is made, `visible_status` only once a partner's server can read it.
 */
export function sessionLine({ clock }: Sandbox, session: IdentitySession): SessionLine {
  return writeSession(session, {
    id: shortSessionId(session.id),
    visible_status: visibleStatus(session, clock.now()),
  });
}

/** A session as the control API shows it, with the address of its page. */
export function sessionView(sandbox: Sandbox, session: IdentitySession, hostedUrl: string): SessionView {
  return { ...sessionLine(sandbox, session), id: session.id, url: hostedSessionUrl(hostedUrl, session) };
}

/** A key of either table, because a shown fault is not distinguished by its action. */
const CALL_ACTION: Schema<string> = keyOf(CALL_FAULTS);
const DELIVERY_ACTION: Schema<string> = keyOf(DELIVERY_FAULTS);

const COMMON = {
  code: nullable(is.TEXT),
  resource: nullable(is.COUNT),
  nth: nullable(is.COUNT),
  status: nullable(whole('a status code', { least: 200, most: 599 })),
  delay: nullable(text('a duration such as 1s500ms', /^(?:\d+(?:ms|s|m|h|d))+$/, { examples: ['3s'] })),
  copies: nullable(is.COUNT),
  parallel: nullable(flag),
  when: nullable(oneOf<string>(RESTART_MOMENTS)),
  count: nullable(is.COUNT),
  probability: number('a probability', { above: 0, most: 1 }),
  seen: is.COUNT,
  fired: is.COUNT,
};

const CALL_FAULT = is.shape('Misbehaviour on a call to a door.', {
  id: is.UUID,
  action: CALL_ACTION,
  on: always('call'),
  door: nullable(oneOf<string>(FAULT_DOORS)),
  method: nullable(is.TEXT),
  path: nullable(is.TEXT),
  ...COMMON,
});
const DELIVERY_FAULT = is.shape('Misbehaviour on an attempt of a delivery.', {
  id: is.UUID,
  action: DELIVERY_ACTION,
  on: always('delivery'),
  event: nullable(is.TEXT),
  endpoint: nullable(is.TEXT),
  attempt: nullable(is.COUNT),
  ...COMMON,
});

/** A fault as the control API shows it: the fields it was created with, and how often it fired. */
export const FAULT = component('Fault', variant('a fault', 'on', [CALL_FAULT, DELIVERY_FAULT]));

export const FIRED_FAULTS = is.listOf(
  is.shape('A fault that fired.', {
    id: is.UUID,
    action: oneOf<string>(Object.keys({ ...CALL_FAULTS, ...DELIVERY_FAULTS })),
  }),
);
export type FaultView = Infer<typeof FAULT>;

const writeCallFault = presenter(CALL_FAULT);
const writeDeliveryFault = presenter(DELIVERY_FAULT);

export function faultView({ match, delayMs, ...fault }: Fault): FaultView {
  const delay = delayMs === null ? null : formatDuration(delayMs);
  if (match.on === 'call') return writeCallFault({ ...fault, ...match }, { delay });
  const endpoint = match.endpointId ?? match.endpointUrl ?? null;
  return writeDeliveryFault({ ...fault, ...match }, { delay, endpoint, event: match.eventType });
}

export const DUE = is.resource('Due', 'What falls due.', {
  at: is.INSTANT,
  kind: oneOf(AGENDA_KINDS),
  id: is.TEXT,
});
export type DueView = Infer<typeof DUE>;

export const AGENDA = is.resource('Agenda', 'What falls due, in order.', {
  due: is.listOf(is.shape('One thing that falls due.', { ...DUE.fields, title: is.TEXT })),
});
export type AgendaView = Infer<typeof AGENDA>;

export const CLOCK = is.resource('Clock', 'Sandbox time; a rate of 0 stands still and 1 is real time.', {
  now: is.INSTANT,
  real_now: is.INSTANT,
  rate: RATE,
  frozen: is.BOOLEAN,
  advancing: is.BOOLEAN,
  next_due: nullable(DUE),
});
export type ClockView = Infer<typeof CLOCK>;

export function clockView({ clock, travel, world, realNow }: Sandbox): ClockView {
  const due = dueNext(world);
  return {
    now: isoTime(clock.now()),
    real_now: isoTime(realNow()),
    rate: clock.rate,
    frozen: clock.rate === 0 && !travel.isUnderWay,
    advancing: travel.isUnderWay,
    next_due: due === undefined ? null : dueView(due),
  };
}

const writeDue = presenter(DUE);

export function dueView(due: Due): DueView {
  return writeDue(due);
}

/** Lists due items in order, without outdated ones. */
export function agendaView({ world }: Sandbox, limit = 20): AgendaView {
  return {
    due: dueInOrder(world, limit).map((one) => Object.assign(dueView(one), { title: one.title })),
  };
}

export const SNAPSHOT = is.resource('Snapshot', 'A snapshot.', {
  name: is.TEXT,
  now: is.INSTANT,
  rate: RATE,
  charges: is.COUNT,
  withdrawals: is.COUNT,
  events: is.COUNT,
  deliveries: is.COUNT,
  sessions: is.COUNT,
});
export type SnapshotView = Infer<typeof SNAPSHOT>;

export function snapshotView({ name, rate, world }: Snapshot): SnapshotView {
  return {
    name,
    now: isoTime(world.now),
    rate,
    charges: world.charges.length,
    withdrawals: world.withdrawals.length,
    events: world.events.length,
    deliveries: world.deliveries.length,
    sessions: world.sessions.length,
  };
}
