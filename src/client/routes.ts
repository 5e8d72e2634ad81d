import type { Scope } from '../contract/enums.js';
import type { SessionResult } from '../core/identity/sessions.js';
import type { Metadata } from '../core/input/kinds.js';
import type { TypedRoute } from '../http/control/app.js';
import type * as view from '../http/control/schema.js';
import type { EnvironmentBlock } from '../http/server/start.js';
import type { ReceiverAnswer } from '../sandbox/test-receiver.js';

type Some<Names extends string, Value = string> = { readonly [Name in Names]?: Value | undefined };

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

/** The bodies whose schemas convert what they read, so that their types are not those of the JSON. */
interface Bodies {
  'POST apps': NewApp;
  'POST apps/:id/accounts': NewAccount;
  'POST endpoints': { readonly url: string } & Some<'description'> & Some<'events', readonly string[]>;
  'POST charges': NewCharge;
  'POST withdrawals': NewWithdrawal;
  'POST deliveries/retry': Some<'status' | 'event_type' | 'endpoint'>;
  'POST deliveries/until': { readonly ids: readonly string[] } & Some<'until' | 'timeout'>;
  'POST trigger': NewTrigger;
  'POST clock/advance': { readonly by: string };
  'POST clock/freeze': Some<'at'>;
  'POST kyc/sessions': Some<'customer_type'>;
  'POST kyc/sessions/:id/decide': Some<'status' | 'document' | 'delay' | 'error'>;
  'PUT state': object;
  'POST faults': NewFault;
  'POST calls/:id/replay': Some<'body' | 'app'> & Some<'new_code', boolean>;
  'POST receiver': Some<'answer', ReceiverAnswer | null>;
  'POST scenarios/run': Some<'name'> & Some<'scenario', object> & Some<'fresh', boolean>;
  'POST listeners': NewListener;
  'POST listeners/:id/results': ListenerResult;
}

/** Responses narrower than their schemas. */
interface Answers {
  'GET readyz': Partial<Ready> | null;
  'GET env': EnvironmentBlock;
  'GET kyc/sessions/:id/result': SessionResult;
}

/** The response of `readyz`; without the control token only whether the sandbox is ready. */
export interface Ready {
  readonly ready: boolean;
  readonly version: string;
  readonly instance_id: string;
}

type TypesOf<Route extends TypedRoute> = NonNullable<Route['types']>;

/** The parameters of a query, by their names in the URL. */
type QueryOf<Fields> = Fields extends object
  ? {
      readonly [
        Name in keyof Fields as Fields[Name] extends { readonly key: infer Key extends string } ? Key : Name
      ]?: string | number | undefined;
    }
  : unknown;

interface Operation<Name, Answer, Query, Body> {
  readonly answer: Name extends keyof Answers ? Answers[Name] : Answer;
  readonly query: QueryOf<Query>;
  readonly body: Name extends keyof Bodies ? Bodies[Name] : Body;
}

/** The routes of the control API with a JSON response, by method and path. */
export type Routes = {
  [Route in TypedRoute as TypesOf<Route>['gives'] extends never ? never : Route['name']]: Operation<
    Route['name'],
    TypesOf<Route>['gives'],
    TypesOf<Route>['query'],
    TypesOf<Route>['body']
  >;
};

/** The routes with a stream, by the type of its messages. */
export type Streams = {
  [Route in TypedRoute as TypesOf<Route>['lines'] extends never ? never : Route['name']]: Operation<
    Route['name'],
    TypesOf<Route>['lines'],
    TypesOf<Route>['query'],
    TypesOf<Route>['body']
  > & { readonly query: Some<'lastEventId'> };
};

/** The result of a trigger; `reached` is false when the time for `until` ran out. */
export type Triggered = AnswerOf<Routes, 'POST trigger'>;
/** Whether every delivery reached `until` within the time. */
export type Reached = AnswerOf<Routes, 'POST deliveries/until'>;
type ListenerMessage = AnswerOf<Streams, 'POST listeners'>;
/**
 * How many deliveries were held for a listener that has returned: those that go on, and those that failed
 * (`fresh`).
 */
export type HeldCounts = Pick<Extract<ListenerMessage, { type: 'ready' }>, 'released' | 'failed'>;
/** An attempt that met a fault instead of the application. */
export type SimulatedAttempt = Omit<Extract<ListenerMessage, { type: 'simulated' }>, 'type'>;

/** The names in a path, such as `id` in `charges/:id`. */
type Named<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Each in Name]: string } & Named<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Each in Name]: string }
    : unknown;

type QueryIn<Route> = Route extends { query: infer Query } ? Query : unknown;
type BodyOf<Route> = Route extends { body: infer Body }
  ? Partial<Body> extends Body
    ? { readonly body?: Body }
    : { readonly body: Body }
  : { readonly body?: undefined };

/** The input of a request: the names in its path and its query together, its `body`, and a `signal` that ends it. */
export type Given<Table, Name extends keyof Table> = Named<Name> &
  QueryIn<Table[Name]> &
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
