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

/** Alternatives as one object with the fields of all of them, for the sandbox to check. */
type WrittenObject<Json> = { [Name in NeededIn<Json>]: Written<Json[Name]> } & {
  [Name in Exclude<NamesIn<Json>, NeededIn<Json>>]?: Written<ValueIn<Json, Name>>;
} extends infer Fields
  ? { readonly [Name in keyof Fields]: Fields[Name] }
  : never;
type WrittenValue<Json> = [Json] extends [string]
  ? string
  : [Json] extends [readonly (infer Item)[]]
    ? readonly Written<Item>[]
    : [Json] extends [object]
      ? string extends keyof Json
        ? object
        : WrittenObject<Json>
      : Json;
/** JSON as a person writes it: a word of a closed set may be any text, because the sandbox names the right ones. */
type Written<Json> = unknown extends Json
  ? Json
  : WrittenValue<NonNullable<Json>> | Extract<Json, null | undefined>;

interface Operation<Answer, Query, Body> {
  readonly response: Answer;
  readonly query: Query extends object
    ? { readonly [Name in keyof Query]?: string | number | undefined }
    : unknown;
  readonly body: Written<Body>;
}

/** The routes of the control API with a JSON response, by method and path. */
export type ControlApi = {
  [Route in TypedRoute as TypesOf<Route>['responseSchema'] extends never ? never : Route['name']]: Operation<
    TypesOf<Route>['responseSchema'],
    TypesOf<Route>['query'],
    TypesOf<Route>['body']
  >;
};

/** The routes with a stream, by the type of its messages. */
export type ControlStreams = {
  [Route in TypedRoute as TypesOf<Route>['lines'] extends never ? never : Route['name']]: Operation<
    TypesOf<Route>['lines'],
    TypesOf<Route>['query'],
    TypesOf<Route>['body']
  > & { readonly query: { readonly lastEventId?: string | undefined } };
};

/** The bodies as the sandbox reads them, by method and path. */
type Bodies = { [Route in TypedRoute as Route['name']]: TypesOf<Route>['body'] };
type WithoutNull<Json> = { readonly [Name in keyof Json]: Exclude<Json[Name], null> };
/** The fields of a body for the library, whose options are never null. */
export type BodyFields<Name extends keyof Bodies> = WithoutNull<Bodies[Name]>;
export type NewFault = Written<BodyFields<'POST faults'>>;
export type NewTrigger = Written<BodyFields<'POST trigger'>>;
/** The options of `trigger` in the library. */
export type TriggerOptions = Omit<BodyFields<'POST trigger'>, 'type' | 'timeout' | 'with'> & {
  readonly with?: BodyFields<'POST charges'> | BodyFields<'POST withdrawals'> | undefined;
  readonly app?: string | undefined;
  readonly timeoutMs?: number | undefined;
};
/** The response of `readyz` to a client that may know the instance. */
export type ReadyResponse = Required<ResponseOf<ControlApi, 'GET readyz'>>;

/** The result of a trigger; `reached` is false when the time for `until` ran out. */
export type TriggerResult = ResponseOf<ControlApi, 'POST trigger'>;
/** True if every delivery reached `until` within the time. */
export type WaitResult = ResponseOf<ControlApi, 'POST deliveries/until'>;
type ListenerMessage = ResponseOf<ControlStreams, 'POST listeners'>;
/** Number of deliveries held for a returned listener: resumed and failed (`fresh`) ones. */
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
export type RouteArguments<Table, Name extends keyof Table> = Named<Name> &
  QueryIn<Table[Name]> &
  BodyOf<Table[Name]> & { readonly signal?: AbortSignal | undefined };

/** The same as arguments of a function; optional when nothing is required. */
export type RouteParameters<Table, Name extends keyof Table> =
  Partial<RouteArguments<Table, Name>> extends RouteArguments<Table, Name>
    ? [given?: RouteArguments<Table, Name>]
    : [given: RouteArguments<Table, Name>];

export type ResponseOf<Table, Name extends keyof Table> = Table[Name] extends { response: infer Answer }
  ? Answer
  : never;

/** The paths of a method, such as `charges/:id`. */
export type PathOf<Method extends string> = keyof ControlApi extends infer Name
  ? Name extends `${Method} ${infer Path}`
    ? Path
    : never
  : never;

/** The lists that come in pages, and the rows of each. */
export type ListPath = {
  [Name in keyof ControlApi]: ControlApi[Name] extends { response: view.PageView<unknown> }
    ? Name extends `GET ${infer Path}`
      ? Path
      : never
    : never;
}[keyof ControlApi];

export type RowOf<Path extends ListPath> =
  ResponseOf<ControlApi, `GET ${Path}`> extends view.PageView<infer Row extends object> ? Row : never;
