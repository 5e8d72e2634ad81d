import type { ChargeDetail } from '../http/control/payments.js';
import type { Scope } from '../contract/scopes.js';
import type { SessionResult } from '../core/identity/sessions.js';
import type { Metadata } from '../core/world.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import type {
  AccountView,
  AdvancedView,
  AgendaView,
  AppView,
  AppWithSecrets,
  BootstrapView,
  CallDetail,
  CallView,
  CheckReportView,
  ChargeView,
  ClockView,
  ComparedView,
  DeliveryLine,
  DeliveryView,
  EndpointView,
  EventLine,
  EventView,
  FaultView,
  KeptCheckView,
  LedgerView,
  LogEntry,
  NextView,
  PageView,
  PausingView,
  ReceiverView,
  ReplayedCall,
  RegisterLine,
  RetriedView,
  ScenarioLine,
  ScenarioRun,
  SessionView,
  SnapshotView,
  StatusView,
  EntryView,
  TimelineBreakView,
  TimelineView,
  TraceView,
  WithdrawalView,
} from '../http/control/schema.js';
import type { ErrorBody } from '../http/operation/error-body.js';
import type { EnvironmentBlock } from '../http/server/start.js';
import type { StateFile } from '../sandbox/state-file.js';
import type { ReceiverAnswer } from '../sandbox/test-receiver.js';

type Some<Names extends string, Value = string> = { readonly [Name in Names]?: Value | undefined };
type Data<Row> = { readonly data: Row[] };
type EndpointWithSecret = EndpointView & { readonly secret: string };
type WithClock = { readonly clock: ClockView };

type Listed = Some<'app' | 'after' | 'before'> & Some<'limit', string | number>;
type CallQuery = Some<'method' | 'path' | 'door' | 'matched' | 'app' | 'since'> &
  Some<'status', string | number>;
type LogQuery = CallQuery & Some<'source' | 'failed' | 'type' | 'endpoint'>;
type DeliveryQuery = Some<'status' | 'event_type' | 'endpoint' | 'event' | 'app'>;
type NewPayment = Some<'code' | 'account_id' | 'amount'> & Some<'metadata', Metadata>;
/** The fields of a new charge (§4.1); the others get defaults. Amounts are decimal strings such as `10.00`. */
export type NewCharge = NewPayment & Some<'payer_name' | 'payer_document'>;
/** The fields of a new withdrawal (§2.2); the others get defaults. */
export type NewWithdrawal = NewPayment & Some<'pix_key' | 'beneficiary_document' | 'beneficiary_name'>;
/** A further account of an application; without an id, one is drawn. Amounts are decimal strings. */
export type NewAccount = Some<'account_id' | 'opening_balance'>;
/** An application; what is left out is drawn, and `scopes` are all of them. `kyc` goes with a new organization. */
export type NewApp = NewAccount &
  Some<'name' | 'token' | 'signing_secret' | 'organization'> &
  Some<'scopes', readonly Scope[]> &
  Some<'kyc', boolean>;
export type NewFault = { readonly action: string } & Some<
  'on' | 'delay' | 'door' | 'method' | 'path' | 'event' | 'endpoint' | 'code' | 'when'
> &
  Some<'status' | 'copies' | 'probability' | 'count' | 'attempt' | 'resource' | 'nth', number> &
  Some<'parallel', boolean>;
/** The body of a trigger. */
/** An event to trigger, by the transition that announces it. */
export type NewTrigger = { readonly type: string } & Some<
  'charge' | 'withdrawal' | 'reason' | 'app' | 'until' | 'timeout'
> &
  Some<'with' | 'override', object> &
  Some<'late', boolean> &
  Some<'count', number>;
type NewListener = Some<'name' | 'timeout' | 'app' | 'retries' | 'description'> &
  Some<'events', readonly string[]> &
  Some<'fresh', boolean> &
  Some<'faults', readonly NewFault[]> &
  Some<'concurrency', number>;
type ListenerResult = { readonly attempt_id: string } & Some<
  'error' | 'detail' | 'body_error' | 'response_body',
  string | null
> &
  Some<'response_status' | 'latency_ms', number | null> &
  Some<'response_headers', object | null> &
  Some<'truncated', boolean>;

/** The answer of `readyz`; without the control token only whether the sandbox is ready. */
export interface Ready {
  readonly ready: boolean;
  readonly version: string;
  readonly instance_id: string;
}

export interface Reached {
  /** Whether every delivery reached `until` within the time. */
  readonly reached: boolean;
  readonly deliveries: readonly DeliveryLine[];
}

/** The result of a trigger; `reached` is false when the time for `until` ran out. */
export interface Triggered extends Reached {
  readonly events: readonly EventLine[];
}

/** An attempt that met a fault instead of the application. */
export interface SimulatedAttempt {
  readonly action: string;
  readonly attempt: number;
  readonly delivery: DeliveryLine;
}

/** The routes of the control API: the answer of each, and its query or body. */
export interface Routes {
  'GET livez': { answer: { readonly live: true } };
  'GET readyz': { answer: Partial<Ready> | null };
  'GET status': { answer: StatusView };
  'GET bootstrap': { answer: BootstrapView };
  'POST stop': {
    answer: { readonly stopping: true; readonly instance_id: string; readonly pid: number };
  };
  'GET env': { answer: EnvironmentBlock };
  'GET assumptions': { answer: Data<RegisterLine> };
  'GET apps': { answer: Data<AppView> };
  'POST apps': { answer: AppWithSecrets; body: NewApp };
  'POST apps/:id/accounts': { answer: AccountView; body: NewAccount };
  'GET endpoints': { answer: Data<EndpointView>; query: Some<'app'> };
  'POST endpoints': {
    answer: EndpointWithSecret;
    query: Some<'app'>;
    body: { readonly url: string } & Some<'description'> & Some<'events', readonly string[]>;
  };
  'DELETE endpoints/:id': { answer: { readonly deleted: string } };
  'POST endpoints/:id/rotate-secret': { answer: EndpointWithSecret };
  'POST endpoints/:id/disable': { answer: EndpointView };
  'POST endpoints/:id/enable': { answer: EndpointView };
  'GET charges': { answer: PageView<ChargeView>; query: Listed & Some<'status'> };
  'POST charges': { answer: ChargeDetail; query: Some<'app'>; body: NewCharge };
  'GET charges/:id': { answer: ChargeDetail; query: Some<'app'> };
  'POST charges/:id/settle': { answer: ChargeView; query: Some<'app'> };
  'POST charges/:id/fail': { answer: ChargeView; query: Some<'app'>; body: Some<'reason'> };
  'POST charges/:id/expire': { answer: ChargeView; query: Some<'app'> };
  'GET withdrawals': { answer: PageView<WithdrawalView>; query: Listed & Some<'status'> };
  'POST withdrawals': { answer: WithdrawalView; query: Some<'app'>; body: NewWithdrawal };
  'GET withdrawals/:id': { answer: WithdrawalView; query: Some<'app'> };
  'POST withdrawals/:id/process': { answer: WithdrawalView; query: Some<'app'> };
  'POST withdrawals/:id/settle': { answer: WithdrawalView; query: Some<'app'> };
  'POST withdrawals/:id/fail': { answer: WithdrawalView; query: Some<'app'>; body: Some<'reason'> };
  'POST withdrawals/:id/return': { answer: WithdrawalView; query: Some<'app'>; body: Some<'reason'> };
  'GET ledger': {
    answer: LedgerView;
    query: Some<'account' | 'after' | 'before'> & Some<'limit', string | number>;
  };
  'GET events': { answer: PageView<EventLine>; query: Listed & Some<'type'> };
  'GET events/:id': { answer: EventView };
  'GET events/:id/body': { answer: object };
  'POST events/:id/resend': {
    answer: { readonly deliveries: DeliveryLine[] };
    body: Some<'endpoint'>;
  };
  'GET deliveries': { answer: PageView<DeliveryLine>; query: Listed & DeliveryQuery };
  'GET deliveries/wait': {
    answer: { readonly satisfied: boolean; readonly deliveries: DeliveryLine[] };
    query: DeliveryQuery & Some<'timeout'> & Some<'count', string | number>;
  };
  'GET deliveries/:id': { answer: DeliveryView };
  'POST deliveries/:id/retry': { answer: DeliveryLine };
  'POST deliveries/retry': {
    answer: RetriedView;
    body: Some<'status' | 'event_type' | 'endpoint'>;
  };
  'POST deliveries/pause': { answer: PausingView };
  'POST deliveries/resume': { answer: PausingView };
  'POST deliveries/until': { answer: Reached; body: { ids: readonly string[] } & Some<'until' | 'timeout'> };
  'POST trigger': { answer: Triggered; body: NewTrigger };
  'GET agenda': { answer: AgendaView; query: Some<'limit', number> };
  'GET clock': { answer: ClockView };
  'POST clock/advance': { answer: AdvancedView; body: { readonly by: string } };
  'POST clock/next': { answer: NextView };
  'POST clock/freeze': { answer: ClockView; body: Some<'at'> };
  'POST clock/speed': { answer: ClockView; body: { readonly rate: number } };
  'POST clock/reset': { answer: ClockView };
  'GET idle': { answer: { readonly idle: boolean }; query: Some<'timeout'> };
  'GET kyc/sessions': { answer: PageView<SessionView>; query: Listed & Some<'status'> };
  'POST kyc/sessions': { answer: SessionView; query: Some<'app'>; body: Some<'customer_type'> };
  'GET kyc/sessions/:id': { answer: SessionView };
  'GET kyc/sessions/:id/result': { answer: SessionResult };
  'POST kyc/sessions/:id/decide': {
    answer: SessionView;
    body: Some<'status' | 'document' | 'delay' | 'error'>;
  };
  'GET state': { answer: StateFile };
  'PUT state': { answer: WithClock; body: object };
  'GET state/snapshots': { answer: Data<SnapshotView> };
  'POST state/snapshots': { answer: SnapshotView; body: { readonly name: string } };
  'POST state/compare': { answer: ComparedView; body: { readonly from: string } & Some<'to'> };
  'POST state/snapshots/:name/restore': { answer: WithClock & { readonly restored: string } };
  'DELETE state/snapshots/:name': { answer: { readonly dropped: string } };
  'POST reset': { answer: WithClock };
  'GET faults': { answer: Data<FaultView> };
  'POST faults': { answer: FaultView; body: NewFault };
  'DELETE faults': { answer: { readonly removed: number } };
  'DELETE faults/:id': { answer: { readonly removed: number } };
  'GET calls': { answer: Data<CallView>; query: CallQuery };
  'GET calls/:id': { answer: CallDetail };
  'POST calls/:id/replay': { answer: ReplayedCall; body: Some<'body' | 'app'> & Some<'new_code', boolean> };
  'DELETE calls': { answer: object };
  'GET logs': { answer: Data<LogEntry>; query: LogQuery & Some<'limit', string | number> };
  'GET timeline': {
    answer: TimelineView;
    query: Some<'q'> & Some<'after' | 'before' | 'limit', string | number>;
  };
  'GET trace/:id': { answer: TraceView };
  'GET receiver': { answer: ReceiverView };
  'POST receiver': { answer: ReceiverView; body: Some<'answer', ReceiverAnswer | null> };
  'DELETE receiver': { answer: { readonly held: number } };
  'GET check': { answer: KeptCheckView };
  'PUT check': { answer: KeptCheckView; body: CheckReportView };
  'POST uses': { answer: { used_by: string }; body: { command: string } };
  'GET scenarios': { answer: Data<ScenarioLine> };
  'POST scenarios/run': {
    answer: ScenarioRun;
    body: Some<'name'> & Some<'scenario', object> & Some<'fresh', boolean>;
  };
  'POST scenarios/record': { answer: object; body: Some<'name'> };
  'POST listeners/:id/leave': { answer: { readonly held: number } };
  'POST listeners/:id/results': {
    answer: { readonly delivery: DeliveryLine | null };
    body: ListenerResult;
  };
}

/** How many deliveries were held for a listener that has returned: those that go on, and those that failed (`fresh`). */
export interface HeldCounts {
  readonly released: number;
  readonly failed: number;
}

/** A resumed stream cannot go on where it was cut: older entries are gone, or the sandbox was started again. */
interface StreamBreak {
  readonly type: 'gap' | 'restarted';
  readonly title: string;
}

/** The routes that answer a stream, by the type of its messages. */
export interface Streams {
  'GET stream/calls': {
    answer: { readonly type: 'ready' } | { readonly type: 'call'; readonly call: CallView } | StreamBreak;
    query: CallQuery;
  };
  'GET stream/timeline': {
    answer:
      | EntryView
      | TimelineBreakView
      | { readonly type: 'ready'; readonly run: string; readonly newest: number };
    query: Some<'q' | 'lastEventId'> & Some<'after', string | number>;
  };
  'GET stream/logs': {
    answer: LogEntry | { readonly type: 'ready' } | { readonly type: 'reset' } | StreamBreak;
    query: LogQuery;
  };
  'POST clock/advance': {
    answer:
      | ({ readonly type: 'step' } & NonNullable<NextView['did']>)
      | ({ readonly type: 'done' } & AdvancedView)
      | ({ readonly type: 'error' } & ErrorBody);
    body: { readonly by: string };
  };
  'POST listeners': {
    answer:
      | ({ readonly type: 'ready'; readonly listener: EndpointView; readonly secret: string } & HeldCounts)
      | ({ readonly type: 'attempt' } & ListenerAttempt)
      | ({ readonly type: 'simulated' } & SimulatedAttempt);
    body: NewListener;
  };
}
