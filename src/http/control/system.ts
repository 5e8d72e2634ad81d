import * as is from '../../core/resources/values.js';
import { listAssumptions, type AssumptionLine } from '../../contract/assumptions.js';
import { RUNNER_COMMANDS } from '../../contract/enums.js';
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
import { get, createListKey, post, put } from './route.js';
import * as view from './schema.js';
import { TIMELINE_VIEW, presentTimeline } from './timeline.js';
import type { ScenarioSource } from './world.js';

const COUNTS = record(is.COUNT);

export const STATUS_VIEW = is.resourceSchema('Status', 'The status of the sandbox.', {
  version: is.TEXT,
  instance_id: is.UUID,
  pid: is.COUNT,
  url: is.ADDRESS,
  started_at: is.INSTANT,
  data: nullable(
    is.objectSchema(
      'The data directory, why changes are not saved there now, and the last failure after which they are saved again.',
      { directory: is.TEXT, failure: nullable(is.TEXT), recovery: nullable(is.TEXT) },
    ),
  ),
  idle: is.BOOLEAN,
  clock: view.CLOCK_VIEW,
  attempts_in_flight: is.COUNT,
  charges: COUNTS,
  withdrawals: COUNTS,
  events: is.COUNT,
  deliveries: COUNTS,
  retention: is.objectSchema('Number of finished deliveries to keep, and the dropped rows.', {
    keep: is.COUNT,
    dropped_deliveries: is.COUNT,
    dropped_events: is.COUNT,
  }),
  deliveries_paused: is.BOOLEAN,
  sessions: COUNTS,
  endpoints: is.arrayOf(view.ENDPOINT_VIEW),
  calls: is.COUNT,
  accounts: is.arrayOf(view.ACCOUNT_VIEW),
});
export type StatusView = Infer<typeof STATUS_VIEW>;

export const ASSUMPTION_VIEW = is.resourceSchema(
  'Assumption',
  'An open question of the contract, and our assumption.',
  {
    id: is.TEXT,
    section: is.TEXT,
    question: is.TEXT,
    value: is.TEXT,
    default: is.TEXT,
    choices: nullable(is.TEXT),
    reason: is.TEXT,
  },
) satisfies Schema<AssumptionLine>;

const { token: _token, ...APP_FIELDS } = view.APP_VIEW.fields;

export const BOOTSTRAP_VIEW = is.resourceSchema('Bootstrap', 'Consistent data for the start of a page.', {
  version: is.TEXT,
  run: withDoc('Names this process; numbers of the timeline belong to it.', is.TEXT),
  seq: withDoc('The number of the timeline at which to go on.', is.COUNT),
  status: withDoc('With the clock, the accounts, and all endpoints and listeners.', STATUS_VIEW),
  apps: is.arrayOf(is.objectSchema('An application, without its token.', APP_FIELDS)),
  faults: is.arrayOf(view.FAULT_VIEW),
  snapshots: is.arrayOf(view.SNAPSHOT_VIEW),
  charges: is.pageSchema(view.CHARGE_VIEW),
  withdrawals: is.pageSchema(view.WITHDRAWAL_VIEW),
  sessions: is.objectSchema('The first page of sessions.', {
    data: is.arrayOf(view.SESSION_LINE),
    paging: is.PAGING,
  }),
  deliveries: is.pageSchema(DELIVERY_LINE),
  agenda: view.AGENDA_VIEW,
  timeline: TIMELINE_VIEW,
});
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
  /** The origin of the sandbox. */
  readonly url: () => string;
  /** True if other machines reach it: then the URL of a payment page contains a token. */
  readonly isExposed?: boolean;
  /** The environment block: what an application needs to use this sandbox. */
  readonly env: () => EnvironmentBlock;
  /** The data directory, and why it can no longer be written; null without one. */
  readonly data?: () => PersistenceState | null;
  /** Asks the process to stop; absent if no request may end the process. */
  readonly onStop?: (() => void) | undefined;
  /** Absent where scenarios cannot be run. */
  readonly scenarios?: ScenarioSource | undefined;
}

const ENVIRONMENT = record(is.TEXT) as Schema<EnvironmentBlock, unknown>;

/** Counts in the order of the contract, without unused statuses. */
function countsOf(statuses: readonly string[], { counts }: Table<unknown>): Record<string, number> {
  const found = statuses.map((status) => [status, counts.get(status) ?? 0] as const);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
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
    sessions: countsOf(SESSION_STATUSES, world.sessions),
    endpoints: [...world.endpoints.values()].map(view.presentEndpointView),
    calls: sandbox.calls.count,
    accounts: Array.from(world.accounts.values(), view.presentAccount),
  };
}

const LEVEL = enumOf(['must', 'should']);
const RESULT = is.objectSchema('The result of one check.', {
  id: is.TEXT,
  level: LEVEL,
  verdict: enumOf(['pass', 'fail', 'warn', 'unknown', 'gated']),
  applies: withDoc('True if all its inputs were provided; otherwise it counts nowhere.', is.BOOLEAN),
  clause: is.TEXT,
  link: withDoc('Section of the contract.', is.TEXT),
  sent: is.TEXT,
  got: is.TEXT,
  expected: is.TEXT,
  likely: is.TEXT,
  fix: is.TEXT,
  duration_ms: number('milliseconds', { min: 0 }),
  known: withDoc('True if the baseline contains it.', is.BOOLEAN),
  reason: withDoc('Reason for unknown or gated; null otherwise.', nullish(is.TEXT, null)),
  gated_by: withDoc('The failed check that gates it, or null.', nullish(is.TEXT, null)),
});
export type CheckResultView = Infer<typeof RESULT>;

const REPORT_FIELDS = {
  target: is.TEXT,
  headline: withDoc('The result in one line.', is.TEXT),
  scope: withDoc(
    'Signatures and transport only (wire), or also what events change.',
    enumOf(['wire', 'effects']),
  ),
  summary: is.objectSchema('Number of applicable checks by verdict.', {
    pass: is.COUNT,
    fail: is.COUNT,
    warn: is.COUNT,
    unknown: is.COUNT,
    gated: is.COUNT,
  }),
  ok: is.BOOLEAN,
  complete: withDoc('True if every applicable must was observed.', is.BOOLEAN),
  budget_spent: is.BOOLEAN,
  notes: is.arrayOf(is.TEXT),
  duration_ms: number('milliseconds', { min: 0 }),
  checks: is.arrayOf(RESULT),
  not_observed: is.arrayOf(
    is.objectSchema('A check without an observation.', {
      id: is.TEXT,
      level: LEVEL,
      reason: nullish(is.TEXT, null),
    }),
  ),
  again: withDoc(
    'The command of the run, without secrets; null for one of the library.',
    nullish(is.TEXT, null),
  ),
};
const REPORT = is.objectSchema('A report of `check` on a webhook receiver.', REPORT_FIELDS);
export type CheckReportView = Infer<typeof REPORT>;

export const STORED_CHECK = is.resourceSchema(
  'KeptCheck',
  'The newest report of `check`; null before the first.',
  {
    report: nullable(REPORT),
    received_at: nullable(is.INSTANT),
  },
);
type StoredCheckView = Infer<typeof STORED_CHECK>;

const NONE: StoredCheckView = { report: null, received_at: null };
/** Outside the world: a report is not about the sandbox, so no state contains it and no reset clears it. */
const STORED = new WeakMap<Sandbox, StoredCheckView>();

export const createSystemRoutes = (facts: ServerFacts) => [
  get('livez', 'Check that the sandbox is alive.', { live: literal(true) })(() => ({
    live: true as const,
  })),
  get(
    'readyz',
    'Check readiness, and identify the instance.',
    { ready: literal(true), version: optional(is.TEXT), instance_id: optional(is.UUID) },
    {
      description: 'If a control token is required, a request without it only gets the readiness.',
    },
  )(() => ({ ready: true as const, version: facts.version, instance_id: facts.instanceId })),
  get(
    'status',
    'Get the status of the sandbox.',
    STATUS_VIEW,
  )(({ sandbox }) => presentStatus(sandbox, facts)),
  // Read without a pause in between, so that all of it is of one instant.
  get('bootstrap', 'Get what a page needs to start, without secrets.', BOOTSTRAP_VIEW, {
    description:
      'One instant as a whole: `stream/timeline` with `after` at `seq` continues without a gap. A `run` ' +
      'that differs means another process. Tokens are left out, ids of sessions are shortened, and ' +
      'secrets in texts are hidden.',
  })(({ sandbox }) => {
    const json = JSON.stringify(bootstrapView(sandbox, facts));
    // Users may have put a secret into a code, a name or a description.
    return JSON.parse(sandbox.secrets.hide(shortenSessionIdsOf(json))) as BootstrapView;
  }),
  post(
    'stop',
    'Stop the sandbox, as SIGTERM does: open attempts finish, and the state is saved.',
    { stopping: literal(true), instance_id: is.UUID, pid: is.COUNT },
    { status: 202, errors: ['NOT_STOPPABLE'] },
  )(() => {
    const { instanceId, pid, onStop } = facts;
    if (onStop === undefined) {
      const message = 'This sandbox ends with the command or the program that created it.';
      const hint = 'End that command, or call `sandbox.close()` in that program.';
      throw new Refusal('NOT_STOPPABLE', message, { hint });
    }
    onStop();
    return { stopping: true as const, instance_id: instanceId, pid };
  }),
  get('env', 'Get the environment block, with its secrets.', ENVIRONMENT)(() => facts.env()),
  get('assumptions', 'List what the contract leaves open.', { data: array(ASSUMPTION_VIEW) })(
    ({ sandbox }) => ({
      data: listAssumptions(sandbox.world.assumed),
    }),
  ),
  post(
    'uses',
    'Register a command that uses the sandbox without an API request or a delivery.',
    { used_by: enumOf(RUNNER_COMMANDS) },
    {
      body: { command: enumOf(RUNNER_COMMANDS) },
      description: '`exec` warns of a sandbox that nothing used.',
    },
  )(({ sandbox, body: { command } }) => {
    sandbox.note({ kind: 'command', id: null, title: `used by ${command}`, facts: { command } });
    return { used_by: command };
  }),
];

export const CHECK_ROUTES = [
  get(
    'check',
    'Get the newest report of `check`.',
    STORED_CHECK,
  )(({ sandbox }) => STORED.get(sandbox) ?? NONE),
  put(
    'check',
    'Keep a report of `check` for the console: only the newest, until the sandbox stops.',
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
