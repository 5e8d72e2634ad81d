import { LIMITS } from '../../contract/limits.js';
import type { RefusalCode } from '../../contract/refusals.js';
import { findAppOrDefault } from '../../core/identity/applications.js';
import { bodySchema as bodyOf, createInvalidRequest, readBodyOrRefuse } from '../../core/input/bodies.js';
import { NAME_INPUT } from '../../core/input/kinds.js';
import { type RowKind, lookUp } from '../../core/named-rows.js';
import { type ListKey, paginate, PAGE_FIELDS } from '../../core/page.js';
import * as is from '../../core/resources/values.js';
import type { App, World } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import * as shape from '../../schema/object.js';
import type { NamedSchema, JsonSchema, Schema } from '../../schema/schema.js';
import { enumOf } from '../../schema/values.js';
import { CONTROL_PREFIX, SANDBOX_HEADER } from '../../text/control-api.js';
import { readSender, SENDER_HEADER } from '../../text/exchange/present-exchange.js';
import {
  type ApiResponse,
  createErrorResponse,
  CONTROL_HEADERS,
  type SurfaceContext,
  createRequestId,
  presentPageView,
  sendResponse,
  serializeResponse,
} from '../shared/response.js';
import { parseJsonRequest, readRequestBody as readBytes, readQuery } from '../shared/read-request.js';

export interface ControlRequest<Body = unknown, Query = unknown> {
  readonly sandbox: Sandbox;
  readonly context: SurfaceContext;
  readonly bytes: Buffer;
  readonly param: (name: string) => string;
  /** The row of the id in the path, of the application in the query where that names one. */
  readonly row: <Of extends RowKind>(kind: Of) => ReturnType<typeof lookUp<Of>>;
  readonly body: Body;
  readonly query: Query;
  /** The status of the response; a handler may change it. */
  status: ApiResponse['status'];
  /** Runs what the request changes after an await; what comes before needs no wrapping. */
  readonly withCause: <Result>(change: () => Result) => Result;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** A schema, or the fields of an object. */
type Shape = Schema<unknown> | shape.FieldSchemas;
/** The schema of each message of a stream of server-sent events. */
interface Stream<Message> {
  readonly messages: Schema<Message, unknown> & NamedSchema;
}

type ValueOf<Of> =
  Of extends Schema<infer Value, unknown>
    ? Value
    : Of extends shape.FieldSchemas
      ? shape.ValuesOf<Of>
      : undefined;
type JsonOf<Of> =
  Of extends Schema<unknown, infer Json>
    ? Json
    : Of extends shape.FieldSchemas
      ? shape.InputsOf<Of>
      : undefined;
type Given<Of> = Response | (Of extends Stream<unknown> ? never : ValueOf<Of>);

interface Options<Query, Body, Lines, Unparsed> {
  readonly query?: Query;
  readonly body?: Body;
  /** A body parsed by the handler; its limit is that of a state. */
  readonly unparsed?: Unparsed;
  /** The status of a success; 200 by default. */
  readonly status?: 201 | 202;
  /** True if a POST of an existing resource returns it with 200. */
  readonly repeats?: boolean;
  /** Each line of the response for a client that accepts NDJSON. */
  readonly lines?: Schema<Lines, unknown> & NamedSchema;
  /** Error codes, except for general ones of path and query. */
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
> extends Options<shape.ObjectSchema, Schema<unknown>, unknown, Schema<unknown>> {
  readonly name: Name;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly responseSchema: Schema<unknown> | Stream<unknown>;
  readonly handle: (request: ControlRequest<never, never>) => unknown;
  /** Only in types. */
  readonly types?: {
    readonly responseSchema: Gives;
    readonly lines: Lines;
    readonly query: Query;
    readonly body: Body;
  };
}

function schemaOf(of: Shape, asSchema: (fields: shape.FieldSchemas) => Schema<unknown>): Schema<unknown> {
  return typeof of['read'] === 'function' ? (of as Schema<unknown>) : asSchema(of as shape.FieldSchemas);
}

/**
 * Describes a route: its path below the prefix, a summary, its response, and what it reads. The description takes
 * its handler.
 */
function routeOf<const M extends Method>(method: M) {
  return <
    const Path extends string,
    const Gives extends Shape | Stream<unknown>,
    const Body extends Shape | undefined = undefined,
    const Query extends shape.FieldSchemas | undefined = undefined,
    Lines = never,
    const Unparsed extends Schema<unknown> | undefined = undefined,
  >(
    path: Path,
    summary: string,
    responseSchema: Gives,
    { query, body, ...options }: Options<Query, Body, Lines, Unparsed> = {},
  ) =>
    (
      handle: (
        request: ControlRequest<ValueOf<Body>, ValueOf<Query>>,
      ) => Given<Gives> | Promise<Given<Gives>>,
    ) => {
      const route = {
        ...options,
        name: `${method} ${path}`,
        method,
        path: CONTROL_PREFIX + path,
        summary,
        query: query && shape.object('a query', query),
        body: body && schemaOf(body, bodyOf),
        responseSchema:
          'messages' in responseSchema
            ? responseSchema
            : schemaOf(responseSchema, (fields) => shape.object('an object', fields)),
        handle,
      };
      type Message = Gives extends Stream<infer Each> ? Each : Lines;
      type Json = Gives extends Stream<unknown> ? never : ValueOf<Gives>;
      return route as ControlRoute<
        `${M} ${Path}`,
        Json,
        Message,
        JsonOf<Query>,
        JsonOf<Unparsed extends undefined ? Body : Unparsed>
      >;
    };
}

export const get = routeOf('GET');
export const post = routeOf('POST');
export const put = routeOf('PUT');
export const del = routeOf('DELETE');

const EMPTY = bodyOf({});

/** Parses, performs and responds to one control request. */
export async function serveControl(
  sandbox: Sandbox,
  context: SurfaceContext,
  route: ControlRoute,
): Promise<Response> {
  const { req } = context;
  const requestId = createRequestId();
  const cause = readSender(req.header(SENDER_HEADER) ?? '', LIMITS.nameLength) ?? { by: 'control' };
  const withCause = <Result>(change: () => Result) => sandbox.timeline.withCause(cause, change);
  const param = (name: string) => req.param(name) ?? '';
  try {
    const isParsed = route.unparsed === undefined;
    const bytes = await readBytes(context, isParsed ? LIMITS.controlBodyBytes : LIMITS.stateBodyBytes);
    const json = bytes.length === 0 || !isParsed ? {} : parseJsonRequest(bytes);
    // A POST that takes no fields refuses any field as a probable typo.
    const schema = route.body ?? (route.method === 'POST' ? EMPTY : undefined);
    const given = withAppInQuery(route, req.queries(), json);
    const query = route.query && readQuery(route.query, given.queries);
    const app = (query as AppQuery | undefined)?.app;
    const request: ControlRequest = {
      sandbox,
      context,
      bytes,
      param,
      row: (kind) => lookUp(sandbox.world, kind, param('id'), findAppFilter(sandbox.world, app)),
      query,
      body: schema && readBodyOrRefuse(schema, given.json),
      status: route.status ?? 200,
      withCause,
    };
    const body = await withCause(() => route.handle(request as ControlRequest<never, never>));
    await sandbox.flushed();
    // Naming Response in every call would load all of Node's fetch.
    if (!isResponse(body)) return sendControl(context, requestId, { status: request.status, body });
    body.headers.set('x-request-id', requestId);
    body.headers.set(SANDBOX_HEADER, __VERSION__);
    return body;
  } catch (error) {
    await sandbox.flushed();
    return sendControl(context, requestId, createErrorResponse(error, requestId, sandbox.program));
  }
}

function isResponse(body: unknown): body is Response {
  return shape.isObject(body) && 'arrayBuffer' in body;
}

export function sendControl(c: SurfaceContext, requestId: string, response: ApiResponse): Response {
  return sendResponse(
    c,
    serializeResponse(requestId, { ...response, headers: { ...response.headers, ...CONTROL_HEADERS } }),
  );
}

/** The id or name of an application. By default, the default application, or any for an existing resource. */
export const APP_QUERY = { app: shape.optional(NAME_INPUT) };
export type AppQuery = shape.ValuesOf<typeof APP_QUERY>;

/** The named application of a list, or undefined for all; refuses an unknown one with NOT_FOUND. */
export function findAppFilter(world: World, app: string | undefined): App | undefined {
  return app === undefined ? undefined : findAppOrDefault(world, app);
}

/** True for a route with an application, which a POST may name in the query or in the body. */
function readsAppFromEither({ method, query }: Pick<ControlRoute, 'method' | 'query'>): boolean {
  return method === 'POST' && query !== undefined && 'app' in query.fields;
}

/** Moves the application from the body to the query, for routes with one. */
function withAppInQuery(route: ControlRoute, queries: Readonly<Record<string, string[]>>, json: unknown) {
  if (!readsAppFromEither(route) || !shape.isObject(json)) return { queries, json };
  const { app: inBody, ...rest } = json;
  const [inQuery] = queries['app'] ?? [];
  if (inBody === undefined || inBody === null) return { queries, json: rest };
  if (typeof inBody === 'string' && (!inQuery || inQuery === inBody))
    return { queries: { ...queries, app: [inBody] }, json: rest };
  const message = inQuery ? 'Differs in the query and in the body.' : 'Must be a string.';
  throw createInvalidRequest('Not valid', [{ field: 'app', message }]);
}

/** The body of a route in its document, where `app` is in the query and in the body alike. */
export function getBodySchema(route: ControlRoute): JsonSchema | undefined {
  if (!readsAppFromEither(route)) return (route.unparsed ?? route.body)?.json;
  return withApp((route.body ?? EMPTY).json);
}

function withApp(json: JsonSchema): JsonSchema {
  const { properties = {}, anyOf } = json as { readonly properties?: object; readonly anyOf?: JsonSchema[] };
  if (anyOf !== undefined) return { ...json, anyOf: anyOf.map(withApp) };
  return { ...json, properties: { ...properties, app: shape.nullish(NAME_INPUT).json } };
}

/** Binding of a list's cursors. */
export function createListKey(path: string, filters: ListKey['filters']): ListKey {
  return { list: `control/${path}`, filters };
}

interface ListedRow<Status> {
  readonly appId?: string;
  readonly ordinal: number;
  readonly status: Status;
}

/** Declares GET of a page of rows, optionally filtered by status and application. */
export function createListRoute<
  const Path extends string,
  Status extends string,
  Row extends ListedRow<Status>,
  View,
>(
  path: Path,
  summary: string,
  view: Schema<View, unknown> & NamedSchema,
  statuses: readonly Status[],
  rowsOf: (world: World) => readonly Row[],
  present: (row: Row, sandbox: Sandbox) => View,
  isOf: (row: Row, app: App) => boolean = ({ appId }, { id }) => appId === id,
) {
  const query = { status: shape.optional(enumOf(statuses)), ...APP_QUERY, ...PAGE_FIELDS };
  return get(path, summary, is.pageSchema(view), { query })(
    ({ sandbox, query: { status, app: name, ...rest } }) => {
      const { world } = sandbox;
      const app = findAppFilter(world, name);
      const key = createListKey(path, { status, app: app?.id });
      const matches = (row: Row) =>
        (status === undefined || row.status === status) && (app === undefined || isOf(row, app));
      return presentPageView(paginate(world, rowsOf(world), key, rest, matches), (row) =>
        present(row, sandbox),
      );
    },
  );
}
