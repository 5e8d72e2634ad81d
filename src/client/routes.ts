import type { Scope } from '../contract/enums.js';
import type { SessionResult } from '../core/identity/sessions.js';
import type { Metadata } from '../core/input/kinds.js';
import type { ListenerAttempt } from '../delivery/listener-hub.js';
import type * as view from '../http/control/schema.js';
import type { ErrorBody } from '../http/operation/error-body.js';
import type { CONTROL_OPERATIONS, Responding } from '../http/openapi/control-operations.js';
import type { EnvironmentBlock } from '../http/server/start.js';
import type { StateFile } from '../sandbox/state-file.js';
import type { ReceiverAnswer } from '../sandbox/test-receiver.js';

type Some<Names extends string, Value = string> = { readonly [Name in Names]?: Value | undefined };

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

/** Query and body types, as schemas only have parsed types; also responses narrower than their schemas. */
interface Inputs {
  'GET readyz': { answer: Partial<Ready> | null };
  'GET env': { answer: EnvironmentBlock };
  'POST apps': { body: NewApp };
  'POST apps/:id/accounts': { body: NewAccount };
  'GET endpoints': { query: Some<'app'> };
  'POST endpoints': {
    query: Some<'app'>;
    body: { readonly url: string } & Some<'description'> & Some<'events', readonly string[]>;
  };
  'GET charges': { query: Listed & Some<'status'> };
  'POST charges': { query: Some<'app'>; body: NewCharge };
  'GET charges/:id': { query: Some<'app'> };
  'POST charges/:id/settle': { query: Some<'app'> };
  'POST charges/:id/fail': { query: Some<'app'>; body: Some<'reason'> };
  'POST charges/:id/expire': { query: Some<'app'> };
  'GET withdrawals': { query: Listed & Some<'status'> };
  'POST withdrawals': { query: Some<'app'>; body: NewWithdrawal };
  'GET withdrawals/:id': { query: Some<'app'> };
  'POST withdrawals/:id/process': { query: Some<'app'> };
  'POST withdrawals/:id/settle': { query: Some<'app'> };
  'POST withdrawals/:id/fail': { query: Some<'app'>; body: Some<'reason'> };
  'POST withdrawals/:id/return': { query: Some<'app'>; body: Some<'reason'> };
  'GET ledger': { query: Some<'account' | 'after' | 'before'> & Some<'limit', string | number> };
  'GET events': { query: Listed & Some<'type'> };
  'GET events/:id/body': { answer: object };
  'POST events/:id/resend': { body: Some<'endpoint'> };
  'GET deliveries': { query: Listed & DeliveryQuery };
  'GET deliveries/wait': { query: DeliveryQuery & Some<'timeout'> & Some<'count', string | number> };
  'POST deliveries/retry': { body: Some<'status' | 'event_type' | 'endpoint'> };
  'POST deliveries/until': { answer: Reached; body: { ids: readonly string[] } & Some<'until' | 'timeout'> };
  'POST trigger': { answer: Triggered; body: NewTrigger };
  'GET agenda': { query: Some<'limit', number> };
  'POST clock/advance': { body: { readonly by: string } };
  'POST clock/freeze': { body: Some<'at'> };
  'POST clock/speed': { body: { readonly rate: number } };
  'GET idle': { query: Some<'timeout'> };
  'GET kyc/sessions': { query: Listed & Some<'status'> };
  'POST kyc/sessions': { query: Some<'app'>; body: Some<'customer_type'> };
  'GET kyc/sessions/:id/result': { answer: SessionResult };
  'POST kyc/sessions/:id/decide': { body: Some<'status' | 'document' | 'delay' | 'error'> };
  'GET state': { answer: StateFile };
  'PUT state': { body: object };
  'POST state/snapshots': { body: { readonly name: string } };
  'POST state/compare': { body: { readonly from: string } & Some<'to'> };
  'POST faults': { body: NewFault };
  'GET calls': { query: CallQuery };
  'POST calls/:id/replay': { body: Some<'body' | 'app'> & Some<'new_code', boolean> };
  'GET logs': { query: LogQuery & Some<'limit', string | number> };
  'GET timeline': { query: Some<'q'> & Some<'after' | 'before' | 'limit', string | number> };
  'POST receiver': { body: Some<'answer', ReceiverAnswer | null> };
  'PUT check': { body: view.CheckReportView };
  'POST uses': { body: { command: string } };
  'POST scenarios/run': { body: Some<'name'> & Some<'scenario', object> & Some<'fresh', boolean> };
  'POST scenarios/record': { answer: object; body: Some<'name'> };
  'POST listeners/:id/results': { body: ListenerResult };
}

type Described = typeof CONTROL_OPERATIONS;
type DescribedRoute = { [Tag in keyof Described]: keyof Described[Tag] }[keyof Described];
type ResponseOf<Route> = {
  [Tag in keyof Described]: Route extends keyof Described[Tag]
    ? Described[Tag][Route] extends Responding<infer Body>
      ? Body
      : never
    : never;
}[keyof Described];
type InputOf<Route> = Route extends keyof Inputs ? Inputs[Route] : unknown;
/** Routes with one JSON response. */
type JsonRoute = Exclude<DescribedRoute, `GET stream${string}` | 'POST listeners' | 'GET openapi.json'>;

/** The routes of the control API: the response type of each comes from its schema. */
export type Routes = {
  [Route in JsonRoute]: InputOf<Route> extends { answer: unknown }
    ? InputOf<Route>
    : InputOf<Route> & { answer: ResponseOf<Route> };
};

/**
 * How many deliveries were held for a listener that has returned: those that go on, and those that failed
 * (`fresh`).
 */
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
