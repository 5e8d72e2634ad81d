import { LIMITS } from '../../contract/limits.js';
import { appOrDefault } from '../../core/identity/applications.js';
import { body as bodyOf, readBody, invalid } from '../../core/input/bodies.js';
import { NAME } from '../../core/input/kinds.js';
import type { ListKey } from '../../core/page.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import type { App, World } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Cause } from '../../sandbox/timeline/cause.js';
import { isObject, nullish, object, optional } from '../../schema/object.js';
import type { Infer, JsonSchema, Schema } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import { SANDBOX_HEADER } from '../../text/control-api.js';
import { readSender, SENDER_HEADER } from '../../text/exchange/shown.js';
import {
  type Answer,
  answerFor,
  CONTROL_HEADERS,
  type DoorContext,
  newRequestId,
  presentPage,
  written,
} from '../operation/answer.js';
import { parseJson, type QuerySchema, readBody as readBytes, readQuery } from '../operation/read-request.js';
import { send } from '../operation/send.js';

export interface ControlRequest<Body = unknown, Query = unknown> {
  readonly sandbox: Sandbox;
  readonly context: DoorContext;
  readonly bytes: Buffer;
  readonly param: (name: string) => string;
  readonly body: Body;
  readonly query: Query;
  /** Runs what the request changes after an await; what comes before needs no wrapping. */
  readonly because: <Result>(change: () => Result) => Result;
}

interface Reads<Body, Query> {
  readonly body?: Schema<Body>;
  readonly query?: QuerySchema<Query>;
  /** The body limit in bytes, where it is above the usual one; such a body is not parsed. */
  readonly bodyBytes?: number;
}

type Reply = Answer | Response | Promise<Answer | Response>;

export interface ControlRoute extends Reads<unknown, unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/_sandbox/`. */
  readonly path: string;
  readonly handle: (request: ControlRequest<never, never>) => Reply;
}

/** A route whose `handle` takes what its body and query are read as. */
export function route<Body = undefined, Query = undefined>(
  method: ControlRoute['method'],
  path: string,
  reads: Reads<Body, Query>,
  handle: (request: ControlRequest<Body, Query>) => Reply,
): ControlRoute {
  return { method, path, ...reads, handle };
}

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
    const bytes = await readBytes(context, route.bodyBytes ?? LIMITS.controlBodyBytes);
    const json = bytes.length === 0 || route.bodyBytes !== undefined ? {} : parseJson(bytes);
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
      because,
    };
    const answer = await because(() => route.handle(request as ControlRequest<never, never>));
    await sandbox.kept();
    // Naming Response in every call would load all of Node's fetch.
    if (!('arrayBuffer' in answer)) return sendControl(context, requestId, answer);
    answer.headers.set('x-request-id', requestId);
    answer.headers.set(SANDBOX_HEADER, __VERSION__);
    return answer;
  } catch (error) {
    await sandbox.kept();
    return sendControl(context, requestId, answerFor(error, requestId, sandbox.program));
  }
}

export function sendControl(c: DoorContext, requestId: string, answer: Answer): Response {
  return send(c, written(requestId, { ...answer, headers: { ...answer.headers, ...CONTROL_HEADERS } }));
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** The id or name of an application. By default, the default application, or any for an existing resource. */
export const OF_APP = object('a query', { app: optional(NAME) });

export type OfApp = Infer<typeof OF_APP>;

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
  if (asked && asked !== named) {
    throw invalid('Not valid', [{ field: 'app', message: 'Differs in the query and in the body.' }]);
  }
  if (typeof named === 'string') return { queries: { ...queries, app: [named] }, json: rest };
  throw invalid('Not valid', [{ field: 'app', message: 'Must be a string.' }]);
}

/** The body of a route in its document, where `app` is in the query and in the body alike. */
export function documentedBody(route: ControlRoute): Schema<unknown> | undefined {
  const { body } = route;
  if (!readsAppFromEither(route)) return body;
  const base: Schema<unknown> = body ?? object('a body', {});
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
export function listRoute<Status extends string, Of extends Row<Status>>(
  path: string,
  statuses: readonly Status[],
  rowsOf: (world: World) => readonly Of[],
  present: (row: Of, sandbox: Sandbox) => object,
  isOf: (row: Of, app: App) => boolean = ({ appId }, { id }) => appId === id,
): ControlRoute {
  const query = object('a query', { status: optional(oneOf(statuses)), ...OF_APP.fields, ...PAGE_FIELDS });
  return route('GET', path, { query }, ({ sandbox, query: { status, app: named, ...asked } }) => {
    const { world } = sandbox;
    const app = appFilter(world, named);
    const key = listKey(path, { status, app: app?.id });
    const matches = (row: Of) =>
      (status === undefined || row.status === status) && (app === undefined || isOf(row, app));
    return presentPage(page(world, rowsOf(world), key, asked, matches), (row) => present(row, sandbox));
  });
}
