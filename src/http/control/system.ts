import * as is from '../../core/resources/values.js';
import { listRunningIncidents } from '../../core/webhooks/incidents.js';
import { listAssumptions, type AssumptionLine, type ObservedAssumption } from '../../contract/assumptions.js';
import { formatDelay } from '../../contract/delay.js';
import { RUNNER_COMMANDS } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { formatRateLimit } from '../../contract/rate-limit.js';
import { Refusal } from '../../contract/refusals.js';
import { formatIsoTime } from '../../contract/time.js';
import {
  CHARGE_STATUSES,
  DELIVERY_STATUSES,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import { shortenSessionIdsOf } from '../../core/identity/session.js';
import { paginate } from '../../core/page.js';
import type { Table } from '../../core/table.js';
import type { EnvironmentBlock } from '../../sandbox/credentials.js';
import type { PersistenceState } from '../../sandbox/persistence.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { array, record } from '../../schema/compound.js';
import { nullable, nullish, optional } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import { literal, withDoc, number, enumOf } from '../../schema/values.js';
import { presentPageView } from '../shared/response.js';
import { DELIVERY_LIST_KEY } from './deliveries.js';
import { DELIVERY_LINE, presentDeliveryLine } from './exchanges.js';
import { defineGet, createListKey, definePost, definePut } from './route.js';
import * as view from './schema.js';
import { TIMELINE_VIEW, presentTimeline } from './timeline.js';
import type { ScenarioSource } from './world.js';

const COUNTS = record(is.COUNT);

export const STATUS_VIEW = is.createResourceSchema('Status', 'The sandbox status.', {
  version: is.TEXT,
  instance_id: is.UUID,
  pid: is.COUNT,
  url: is.ADDRESS,
  started_at: is.INSTANT,
  data: nullable(
    is.createObjectSchema(
      'The data directory, the current save failure, and the last resolved save failure.',
      { directory: is.TEXT, failure: nullable(is.TEXT), recovery: nullable(is.TEXT) },
    ),
  ),
  settings: withDoc('Settings of the world other than the defaults, as texts.', record(is.TEXT)),
  idle: is.BOOLEAN,
  clock: view.CLOCK_VIEW,
  attempts_in_flight: is.COUNT,
  charges: COUNTS,
  withdrawals: COUNTS,
  events: is.COUNT,
  deliveries: COUNTS,
  retention: is.createObjectSchema(
    'The retention limit for finished deliveries, and the number of dropped rows.',
    {
      keep: is.COUNT,
      dropped_deliveries: is.COUNT,
      dropped_events: is.COUNT,
    },
  ),
  deliveries_paused: is.BOOLEAN,
  faults: is.COUNT,
  incidents: withDoc('Names of the running incidents.', is.arrayOf(is.TEXT)),
  sessions: COUNTS,
  endpoints: is.arrayOf(view.ENDPOINT_VIEW),
  calls: is.COUNT,
  accounts: is.arrayOf(view.ACCOUNT_VIEW),
});
export type StatusView = Infer<typeof STATUS_VIEW>;

export const ASSUMPTION_VIEW = is.createResourceSchema(
  'Assumption',
  'An assumption about a detail that the contract leaves open.',
  {
    id: is.TEXT,
    section: is.TEXT,
    question: is.TEXT,
    value: is.TEXT,
    default: is.TEXT,
    choices: nullable(is.TEXT),
    reason: is.TEXT,
    observed: withDoc(
      'The result of a parity probe, from the parity.json file.',
      nullable(
        is.createObjectSchema('An observation.', {
          on: is.TEXT,
          value: nullable(is.TEXT),
          matches: is.BOOLEAN,
        }),
      ),
    ),
  },
) satisfies Schema<AssumptionLine>;

const { token: _token, ...APP_FIELDS } = view.APP_VIEW.fields;

export const BOOTSTRAP_VIEW = is.createResourceSchema(
  'Bootstrap',
  'Initial data for a page, all from the same instant.',
  {
    version: is.TEXT,
    run: withDoc('The id of this process; timeline numbers are valid only within this process.', is.TEXT),
    seq: withDoc('The timeline number to resume from.', is.COUNT),
    status: withDoc('Includes the clock, accounts, endpoints and listeners.', STATUS_VIEW),
    apps: is.arrayOf(is.createObjectSchema('An application without its token.', APP_FIELDS)),
    faults: is.arrayOf(view.FAULT_VIEW),
    snapshots: is.arrayOf(view.SNAPSHOT_VIEW),
    charges: is.createPageSchema(view.CHARGE_VIEW),
    withdrawals: is.createPageSchema(view.WITHDRAWAL_VIEW),
    sessions: is.createObjectSchema('The first page of sessions.', {
      data: is.arrayOf(view.SESSION_LINE),
      paging: is.PAGING,
    }),
    deliveries: is.createPageSchema(DELIVERY_LINE),
    agenda: view.AGENDA_VIEW,
    timeline: TIMELINE_VIEW,
  },
);
type BootstrapView = Infer<typeof BOOTSTRAP_VIEW>;

const UNFILTERED = { status: undefined, app: undefined };

function bootstrapView(sandbox: Sandbox, facts: ServerFacts): BootstrapView {
  const { world, timeline } = sandbox;
  const firstPage = <Row extends { readonly ordinal: number }, View>(
    path: string,
    { rows }: Table<Row>,
    present: (row: Row) => View,
    key = createListKey(path, UNFILTERED),
  ) => presentPageView(paginate(world, rows, key, {}), present);
  return {
    version: facts.version,
    run: timeline.run,
    seq: timeline.ring.newest,
    status: presentStatus(sandbox, facts),
    apps: world.apps.rows.map((app) => {
      const { token: _token, ...shown } = view.presentApp(world, app);
      return shown;
    }),
    faults: Array.from(world.faults.values(), view.presentFault),
    snapshots: sandbox.snapshots.list().map(view.presentSnapshot),
    charges: firstPage('charges', world.charges, (charge) => view.presentChargeView(charge)),
    withdrawals: firstPage('withdrawals', world.withdrawals, view.presentWithdrawalView),
    sessions: firstPage('kyc/sessions', world.sessions, (session) =>
      view.presentSessionLine(sandbox, session),
    ),
    deliveries: firstPage(
      'deliveries',
      world.deliveries,
      (delivery) => presentDeliveryLine(sandbox, delivery),
      DELIVERY_LIST_KEY,
    ),
    agenda: view.presentAgenda(sandbox),
    timeline: presentTimeline(sandbox),
  };
}

export interface ServerFacts {
  readonly instanceId: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  /** The sandbox's origin. */
  readonly url: () => string;
  /** Set if other machines can reach the sandbox; payment page URLs then contain a token. */
  readonly isExposed?: boolean;
  /** Environment variables for applications under test. */
  readonly env: () => EnvironmentBlock;
  /** Data directory state, or null if no data directory is configured. */
  readonly data?: () => PersistenceState | null;
  /** Stops the process; absent if requests must not stop it. */
  readonly onStop?: (() => void) | undefined;
  /** Observations of a parity probe, by assumption. */
  readonly observations?: (() => Promise<Readonly<Record<string, ObservedAssumption>>>) | undefined;
  /** Absent if scenarios are not supported. */
  readonly scenarios?: ScenarioSource | undefined;
}

const ENVIRONMENT = record(is.TEXT) as Schema<EnvironmentBlock, unknown>;

/** Counts rows by status in contract order, omitting unused statuses. */
function countsOf(statuses: readonly string[], { counts }: Table<unknown>): Record<string, number> {
  const found = statuses.map((status) => [status, counts.get(status) ?? 0] as const);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

/** Formats the settings other than the defaults, by their key in the settings file. */
function presentSettings({ world, epoch: { limiters } }: Sandbox): Record<string, string> {
  const { autoSettleMs, kycEnabled, kycAuto, keepDeliveries } = world;
  const limits = { rateLimit: limiters.api.limit, kycRateLimit: limiters.identity.limit };
  return {
    ...(autoSettleMs !== null && { autoSettle: formatDelay(autoSettleMs) }),
    ...(!kycEnabled && { kyc: 'off' }),
    ...(kycAuto !== null && { kycAuto: kycAuto.status, kycDelay: formatDelay(kycAuto.delayMs) }),
    ...Object.fromEntries(
      Object.entries(limits).flatMap(([key, limit]) => (limit ? [[key, formatRateLimit(limit)]] : [])),
    ),
    ...(keepDeliveries !== LIMITS.deliveriesKept && { keepDeliveries: String(keepDeliveries) }),
  };
}

function presentStatus(sandbox: Sandbox, facts: ServerFacts): StatusView {
  const { world } = sandbox;
  return {
    version: facts.version,
    instance_id: facts.instanceId,
    pid: facts.pid,
    url: facts.url(),
    started_at: formatIsoTime(facts.startedAt),
    data: facts.data?.() ?? null,
    settings: presentSettings(sandbox),
    idle: sandbox.isIdle(),
    clock: view.presentClock(sandbox),
    attempts_in_flight: sandbox.epoch.openAttempts,
    charges: countsOf(CHARGE_STATUSES, world.charges),
    withdrawals: countsOf(WITHDRAWAL_STATUSES, world.withdrawals),
    events: world.events.rows.length,
    deliveries: countsOf(DELIVERY_STATUSES, world.deliveries),
    retention: {
      keep: world.keepDeliveries,
      dropped_deliveries: world.deliveryCount - world.deliveries.rows.length,
      dropped_events: world.eventCount - world.events.rows.length,
    },
    deliveries_paused: world.deliveriesPaused,
    faults: world.faults.size,
    incidents: listRunningIncidents(world).map(({ name }) => name),
    sessions: countsOf(SESSION_STATUSES, world.sessions),
    endpoints: [...world.endpoints.values()].map(view.presentEndpointView),
    calls: sandbox.calls.count,
    accounts: Array.from(world.accounts.values(), view.presentAccount),
  };
}

const LEVEL = enumOf(['must', 'should']);
const RESULT = is.createObjectSchema('The result of one check.', {
  id: is.TEXT,
  level: LEVEL,
  verdict: enumOf(['pass', 'fail', 'warn', 'unknown', 'gated']),
  applies: withDoc(
    'True if all inputs required by the check were provided; otherwise the check is not counted.',
    is.BOOLEAN,
  ),
  clause: is.TEXT,
  link: withDoc('The contract section.', is.TEXT),
  sent: is.TEXT,
  got: is.TEXT,
  expected: is.TEXT,
  likely: is.TEXT,
  fix: is.TEXT,
  duration_ms: number('milliseconds', { min: 0 }),
  known: withDoc('True if the baseline contains this result.', is.BOOLEAN),
  reason: withDoc('The reason for an unknown or gated verdict; otherwise null.', nullish(is.TEXT, null)),
  gated_by: withDoc('The failed check that gates this check, or null.', nullish(is.TEXT, null)),
});
export type CheckResultView = Infer<typeof RESULT>;

const REPORT_FIELDS = {
  target: is.TEXT,
  headline: withDoc('The result in one line.', is.TEXT),
  scope: withDoc(
    'Signatures and transport only (wire), or also event effects (effects).',
    enumOf(['wire', 'effects']),
  ),
  summary: is.createObjectSchema('Number of applicable checks by verdict.', {
    pass: is.COUNT,
    fail: is.COUNT,
    warn: is.COUNT,
    unknown: is.COUNT,
    gated: is.COUNT,
  }),
  ok: is.BOOLEAN,
  complete: withDoc('True if every applicable `must` check was observed.', is.BOOLEAN),
  budget_spent: is.BOOLEAN,
  notes: is.arrayOf(is.TEXT),
  duration_ms: number('milliseconds', { min: 0 }),
  checks: is.arrayOf(RESULT),
  not_observed: is.arrayOf(
    is.createObjectSchema('A check that could not be observed.', {
      id: is.TEXT,
      level: LEVEL,
      reason: nullish(is.TEXT, null),
    }),
  ),
  again: withDoc(
    'The command that repeats the run, without secrets; null for a library run.',
    nullish(is.TEXT, null),
  ),
};
const REPORT = is.createObjectSchema('A `check` report on a webhook receiver.', REPORT_FIELDS);
export type CheckReportView = Infer<typeof REPORT>;

export const STORED_CHECK = is.createResourceSchema(
  'KeptCheck',
  'The newest `check` report; null before the first run.',
  {
    report: nullable(REPORT),
    received_at: nullable(is.INSTANT),
  },
);
type StoredCheckView = Infer<typeof STORED_CHECK>;

const NONE: StoredCheckView = { report: null, received_at: null };
/** Reports are stored outside the world, so that state exports omit reports and resets do not clear them. */
const STORED = new WeakMap<Sandbox, StoredCheckView>();

export const createSystemRoutes = (facts: ServerFacts) => [
  defineGet('livez', 'Check that the sandbox is alive.', { live: literal(true) })(() => ({
    live: true as const,
  })),
  defineGet(
    'readyz',
    'Check readiness and identify the instance.',
    { ready: literal(true), version: optional(is.TEXT), instance_id: optional(is.UUID) },
    {
      description: 'If a control token is required, a request without it gets only `ready`.',
    },
  )(() => ({ ready: true as const, version: facts.version, instance_id: facts.instanceId })),
  defineGet('status', 'Get the sandbox status.', STATUS_VIEW)(({ sandbox }) => presentStatus(sandbox, facts)),
  // Read synchronously, so that all data is from the same instant.
  defineGet('bootstrap', 'Get the initial data for a page, without secrets.', BOOTSTRAP_VIEW, {
    description:
      'All data is from the same instant, so `stream/timeline` with `after` set to `seq` continues without ' +
      'a gap. A different `run` means another process. Tokens are omitted, session ids are shortened, and ' +
      'secrets in texts are redacted.',
  })(({ sandbox }) => {
    const json = JSON.stringify(bootstrapView(sandbox, facts));
    // Codes, names and descriptions may contain secrets.
    return JSON.parse(sandbox.secrets.hide(shortenSessionIdsOf(json))) as BootstrapView;
  }),
  definePost(
    'stop',
    'Stop the sandbox as SIGTERM does: open attempts finish and the state is saved.',
    { stopping: literal(true), instance_id: is.UUID, pid: is.COUNT },
    { status: 202, errors: ['NOT_STOPPABLE'] },
  )(() => {
    const { instanceId, pid, onStop } = facts;
    if (onStop === undefined) {
      const message = 'This sandbox can be stopped only by the command or program that created it.';
      const hint = 'Stop that command, or call `sandbox.close()` in that program.';
      throw new Refusal('NOT_STOPPABLE', message, { hint });
    }
    onStop();
    return { stopping: true as const, instance_id: instanceId, pid };
  }),
  defineGet('env', 'Get the environment block, including its secrets.', ENVIRONMENT)(() => facts.env()),
  defineGet('assumptions', 'List assumptions about details that the contract leaves open.', {
    data: array(ASSUMPTION_VIEW),
  })(async ({ sandbox }) => ({
    data: listAssumptions(sandbox.world.assumed, await facts.observations?.()),
  })),
  definePost(
    'uses',
    'Register a command that uses the sandbox without API requests or deliveries.',
    { used_by: enumOf(RUNNER_COMMANDS) },
    {
      body: { command: enumOf(RUNNER_COMMANDS) },
      description: '`exec` warns if nothing used the sandbox.',
    },
  )(({ sandbox, body: { command } }) => {
    sandbox.note({ kind: 'command', id: null, title: `used by ${command}`, facts: { command } });
    return { used_by: command };
  }),
];

export const CHECK_ROUTES = [
  defineGet(
    'check',
    'Get the newest `check` report.',
    STORED_CHECK,
  )(({ sandbox }) => STORED.get(sandbox) ?? NONE),
  definePut(
    'check',
    'Store a `check` report for the console until the next report or until the sandbox stops.',
    STORED_CHECK,
    { body: REPORT_FIELDS },
  )(({ sandbox, body: report }) => {
    const stored = { report, received_at: formatIsoTime(sandbox.realNow()) };
    STORED.set(sandbox, stored);
    const title = `check of ${report.target}: ${report.headline}`;
    sandbox.note({ kind: 'command', id: null, title, facts: { command: 'check' } });
    return stored;
  }),
];
