import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { DELAY_PATTERN, formatDelay } from '../../contract/delay.js';
import { CUSTOMER_TYPES, FAILURE_REASON_CODES, SCOPES } from '../../contract/enums.js';
import {
  CALL_FAULTS,
  DELIVERY_FAULTS,
  FAULT_APIS,
  FAULTS,
  RESTART_MOMENTS,
} from '../../contract/fault-kinds.js';
import { INCIDENTS } from '../../contract/incidents.js';
import { RETRY_SCHEDULES } from '../../contract/limits.js';
import { formatIsoTime } from '../../contract/time.js';
import { SESSION_STATUSES } from '../../contract/transitions.js';
import { AGENDA_KINDS } from '../../core/agenda.js';
import type { DueItem } from '../../core/due.js';
import { listDueItems, peekDue } from '../../core/due.js';
import { findOrganization, listAccounts } from '../../core/identity/applications.js';
import { shortenSessionId, getVisibleStatus } from '../../core/identity/session.js';
import type { QrRenderer } from '../../core/resources/serialize.js';
import { presentCharge, createPresenter, presentWithdrawal } from '../../core/resources/serialize.js';
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
import type { RunningIncident } from '../../core/webhooks/incidents.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Snapshot } from '../../sandbox/snapshots.js';
import { unionBy } from '../../schema/compound.js';
import { nullable } from '../../schema/object.js';
import { nameSchema, type Infer, type Schema } from '../../schema/schema.js';
import { literal, withDoc, boolean, deriveKey, number, enumOf, text, integer } from '../../schema/values.js';
import { createSessionUrl } from '../shared/surface.js';

export const MILLISECONDS = number('milliseconds', { min: 0 });
export const NULLABLE_TEXT = nullable(is.TEXT);
export const BALANCE = text('a balance', /^-?(?:0|[1-9]\d*)\.\d{2}$/, { examples: ['10.00'] });
export const CLOCK_RATE = number('a rate', { min: 0 });

export interface PageView<Row> {
  readonly data: readonly Row[];
  readonly paging: { readonly before: string | null; readonly after: string | null };
}

export const ENDPOINT_VIEW = is.createResourceSchema('Endpoint', 'A webhook endpoint or a listener.', {
  ...service.ENDPOINT.fields,
  app_id: is.UUID,
  transport: enumOf(['http', 'listener']),
  connected: nullable(is.BOOLEAN),
  retries: deriveKey(RETRY_SCHEDULES),
  timeout_ms: is.COUNT,
  deliveries: is.COUNT,
});
export type EndpointView = Infer<typeof ENDPOINT_VIEW>;

export const ENDPOINT_VIEW_WITH_SECRET = is.createResourceSchema(
  'EndpointWithSecret',
  'An endpoint with its signing secret.',
  { ...ENDPOINT_VIEW.fields, secret: service.ENDPOINT_SECRET },
);

export const ACCOUNT_VIEW = is.createResourceSchema('Account', 'An application account with its balance.', {
  id: is.UUID,
  app_id: is.UUID,
  balance: BALANCE,
});
export type AccountView = Infer<typeof ACCOUNT_VIEW>;

export const APP_VIEW = is.createResourceSchema('App', 'An application, as returned by the public API.', {
  id: is.UUID,
  organization_id: is.UUID,
  name: is.TEXT,
  scopes: is.arrayOf(enumOf(SCOPES)),
  account_id: withDoc('The first account, used for payments by default.', is.UUID),
  account_ids: is.arrayOf(is.UUID),
  token: is.TEXT,
});
export type AppView = Infer<typeof APP_VIEW>;

export const APP_WITH_SECRETS = is.createResourceSchema(
  'AppWithSecrets',
  'An application with its secrets, as returned on creation.',
  {
    ...APP_VIEW.fields,
    signing_secret: is.TEXT,
    kyc_token: withDoc('Null for an existing organization.', NULLABLE_TEXT),
    kyc_publishable_key: withDoc('Null for an existing organization.', NULLABLE_TEXT),
  },
);

export type AppWithSecrets = Infer<typeof APP_WITH_SECRETS>;

export const CREDENTIALS = is.createObjectSchema('Every credential in the sandbox.', {
  apps: is.arrayOf(APP_WITH_SECRETS),
  endpoints: is.arrayOf(
    is.createObjectSchema('The signing secrets of an endpoint.', {
      id: is.UUID,
      secret: service.ENDPOINT_SECRET,
      previous_secret: withDoc('The secret before the last rotation.', nullable(is.TEXT)),
    }),
  ),
});
export type CredentialsView = Infer<typeof CREDENTIALS>;

const writeEndpoint = createPresenter(ENDPOINT_VIEW);
const writeApp = createPresenter(APP_VIEW);
const writeAccount = createPresenter(ACCOUNT_VIEW);

export function presentEndpointView(endpoint: Endpoint): EndpointView {
  return writeEndpoint(endpoint, {
    connected: endpoint.transport === 'listener' ? endpoint.connected : null,
    retries: endpoint.schedule,
    deliveries: endpoint.deliveries.length,
  });
}

export function presentApp(world: World, app: App): AppView {
  return writeApp(app, { account_ids: listAccounts(world, app).map(({ id }) => id) });
}

/** Presents an application with its secrets; `withIdentity` includes those of its organization. */
export function presentAppWithSecrets(world: World, app: App, withIdentity: boolean): AppWithSecrets {
  const { kycToken, publishableKey } = findOrganization(world, app.id);
  return {
    ...presentApp(world, app),
    signing_secret: app.signingSecret,
    kyc_token: withIdentity ? kycToken : null,
    kyc_publishable_key: withIdentity ? publishableKey : null,
  };
}

export function presentCredentials(world: World): CredentialsView {
  return {
    apps: world.apps.rows.map((app) => presentAppWithSecrets(world, app, true)),
    endpoints: Array.from(world.endpoints.values(), ({ id, secret, previousSecret }) => ({
      id,
      secret,
      previous_secret: previousSecret,
    })),
  };
}

export function presentAccount(account: Account): AccountView {
  return writeAccount(account);
}

const INSIDE = { app_id: is.UUID, reason: nullable(enumOf(FAILURE_REASON_CODES)) };

export const CHARGE_VIEW = is.createResourceSchema(
  'Charge',
  'A charge with its application and failure reason.',
  {
    ...service.CHARGE.fields,
    ...INSIDE,
  },
);
export type ChargeView = Infer<typeof CHARGE_VIEW>;

export const WITHDRAWAL_VIEW = is.createResourceSchema(
  'Withdrawal',
  'A withdrawal with its application and failure reason.',
  { ...service.WITHDRAWAL.fields, ...INSIDE },
);
export type WithdrawalView = Infer<typeof WITHDRAWAL_VIEW>;

export function presentChargeView(charge: Readonly<Charge>, drawQr: QrRenderer = null): ChargeView {
  return { ...presentCharge(charge, drawQr), app_id: charge.appId, reason: charge.reason };
}

export function presentWithdrawalView(withdrawal: Readonly<Withdrawal>): WithdrawalView {
  return { ...presentWithdrawal(withdrawal), app_id: withdrawal.appId, reason: withdrawal.reason };
}

export const CHARGE_DETAIL = is.createResourceSchema(
  'ChargeDetail',
  'A charge with the URL of its payment page.',
  {
    ...CHARGE_VIEW.fields,
    pay_url: is.TEXT,
  },
);
export type ChargeDetail = Infer<typeof CHARGE_DETAIL>;

/** Session for streams, with a shortened `id`. */
export const SESSION_LINE = is.createObjectSchema('An identity verification session with internal fields.', {
  id: is.TEXT,
  organization_id: is.UUID,
  customer_type: enumOf(CUSTOMER_TYPES),
  status: enumOf(SESSION_STATUSES),
  visible_status: enumOf(SESSION_STATUSES),
  created_at: is.INSTANT,
  expires_at: is.INSTANT,
  decided_at: nullable(is.INSTANT),
  readable_at: nullable(is.INSTANT),
  name: NULLABLE_TEXT,
  document: NULLABLE_TEXT,
  euid: nullable(is.EUID),
  error: NULLABLE_TEXT,
  embed_origin: NULLABLE_TEXT,
});
type SessionLine = Infer<typeof SESSION_LINE>;

export const SESSION_VIEW = is.createResourceSchema(
  'Session',
  'An identity verification session with internal fields.',
  {
    ...SESSION_LINE.fields,
    url: is.ADDRESS,
  },
);
export type SessionView = Infer<typeof SESSION_VIEW>;

const writeSession = createPresenter(SESSION_LINE);

/**
 * Presents a session for streams and logs. Shortens the id, which is a credential. `status` shows a decision
 * immediately; `visible_status` shows it only once the partner's server can read it.
 */
export function presentSessionLine({ clock }: Sandbox, session: IdentitySession): SessionLine {
  return writeSession(session, {
    id: shortenSessionId(session.id),
    visible_status: getVisibleStatus(session, clock.now()),
  });
}

/** Presents a session for the control API, with its page URL. */
export function presentSession(sandbox: Sandbox, session: IdentitySession, hostedUrl: string): SessionView {
  return {
    ...presentSessionLine(sandbox, session),
    id: session.id,
    url: createSessionUrl(hostedUrl, session),
  };
}

/** Uses string types, because `FaultView` is not discriminated by action. */
const CALL_ACTION: Schema<string> = deriveKey(CALL_FAULTS);
const DELIVERY_ACTION: Schema<string> = deriveKey(DELIVERY_FAULTS);

const COMMON = {
  code: nullable(is.TEXT),
  resource: nullable(is.COUNT),
  nth: nullable(is.COUNT),
  every: nullable(is.COUNT),
  status: nullable(integer('a status code', { min: 200, max: 599 })),
  delay: nullable(text('a delay such as 1s500ms', DELAY_PATTERN, { examples: ['3s', '2s800ms~4s600ms'] })),
  copies: nullable(is.COUNT),
  parallel: nullable(boolean),
  when: nullable(enumOf<string>(RESTART_MOMENTS)),
  count: nullable(is.COUNT),
  probability: number('a probability', { above: 0, max: 1 }),
  from: nullable(is.INSTANT),
  until: nullable(is.INSTANT),
  incident: withDoc('The incident that added the fault.', NULLABLE_TEXT),
  seen: is.COUNT,
  fired: is.COUNT,
};

const CALL_FAULT = is.createObjectSchema('A fault that affects an API request.', {
  id: is.UUID,
  action: CALL_ACTION,
  on: literal('call'),
  api: nullable(enumOf<string>(FAULT_APIS)),
  method: nullable(is.TEXT),
  path: nullable(is.TEXT),
  ...COMMON,
});
const DELIVERY_FAULT = is.createObjectSchema('A fault that affects a delivery attempt.', {
  id: is.UUID,
  action: DELIVERY_ACTION,
  on: literal('delivery'),
  event: nullable(is.TEXT),
  endpoint: nullable(is.TEXT),
  attempt: nullable(is.COUNT),
  ...COMMON,
});

/** A fault with its options and counters. */
export const FAULT_VIEW = nameSchema('Fault', unionBy('a fault', 'on', [CALL_FAULT, DELIVERY_FAULT]));

export const FIRED_FAULTS = is.arrayOf(
  is.createObjectSchema('A fault that fired.', {
    id: is.UUID,
    action: enumOf<string>(Object.keys({ ...CALL_FAULTS, ...DELIVERY_FAULTS })),
  }),
);
export type FaultView = Infer<typeof FAULT_VIEW>;

const writeCallFault = createPresenter(CALL_FAULT);
const writeDeliveryFault = createPresenter(DELIVERY_FAULT);

export function presentFault({ match, delayMs, ...fault }: Fault): FaultView {
  const delay = delayMs === null ? null : formatDelay(delayMs);
  if (match.on === 'call') return writeCallFault({ ...fault, ...match }, { delay });
  const endpoint = match.endpointId ?? match.endpointUrl ?? null;
  return writeDeliveryFault({ ...fault, ...match }, { delay, endpoint, event: match.eventType });
}

export const INCIDENT_VIEW = is.createResourceSchema('Incident', 'A built-in or running incident.', {
  name: is.TEXT,
  description: is.TEXT,
  duration: withDoc('The default duration; null unless the incident is built in.', NULLABLE_TEXT),
  running: is.BOOLEAN,
  from: nullable(is.INSTANT),
  until: nullable(is.INSTANT),
  fault_ids: is.arrayOf(is.UUID),
});
export type IncidentView = Infer<typeof INCIDENT_VIEW>;

const writeIncident = createPresenter(INCIDENT_VIEW);

export function presentIncident(name: string, running?: RunningIncident): IncidentView {
  const { faults = [], description = INCIDENTS[name]?.description } = running ?? {};
  const meanings = new Set(faults.map(({ match: { on }, action }) => FAULTS[on][action]?.meaning));
  return writeIncident(
    { name, ...INCIDENTS[name], ...running, description: description ?? [...meanings].join('; ') },
    { running: running !== undefined, fault_ids: faults.map(({ id }) => id) },
  );
}

export const DUE_VIEW = is.createResourceSchema('Due', 'A scheduled item.', {
  at: is.INSTANT,
  kind: enumOf(AGENDA_KINDS),
  id: is.TEXT,
});
export type DueView = Infer<typeof DUE_VIEW>;

export const AGENDA_VIEW = is.createResourceSchema('Agenda', 'Scheduled items, in order.', {
  due: is.arrayOf(
    is.createObjectSchema('A scheduled item with its title.', { ...DUE_VIEW.fields, title: is.TEXT }),
  ),
});
export type AgendaView = Infer<typeof AGENDA_VIEW>;

export const CLOCK_VIEW = is.createResourceSchema(
  'Clock',
  'Sandbox time. Rate 0 means frozen; rate 1 means real time.',
  {
    now: is.INSTANT,
    real_now: is.INSTANT,
    rate: CLOCK_RATE,
    frozen: is.BOOLEAN,
    advancing: is.BOOLEAN,
    next_due: nullable(DUE_VIEW),
  },
);
export type ClockView = Infer<typeof CLOCK_VIEW>;

export function presentClock({ clock, travel, world, realNow }: Sandbox): ClockView {
  const due = peekDue(world);
  return {
    now: formatIsoTime(clock.now()),
    real_now: formatIsoTime(realNow()),
    rate: clock.rate,
    frozen: clock.rate === 0 && !travel.isInProgress,
    advancing: travel.isInProgress,
    next_due: due === undefined ? null : presentDueItem(due),
  };
}

const writeDue = createPresenter(DUE_VIEW);

export function presentDueItem(due: DueItem): DueView {
  return writeDue(due);
}

/** Lists scheduled items in order, omitting outdated items. */
export function presentAgenda({ world }: Sandbox, limit = 20): AgendaView {
  return {
    due: listDueItems(world, limit).map((one) => Object.assign(presentDueItem(one), { title: one.title })),
  };
}

export const SNAPSHOT_VIEW = is.createResourceSchema('Snapshot', 'A snapshot.', {
  name: is.TEXT,
  now: is.INSTANT,
  rate: CLOCK_RATE,
  charges: is.COUNT,
  withdrawals: is.COUNT,
  events: is.COUNT,
  deliveries: is.COUNT,
  sessions: is.COUNT,
});
export type SnapshotView = Infer<typeof SNAPSHOT_VIEW>;

export function presentSnapshot({ name, rate, world }: Snapshot): SnapshotView {
  return {
    name,
    now: formatIsoTime(world.now),
    rate,
    charges: world.charges.length,
    withdrawals: world.withdrawals.length,
    events: world.events.length,
    deliveries: world.deliveries.length,
    sessions: world.sessions.length,
  };
}
