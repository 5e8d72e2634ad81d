import { LIMITS } from '../../contract/limits.js';
import type { RefusalCode } from '../../contract/refusals.js';
import { appOrDefault } from '../../core/identity/applications.js';
import { body as bodyOf, readBody, invalid } from '../../core/input/bodies.js';
import { NAME } from '../../core/input/kinds.js';
import { type ListKey, page, PAGE_FIELDS } from '../../core/page.js';
import type { Component } from '../../schema/schema.js';
import type { App, World } from '../../core/world.js';
import * as is from '../../core/resources/values.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Cause } from '../../sandbox/timeline/entry.js';
import {
  type Fields,
  isObject,
  nullish,
  object,
  type ObjectSchema,
  optional,
  type ValuesOf,
} from '../../schema/object.js';
import type { JsonSchema, Schema } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import { SANDBOX_HEADER } from '../../text/control-api.js';
import { readSender, SENDER_HEADER } from '../../text/exchange/shown.js';
import {
  type Answer,
  answerFor,
  CONTROL_HEADERS,
  type DoorContext,
  newRequestId,
  pageView,
  written,
} from '../operation/answer.js';
import { parseJson, readBody as readBytes, readQuery } from '../operation/read-request.js';
import { send } from '../operation/send.js';

export interface ControlRequest<Body = unknown, Query = unknown> {
  readonly sandbox: Sandbox;
  readonly context: DoorContext;
  readonly bytes: Buffer;
  readonly param: (name: string) => string;
  readonly body: Body;
  readonly query: Query;
  /** The status of the response; a handler may change it. */
  status: 200 | 201 | 202;
  /** Runs what the request changes after an await; what comes before needs no wrapping. */
  readonly because: <Result>(change: () => Result) => Result;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** A schema, or the fields of an object. */
type Shape = Schema<unknown> | Fields;
type ValueOf<Of> = Of extends Schema<infer Value> ? Value : Of extends Fields ? ValuesOf<Of> : undefined;

/** A stream of server-sent events. */
interface Stream<Message> {
  readonly messages: Schema<Message> & Component;
}

/** The schema of each message of a stream of server-sent events. */
export function streamOf<Message>(messages: Schema<Message> & Component): Stream<Message> {
  return { messages };
}

interface Options<Body, Query, Lines> {
  readonly query?: Query;
  readonly body?: Body;
  /** A body that the handler parses; its limit is that of a state. */
  readonly unparsed?: Schema<unknown>;
  /** The status of a success; 200 by default. */
  readonly status?: 201 | 202;
  /** Each line of the response for a client that accepts NDJSON. */
  readonly lines?: Schema<Lines> & Component;
  /** The error codes besides those that follow from the path, the query and the body. */
  /** Whether a POST of something that exists gives it back, with 200. */
  readonly repeats?: boolean;
  readonly errors?: readonly RefusalCode[];
  readonly description?: string;
}

/** One operation of the control API; its document and the types of its client follow from it. */
export interface ControlRoute<
  out Name extends string = string,
  out Gives = unknown,
  out Lines = unknown,
  out Query = unknown,
  out Body = unknown,
> extends Omit<Options<Schema<Body>, ObjectSchema, Lines>, 'query'> {
  readonly name: Name;
  readonly method: Method;
  /** Below `/_sandbox/`. */
  readonly path: string;
  readonly summary: string;
  readonly query?: ObjectSchema | undefined;
  readonly gives: Schema<unknown> | Stream<unknown>;
  readonly handle: (request: ControlRequest<never, never>) => unknown;
  /** Only in types. */
  readonly types?: {
    readonly gives: Gives;
    readonly lines: Lines;
    readonly query: Query;
    readonly body: Body;
  };
}

type Given<Gives> = Gives extends Stream<unknown> ? Response : ValueOf<Gives> | Response;

function schemaOf(shape: Shape, asSchema: (fields: Fields) => Schema<unknown>): Schema<unknown> {
  return typeof shape['read'] === 'function' ? (shape as Schema<unknown>) : asSchema(shape as Fields);
}

function routeOf<const M extends Method>(method: M) {
  return <
    const Path extends string,
    const Gives extends Shape | Stream<unknown>,
    const Body extends Shape | undefined = undefined,
    const Query extends Fields | undefined = undefined,
    Lines = never,
  >(
    path: Path,
    summary: string,
    gives: Gives,
    { query, body, ...options }: Options<Body, Query, Lines>,
    handle: (request: ControlRequest<ValueOf<Body>, ValueOf<Query>>) => Given<Gives> | Promise<Given<Gives>>,
  ) => {
    const route = {
      ...options,
      name: `${method} ${path}`,
      method,
      path,
      summary,
      query: query && object('a query', query),
      body: body && schemaOf(body, bodyOf),
      gives: 'messages' in gives ? gives : schemaOf(gives, (fields) => object('an object', fields)),
      handle,
    };
    type Message = Gives extends Stream<infer Each> ? Each : Lines;
    type Answer = Gives extends Stream<unknown> ? never : ValueOf<Gives>;
    return route as ControlRoute<`${M} ${Path}`, Answer, Message, Query, ValueOf<Body>>;
  };
}

/** Each describes a route: its path, summary, response, what it reads, and how it is handled. */
export const get = routeOf('GET');
export const post = routeOf('POST');
export const put = routeOf('PUT');
export const del = routeOf('DELETE');

const EMPTY = bodyOf({});

function causeOf({ req }: DoorContext): Cause {
  return readSender(req.header(SENDER_HEADER) ?? '', LIMITS.nameLength) ?? { by: 'control' };
}

/** Reads, performs and answers one control request. */
export async function serveControl(
  sandbox: Sandbox,
  context: DoorContext,
  route: ControlRoute,
): Promise<Response> {
  const requestId = newRequestId();
  const cause = causeOf(context);
  const because = <Result>(change: () => Result) => sandbox.timeline.because(cause, change);
  try {
    const isParsed = route.unparsed === undefined;
    const bytes = await readBytes(context, isParsed ? LIMITS.controlBodyBytes : LIMITS.stateBodyBytes);
    const json = bytes.length === 0 || !isParsed ? {} : parseJson(bytes);
    // A POST that takes no fields refuses any field as a probable typo.
    const schema = route.body ?? (route.method === 'POST' ? EMPTY : undefined);
    const given = withAppInQuery(route, context.req.queries(), json);
    const request: ControlRequest = {
      sandbox,
      context,
      bytes,
      param: (name) => context.req.param(name) ?? '',
      query: route.query && readQuery(route.query, given.queries),
      body: schema && readBody(schema, given.json),
      status: route.status ?? 200,
      because,
    };
    const body = await because(() => route.handle(request as ControlRequest<never, never>));
    await sandbox.kept();
    // Naming Response in every call would load all of Node's fetch.
    if (!isObject(body) || !('arrayBuffer' in body)) {
      return sendControl(context, requestId, { status: request.status, body });
    }
    const response = body as unknown as Response;
    response.headers.set('x-request-id', requestId);
    response.headers.set(SANDBOX_HEADER, __VERSION__);
    return response;
  } catch (error) {
    await sandbox.kept();
    return sendControl(context, requestId, answerFor(error, requestId, sandbox.program));
  }
}

export function sendControl(c: DoorContext, requestId: string, answer: Answer): Response {
  return send(c, written(requestId, { ...answer, headers: { ...answer.headers, ...CONTROL_HEADERS } }));
}

/** The id or name of an application. By default, the default application, or any for an existing resource. */
export const OF_APP = { app: optional(NAME) };

/** The named application of a list, or undefined for all; refuses an unknown one with NOT_FOUND. */
export function appFilter(world: World, app: string | undefined): App | undefined {
  return app === undefined ? undefined : appOrDefault(world, app);
}

/** Whether a route reads an application, which a POST may name in the query or in the body. */
function readsAppFromEither({ method, query }: Pick<ControlRoute, 'method' | 'query'>): boolean {
  return method === 'POST' && query !== undefined && 'app' in query.fields;
}

type Queries = Readonly<Record<string, string[]>>;

/** Moves the application that a body names to the query, where its route reads it. */
function withAppInQuery(
  route: ControlRoute,
  queries: Queries,
  json: unknown,
): { readonly queries: Queries; readonly json: unknown } {
  if (!readsAppFromEither(route) || !isObject(json)) return { queries, json };
  const { app: named, ...rest } = json;
  const [asked] = queries['app'] ?? [];
  if (named === undefined || named === null) return { queries, json: rest };
  if (typeof named === 'string' && (!asked || asked === named))
    return { queries: { ...queries, app: [named] }, json: rest };
  const message = asked ? 'Differs in the query and in the body.' : 'Must be a string.';
  throw invalid('Not valid', [{ field: 'app', message }]);
}

/** The body of a route in its document, where `app` is in the query and in the body alike. */
export function documentedBody(route: ControlRoute): Schema<unknown> | undefined {
  const { body } = route;
  if (!readsAppFromEither(route)) return body;
  const base: Schema<unknown> = body ?? EMPTY;
  return { ...base, json: withApp(base.json) };
}

function withApp(json: JsonSchema): JsonSchema {
  const { properties = {}, anyOf } = json as { readonly properties?: object; readonly anyOf?: JsonSchema[] };
  if (anyOf !== undefined) return { ...json, anyOf: anyOf.map(withApp) };
  return { ...json, properties: { ...properties, app: nullish(NAME).json } };
}

interface Row<Status> {
  readonly appId?: string;
  readonly ordinal: number;
  readonly status: Status;
}

/** What the cursors of a list are bound to. */
export function listKey(path: string, filters: ListKey['filters']): ListKey {
  return { list: `control/${path}`, filters };
}

/** GET a page of rows; the query may ask for those of one status and of one application. */
export function listRoute<const Path extends string, Status extends string, Of extends Row<Status>, View>(
  path: Path,
  summary: string,
  view: Schema<View> & Component,
  statuses: readonly Status[],
  rowsOf: (world: World) => readonly Of[],
  present: (row: Of, sandbox: Sandbox) => View,
  isOf: (row: Of, app: App) => boolean = ({ appId }, { id }) => appId === id,
) {
  const query = { status: optional(oneOf(statuses)), ...OF_APP, ...PAGE_FIELDS };
  return get(
    path,
    summary,
    is.pageOf(view),
    { query },
    ({ sandbox, query: { status, app: name, ...paging } }) => {
      const { world } = sandbox;
      const app = appFilter(world, name);
      const key = listKey(path, { status, app: app?.id });
      const matches = (row: Of) =>
        (status === undefined || row.status === status) && (app === undefined || isOf(row, app));
      return pageView(page(world, rowsOf(world), key, paging, matches), (row) => present(row, sandbox));
    },
  );
}
