import type { TypedRoute } from '../http/control/app.js';
import type * as view from '../http/control/schema.js';

type TypesOf<Route extends TypedRoute> = NonNullable<Route['types']>;

type NamesIn<Json> = Json extends unknown ? keyof Json : never;
type NeededIn<Json, Name extends keyof Json = keyof Json> = Name extends unknown
  ? undefined extends Json[Name]
    ? never
    : Name
  : never;
type ValueIn<Json, Name extends PropertyKey> = Json extends { readonly [Each in Name]?: infer Value }
  ? Value
  : never;

/** Merges a union of objects into one object with all fields. The sandbox validates the combination. */
type WrittenObject<Json> = { [Name in NeededIn<Json>]: JsonInput<Json[Name]> } & {
  [Name in Exclude<NamesIn<Json>, NeededIn<Json>>]?: JsonInput<ValueIn<Json, Name>>;
} extends infer Fields
  ? { readonly [Name in keyof Fields]: Fields[Name] }
  : never;
type WrittenValue<Json> = [Json] extends [string]
  ? string
  : [Json] extends [readonly (infer Item)[]]
    ? readonly JsonInput<Item>[]
    : [Json] extends [object]
      ? string extends keyof Json
        ? object
        : WrittenObject<Json>
      : Json;
/** JSON input in which enums accept any string, because the sandbox reports the allowed values. */
type JsonInput<Json> = unknown extends Json
  ? Json
  : WrittenValue<NonNullable<Json>> | Extract<Json, null | undefined>;

interface Operation<Answer, Query, Body> {
  readonly response: Answer;
  readonly query: Query extends object
    ? { readonly [Name in keyof Query]?: string | number | undefined }
    : unknown;
  readonly body: JsonInput<Body>;
}

/** Control API routes with a JSON response, by method and path. */
export type ControlApi = {
  [Route in TypedRoute as TypesOf<Route>['responseSchema'] extends never ? never : Route['name']]: Operation<
    TypesOf<Route>['responseSchema'],
    TypesOf<Route>['query'],
    TypesOf<Route>['body']
  >;
};

/** Streaming routes with their message types. */
export type ControlStreams = {
  [Route in TypedRoute as TypesOf<Route>['lines'] extends never ? never : Route['name']]: Operation<
    TypesOf<Route>['lines'],
    TypesOf<Route>['query'],
    TypesOf<Route>['body']
  > & { readonly query: { readonly lastEventId?: string | undefined } };
};

/** Request bodies by method and path. */
type Bodies = { [Route in TypedRoute as Route['name']]: TypesOf<Route>['body'] };
type WithoutNull<Json> = { readonly [Name in keyof Json]: Exclude<Json[Name], null> };
/** Body fields for the library, whose options are never null. */
export type BodyFields<Name extends keyof Bodies> = WithoutNull<Bodies[Name]>;
export type NewFault = JsonInput<BodyFields<'POST faults'>>;
export type NewIncident = JsonInput<BodyFields<'POST incidents'>>;
/** Fields of an incident for the library. */
export type IncidentFields = Omit<BodyFields<'POST incidents'>, 'faults'> & {
  readonly faults?: readonly BodyFields<'POST faults'>[] | undefined;
};
export type NewTrigger = JsonInput<BodyFields<'POST trigger'>>;
/** Options for the library's `trigger`. */
export type TriggerOptions = Omit<BodyFields<'POST trigger'>, 'type' | 'timeout' | 'with'> & {
  readonly with?: BodyFields<'POST charges'> | BodyFields<'POST withdrawals'> | undefined;
  readonly app?: string | undefined;
  readonly timeoutMs?: number | undefined;
};
/** The `readyz` response for an authorized client. */
export type ReadyResponse = Required<ResponseOf<ControlApi, 'GET readyz'>>;

/** A trigger's result. `reached` is false if waiting for `until` timed out. */
export type TriggerResult = ResponseOf<ControlApi, 'POST trigger'>;
/** The result of waiting for deliveries. `reached` is true if every delivery reached `until` in time. */
export type WaitResult = ResponseOf<ControlApi, 'POST deliveries/until'>;
type ListenerMessage = ResponseOf<ControlStreams, 'POST listeners'>;
/** Counts of held deliveries: resumed (`released`), and failed because of `fresh`. */
export type HeldCounts = Pick<Extract<ListenerMessage, { type: 'ready' }>, 'released' | 'failed'>;
/** An attempt intercepted by a fault before reaching the application. */
export type SimulatedAttempt = Omit<Extract<ListenerMessage, { type: 'simulated' }>, 'type'>;

/** Path parameters, e.g. `id` in `charges/:id`. */
type PathParameters<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Each in Name]: string } & PathParameters<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Each in Name]: string }
    : unknown;

type QueryIn<Route> = Route extends { query: infer Query } ? Query : unknown;
type BodyOf<Route> = Route extends { body: infer Body }
  ? Partial<Body> extends Body
    ? { readonly body?: Body }
    : { readonly body: Body }
  : { readonly body?: undefined };

/** Request input: path and query parameters, a `body`, and a `signal` that aborts the request. */
export type RouteArguments<Table, Name extends keyof Table> = PathParameters<Name> &
  QueryIn<Table[Name]> &
  BodyOf<Table[Name]> & { readonly signal?: AbortSignal | undefined };

/** A client method's arguments; optional if no input is required. */
export type RouteParameters<Table, Name extends keyof Table> =
  Partial<RouteArguments<Table, Name>> extends RouteArguments<Table, Name>
    ? [given?: RouteArguments<Table, Name>]
    : [given: RouteArguments<Table, Name>];

export type ResponseOf<Table, Name extends keyof Table> = Table[Name] extends { response: infer Answer }
  ? Answer
  : never;

/** Paths for an HTTP method, e.g. `charges/:id`. */
export type PathOf<Method extends string> = keyof ControlApi extends infer Name
  ? Name extends `${Method} ${infer Path}`
    ? Path
    : never
  : never;

/** Paths of paginated lists. */
export type ListPath = {
  [Name in keyof ControlApi]: ControlApi[Name] extends { response: view.PageView<unknown> }
    ? Name extends `GET ${infer Path}`
      ? Path
      : never
    : never;
}[keyof ControlApi];

export type RowOf<Path extends ListPath> =
  ResponseOf<ControlApi, `GET ${Path}`> extends view.PageView<infer Row extends object> ? Row : never;
