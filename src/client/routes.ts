import type { Scope } from '../contract/enums.js';
import type { SessionResult } from '../core/identity/sessions.js';
import type { Metadata } from '../core/world.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import type * as view from '../http/control/schema.js';
import type { ErrorBody } from '../http/operation/error-body.js';
import type { EnvironmentBlock } from '../http/server/start.js';
import type { StateFile } from '../sandbox/state-file.js';
import type { ReceiverAnswer } from '../sandbox/test-receiver.js';

type Some<Names extends string, Value = string> = { readonly [Name in Names]?: Value | undefined };
type Data<Row> = { readonly data: Row[] };
type EndpointWithSecret = view.EndpointView & { readonly secret: string };
type WithClock = { readonly clock: view.ClockView };

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
  readonly deliveries: readonly view.DeliveryLine[];
}

/** The result of a trigger; `reached` is false when the time for `until` ran out. */
export interface Triggered extends Reached {
  readonly events: readonly view.EventLine[];
}

/** An attempt that met a fault instead of the application. */
export interface SimulatedAttempt {
  readonly action: string;
  readonly attempt: number;
  readonly delivery: view.DeliveryLine;
}

/** The routes of the control API: the answer of each, and its query or body. */
export interface Routes {
  'GET livez': { answer: { readonly live: true } };
  'GET readyz': { answer: Partial<Ready> | null };
  'GET status': { answer: view.StatusView };
  'GET bootstrap': { answer: view.BootstrapView };
  'POST stop': { answer: { readonly stopping: true; readonly instance_id: string; readonly pid: number } };
  'GET env': { answer: EnvironmentBlock };
  'GET assumptions': { answer: Data<view.RegisterLine> };
  'GET apps': { answer: Data<view.AppView> };
  'POST apps': { answer: view.AppWithSecrets; body: NewApp };
  'POST apps/:id/accounts': { answer: view.AccountView; body: NewAccount };
  'GET endpoints': { answer: Data<view.EndpointView>; query: Some<'app'> };
  'POST endpoints': {
    answer: EndpointWithSecret;
    query: Some<'app'>;
    body: { readonly url: string } & Some<'description'> & Some<'events', readonly string[]>;
  };
  'DELETE endpoints/:id': { answer: { readonly deleted: string } };
  'POST endpoints/:id/rotate-secret': { answer: EndpointWithSecret };
  'POST endpoints/:id/disable': { answer: view.EndpointView };
  'POST endpoints/:id/enable': { answer: view.EndpointView };
  'GET charges': { answer: view.PageView<view.ChargeView>; query: Listed & Some<'status'> };
  'POST charges': { answer: view.ChargeDetail; query: Some<'app'>; body: NewCharge };
  'GET charges/:id': { answer: view.ChargeDetail; query: Some<'app'> };
  'POST charges/:id/settle': { answer: view.ChargeView; query: Some<'app'> };
  'POST charges/:id/fail': { answer: view.ChargeView; query: Some<'app'>; body: Some<'reason'> };
  'POST charges/:id/expire': { answer: view.ChargeView; query: Some<'app'> };
  'GET withdrawals': { answer: view.PageView<view.WithdrawalView>; query: Listed & Some<'status'> };
  'POST withdrawals': { answer: view.WithdrawalView; query: Some<'app'>; body: NewWithdrawal };
  'GET withdrawals/:id': { answer: view.WithdrawalView; query: Some<'app'> };
  'POST withdrawals/:id/process': { answer: view.WithdrawalView; query: Some<'app'> };
  'POST withdrawals/:id/settle': { answer: view.WithdrawalView; query: Some<'app'> };
  'POST withdrawals/:id/fail': { answer: view.WithdrawalView; query: Some<'app'>; body: Some<'reason'> };
  'POST withdrawals/:id/return': { answer: view.WithdrawalView; query: Some<'app'>; body: Some<'reason'> };
  'GET ledger': {
    answer: view.LedgerView;
    query: Some<'account' | 'after' | 'before'> & Some<'limit', string | number>;
  };
  'GET events': { answer: view.PageView<view.EventLine>; query: Listed & Some<'type'> };
  'GET events/:id': { answer: view.EventView };
  'GET events/:id/body': { answer: object };
  'POST events/:id/resend': { answer: { readonly deliveries: view.DeliveryLine[] }; body: Some<'endpoint'> };
  'GET deliveries': { answer: view.PageView<view.DeliveryLine>; query: Listed & DeliveryQuery };
  'GET deliveries/wait': {
    answer: { readonly satisfied: boolean; readonly deliveries: view.DeliveryLine[] };
    query: DeliveryQuery & Some<'timeout'> & Some<'count', string | number>;
  };
  'GET deliveries/:id': { answer: view.DeliveryView };
  'POST deliveries/:id/retry': { answer: view.DeliveryLine };
  'POST deliveries/retry': { answer: view.RetriedView; body: Some<'status' | 'event_type' | 'endpoint'> };
  'POST deliveries/pause': { answer: view.PausingView };
  'POST deliveries/resume': { answer: view.PausingView };
  'POST deliveries/until': { answer: Reached; body: { ids: readonly string[] } & Some<'until' | 'timeout'> };
  'POST trigger': { answer: Triggered; body: NewTrigger };
  'GET agenda': { answer: view.AgendaView; query: Some<'limit', number> };
  'GET clock': { answer: view.ClockView };
  'POST clock/advance': { answer: view.AdvancedView; body: { readonly by: string } };
  'POST clock/next': { answer: view.NextView };
  'POST clock/freeze': { answer: view.ClockView; body: Some<'at'> };
  'POST clock/speed': { answer: view.ClockView; body: { readonly rate: number } };
  'POST clock/reset': { answer: view.ClockView };
  'GET idle': { answer: { readonly idle: boolean }; query: Some<'timeout'> };
  'GET kyc/sessions': { answer: view.PageView<view.SessionView>; query: Listed & Some<'status'> };
  'POST kyc/sessions': { answer: view.SessionView; query: Some<'app'>; body: Some<'customer_type'> };
  'GET kyc/sessions/:id': { answer: view.SessionView };
  'GET kyc/sessions/:id/result': { answer: SessionResult };
  'POST kyc/sessions/:id/decide': {
    answer: view.SessionView;
    body: Some<'status' | 'document' | 'delay' | 'error'>;
  };
  'GET state': { answer: StateFile };
  'PUT state': { answer: WithClock; body: object };
  'GET state/snapshots': { answer: Data<view.SnapshotView> };
  'POST state/snapshots': { answer: view.SnapshotView; body: { readonly name: string } };
  'POST state/compare': { answer: view.ComparedView; body: { readonly from: string } & Some<'to'> };
  'POST state/snapshots/:name/restore': { answer: WithClock & { readonly restored: string } };
  'DELETE state/snapshots/:name': { answer: { readonly dropped: string } };
  'POST reset': { answer: WithClock };
  'GET faults': { answer: Data<view.FaultView> };
  'POST faults': { answer: view.FaultView; body: NewFault };
  'DELETE faults': { answer: { readonly removed: number } };
  'DELETE faults/:id': { answer: { readonly removed: number } };
  'GET calls': { answer: Data<view.CallView>; query: CallQuery };
  'GET calls/:id': { answer: view.CallDetail };
  'POST calls/:id/replay': {
    answer: view.ReplayedCall;
    body: Some<'body' | 'app'> & Some<'new_code', boolean>;
  };
  'DELETE calls': { answer: object };
  'GET logs': { answer: Data<view.LogEntry>; query: LogQuery & Some<'limit', string | number> };
  'GET timeline': {
    answer: view.TimelineView;
    query: Some<'q'> & Some<'after' | 'before' | 'limit', string | number>;
  };
  'GET trace/:id': { answer: view.TraceView };
  'GET receiver': { answer: view.ReceiverView };
  'POST receiver': { answer: view.ReceiverView; body: Some<'answer', ReceiverAnswer | null> };
  'DELETE receiver': { answer: { readonly held: number } };
  'GET check': { answer: view.KeptCheckView };
  'PUT check': { answer: view.KeptCheckView; body: view.CheckReportView };
  'POST uses': { answer: { used_by: string }; body: { command: string } };
  'GET scenarios': { answer: Data<view.ScenarioLine> };
  'POST scenarios/run': {
    answer: view.ScenarioRun;
    body: Some<'name'> & Some<'scenario', object> & Some<'fresh', boolean>;
  };
  'POST scenarios/record': { answer: object; body: Some<'name'> };
  'POST listeners/:id/leave': { answer: { readonly held: number } };
  'POST listeners/:id/results': {
    answer: { readonly delivery: view.DeliveryLine | null };
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
    answer:
      | { readonly type: 'ready' }
      | { readonly type: 'call'; readonly call: view.CallView }
      | StreamBreak;
    query: CallQuery;
  };
  'GET stream/timeline': {
    answer:
      | view.EntryView
      | view.TimelineBreakView
      | { readonly type: 'ready'; readonly run: string; readonly newest: number };
    query: Some<'q' | 'lastEventId'> & Some<'after', string | number>;
  };
  'GET stream/logs': {
    answer: view.LogEntry | { readonly type: 'ready' } | { readonly type: 'reset' } | StreamBreak;
    query: LogQuery;
  };
  'POST clock/advance': {
    answer:
      | ({ readonly type: 'step' } & NonNullable<view.NextView['did']>)
      | ({ readonly type: 'done' } & view.AdvancedView)
      | ({ readonly type: 'error' } & ErrorBody);
    body: { readonly by: string };
  };
  'POST listeners': {
    answer:
      | ({
          readonly type: 'ready';
          readonly listener: view.EndpointView;
          readonly secret: string;
        } & HeldCounts)
      | ({ readonly type: 'attempt' } & ListenerAttempt)
      | ({ readonly type: 'simulated' } & SimulatedAttempt);
    body: NewListener;
  };
}

/** The names in a path, such as `id` in `charges/:id`. */
type Named<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Each in Name]: string } & Named<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Each in Name]: string }
    : unknown;

type QueryOf<Route> = Route extends { query: infer Query } ? Query : unknown;
type BodyOf<Route> = Route extends { body: infer Body }
  ? Partial<Body> extends Body
    ? { readonly body?: Body }
    : { readonly body: Body }
  : { readonly body?: undefined };

/** The input of a request: the names in its path and its query together, its `body`, and a `signal` that ends it. */
export type Given<Table, Name extends keyof Table> = Named<Name> &
  QueryOf<Table[Name]> &
  BodyOf<Table[Name]> & { readonly signal?: AbortSignal | undefined };

/** The same as arguments of a function; optional when nothing is required. */
export type Arguments<Table, Name extends keyof Table> =
  Partial<Given<Table, Name>> extends Given<Table, Name>
    ? [given?: Given<Table, Name>]
    : [given: Given<Table, Name>];

export type AnswerOf<Table, Name extends keyof Table> = Table[Name] extends { answer: infer Answer }
  ? Answer
  : never;

/** The paths of a method, such as `charges/:id`. */
export type PathOf<Method extends string> = keyof Routes extends infer Name
  ? Name extends `${Method} ${infer Path}`
    ? Path
    : never
  : never;

/** The lists that come in pages, and the rows of each. */
export type ListPath = {
  [Name in keyof Routes]: Routes[Name] extends { answer: view.PageView<unknown> }
    ? Name extends `GET ${infer Path}`
      ? Path
      : never
    : never;
}[keyof Routes];

export type RowOf<Path extends ListPath> =
  AnswerOf<Routes, `GET ${Path}`> extends view.PageView<infer Row extends object> ? Row : never;
