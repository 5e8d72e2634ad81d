import { LIMITS } from '../../contract/limits.js';
import type { RefusalCode } from '../../contract/refusals.js';
import { findAppOrDefault } from '../../core/identity/applications.js';
import {
  createBodySchema as bodyOf,
  createInvalidRequest,
  readBodyOrRefuse,
} from '../../core/input/bodies.js';
import { NAME_INPUT } from '../../core/input/kinds.js';
import { type NamedRows, type RowKind, requireRow } from '../../core/named-rows.js';
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
  /** Looks up the row by the id in the path; searches only the application in the query, if any. */
  readonly row: <Of extends RowKind>(kind: Of, prefer?: (row: NamedRows[Of]) => boolean) => NamedRows[Of];
  readonly body: Body;
  readonly query: Query;
  /** The response status; handlers can change it. */
  status: ApiResponse['status'];
  /** Attributes changes after an `await` to this request. Earlier changes require no wrapper. */
  readonly withCause: <Result>(change: () => Result) => Result;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** A schema, or an object's fields. */
type Shape = Schema<unknown> | shape.FieldSchemas;
/** Message schema for server-sent events. */
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
type HandlerResult<Of> = Response | (Of extends Stream<unknown> ? never : ValueOf<Of>);

interface Options<Query, Body, Lines, Unparsed> {
  readonly query?: Query;
  readonly body?: Body;
  /** Schema of a body that the handler parses; allows bodies up to the state size limit. */
  readonly unparsed?: Unparsed;
  /** The success status; 200 by default. */
  readonly status?: 201 | 202;
  /** Lets a POST return an existing resource with 200. */
  readonly repeats?: boolean;
  /** Schema of each line for clients that accept NDJSON. */
  readonly lines?: Schema<Lines, unknown> & NamedSchema;
  /** Error codes, excluding general path and query errors. */
  readonly errors?: readonly RefusalCode[];
  readonly description?: string;
}

/** A control API route, from which its OpenAPI operation and client types are derived. */
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
  /** Exists only at the type level. */
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
 * Declares a route by its path (without the prefix), summary, response schema and options. Returns a function
 * that accepts the handler.
 */
function routeOf<const M extends Method>(method: M) {
  return <
    const Path extends string,
    const ResponseJson extends Shape | Stream<unknown>,
    const Body extends Shape | undefined = undefined,
    const Query extends shape.FieldSchemas | undefined = undefined,
    Lines = never,
    const Unparsed extends Schema<unknown> | undefined = undefined,
  >(
    path: Path,
    summary: string,
    responseSchema: ResponseJson,
    { query, body, ...options }: Options<Query, Body, Lines, Unparsed> = {},
  ) =>
    (
      handle: (
        request: ControlRequest<ValueOf<Body>, ValueOf<Query>>,
      ) => HandlerResult<ResponseJson> | Promise<HandlerResult<ResponseJson>>,
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
      type Message = ResponseJson extends Stream<infer Each> ? Each : Lines;
      type Json = ResponseJson extends Stream<unknown> ? never : ValueOf<ResponseJson>;
      return route as ControlRoute<
        `${M} ${Path}`,
        Json,
        Message,
        JsonOf<Query>,
        JsonOf<Unparsed extends undefined ? Body : Unparsed>
      >;
    };
}

export const defineGet = routeOf('GET');
export const definePost = routeOf('POST');
export const definePut = routeOf('PUT');
export const defineDelete = routeOf('DELETE');

const EMPTY = bodyOf({});

/** Parses and handles a control API request. */
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
    // A POST route without fields rejects every field as a probable typo.
    const schema = route.body ?? (route.method === 'POST' ? EMPTY : undefined);
    const given = withAppInQuery(route, req.queries(), json);
    const query = route.query && readQuery(route.query, given.queries);
    const app = (query as AppQuery | undefined)?.app;
    const request: ControlRequest = {
      sandbox,
      context,
      bytes,
      param,
      row: (kind, prefer) =>
        requireRow(sandbox.world, kind, param('id'), findAppFilter(sandbox.world, app), prefer),
      query,
      body: schema && readBodyOrRefuse(schema, given.json),
      status: route.status ?? 200,
      withCause,
    };
    const body = await withCause(() => route.handle(request as ControlRequest<never, never>));
    await sandbox.flushed();
    // Avoid `instanceof Response` here, because the global would load all of Node's fetch.
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

/**
 * The id or name of an application. If omitted, new resources use the default application, and lookups search
 * all applications.
 */
export const APP_QUERY = { app: shape.optional(NAME_INPUT) };
export type AppQuery = shape.ValuesOf<typeof APP_QUERY>;

/**
 * Finds the application to filter by; undefined for all applications. Throws NOT_FOUND for an unknown
 * application.
 */
export function findAppFilter(world: World, app: string | undefined): App | undefined {
  return app === undefined ? undefined : findAppOrDefault(world, app);
}

/** Returns true if a POST accepts `app` in the query or in the body. */
function readsAppFromEither({ method, query }: Pick<ControlRoute, 'method' | 'query'>): boolean {
  return method === 'POST' && query !== undefined && 'app' in query.fields;
}

/** Moves `app` from the body to the query if the route accepts both. */
function withAppInQuery(route: ControlRoute, queries: Readonly<Record<string, string[]>>, json: unknown) {
  if (!readsAppFromEither(route) || !shape.isObject(json)) return { queries, json };
  const { app: inBody, ...rest } = json;
  const [inQuery] = queries['app'] ?? [];
  if (inBody === undefined || inBody === null) return { queries, json: rest };
  if (typeof inBody === 'string' && (!inQuery || inQuery === inBody))
    return { queries: { ...queries, app: [inBody] }, json: rest };
  const message = inQuery ? 'Must not differ between the query and the body.' : 'Must be a string.';
  throw createInvalidRequest('Invalid fields', [{ field: 'app', message }]);
}

/** Returns the documented body schema, including `app` if the body accepts it. */
export function getBodySchema(route: ControlRoute): JsonSchema | undefined {
  if (!readsAppFromEither(route)) return (route.unparsed ?? route.body)?.json;
  return withApp((route.body ?? EMPTY).json);
}

function withApp(json: JsonSchema): JsonSchema {
  const { properties = {}, anyOf } = json as { readonly properties?: object; readonly anyOf?: JsonSchema[] };
  if (anyOf !== undefined) return { ...json, anyOf: anyOf.map(withApp) };
  return { ...json, properties: { ...properties, app: shape.nullish(NAME_INPUT).json } };
}

/** Creates the key that binds cursors to a list. */
export function createListKey(path: string, filters: ListKey['filters']): ListKey {
  return { list: `control/${path}`, filters };
}

interface ListedRow<Status> {
  readonly appId?: string;
  readonly ordinal: number;
  readonly status: Status;
}

/** Declares a paginated GET route with status and application filters. */
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
  return defineGet(path, summary, is.createPageSchema(view), { query })(
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
