import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { AssumptionChoices } from '../../contract/assumptions.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { createInvalidRequest, readBodyOutcome, toFieldProblem } from '../../core/input/bodies.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { FieldSchemas } from '../../schema/object.js';
import { formatPath, read, type Schema } from '../../schema/schema.js';
import { checkJsonShape } from '../../schema/json-text.js';
import type { SurfaceContext } from './response.js';

/** Query parameters. */
export interface QuerySchema<out Query> extends Schema<Query, unknown> {
  readonly fields: FieldSchemas;
}

const DIGITS = /^(?:0|[1-9]\d{0,14})$/;

/** Converts query text to a value. Returns invalid text unchanged, to be rejected by the schema. */
function fromText(text: string, { json }: Schema<unknown>): unknown {
  if (json['type'] === 'integer' && DIGITS.test(text)) return Number(text);
  return json['type'] === 'array' ? text.split(',') : text;
}

/**
 * Parses query parameters, with decimal numbers and comma-separated lists. Treats empty parameters as absent
 * and ignores unknown parameters. Throws INVALID_REQUEST for invalid values.
 */
export function readQuery<Query>(
  schema: QuerySchema<Query>,
  queries: Readonly<Record<string, readonly string[]>>,
): Query {
  const given: [string, unknown][] = [];
  const problems = [];
  for (const [name, field] of Object.entries(schema.fields)) {
    const key = field.key ?? name;
    const texts = Object.hasOwn(queries, key) ? (queries[key] ?? []) : [];
    const [text = ''] = texts;
    if (texts.length > 1) {
      problems.push({ field: key, message: `Must be provided once; received ${texts.length} values.` });
    } else if (text !== '') given.push([key, fromText(text, field)]);
  }
  const { value, issues } = read(schema, Object.fromEntries(given));
  problems.push(...issues.map(toFieldProblem));
  if (problems.length > 0) throw createInvalidRequest('The query is invalid', problems);
  return value as Query;
}

export function parseQuery<Query>(c: Context, schema: QuerySchema<Query>): Query {
  return readQuery(schema, c.req.queries());
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const MOST_SHOWN = 40;

/** The received body: chunks up to the limit, and the known length. */
interface ReceivedBody {
  readonly chunks: Buffer[];
  bytes: number;
  isRead: boolean;
}

/**
 * Reads a request body and tracks its progress in `received`. Throws PAYLOAD_TOO_LARGE as soon as the limit
 * is exceeded, and UNSUPPORTED_MEDIA_TYPE for a compressed body, which could expand far beyond the limit.
 */
export async function readRequestBody(
  { env: { incoming }, req }: SurfaceContext,
  limitBytes: number,
  received: ReceivedBody = { chunks: [], bytes: 0, isRead: false },
): Promise<Buffer> {
  const encoding = req.header('content-encoding');
  if (incoming === undefined) {
    await receiveWhole(req.raw, received);
    if (received.bytes > 0) checkEncoding(encoding);
    if (received.bytes > limitBytes) throw tooLarge(limitBytes, received.bytes);
  } else if (hasBody(incoming)) {
    checkEncoding(encoding);
    await receive(incoming, limitBytes, received);
  }
  const [only] = received.chunks;
  return only !== undefined && received.chunks.length === 1 ? only : Buffer.concat(received.chunks);
}

/** Reads a short unread body for the request log; ignores read errors. */
export async function readRemainingBody(
  { env: { incoming }, req }: SurfaceContext,
  received: ReceivedBody,
): Promise<void> {
  if (received.isRead) return;
  try {
    if (incoming === undefined) await receiveWhole(req.raw, received);
    else if (req.method !== 'TRACE' && hasBody(incoming))
      await receive(incoming, LIMITS.callBodyBytes, received);
  } catch {
    // The received part is sufficient.
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': transfer } = headers;
  return transfer !== undefined || length !== '0';
}

function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^\s*identity\s*$/i.test(encoding)) return;
  throw new Refusal(
    'UNSUPPORTED_MEDIA_TYPE',
    `A body must not have a Content-Encoding; got ${encoding.slice(0, MOST_SHOWN)}.`,
    { hint: 'Disable request compression in your HTTP client.' },
  );
}

function tooLarge(limitBytes: number, receivedBytes?: number): Refusal {
  const got = receivedBytes === undefined ? '' : `; received ${receivedBytes}`;
  return new Refusal('PAYLOAD_TOO_LARGE', `The body exceeds the limit of ${limitBytes} bytes${got}.`);
}

function add(received: ReceivedBody, chunk: Buffer): void {
  received.isRead = true;
  received.bytes += chunk.length;
  received.chunks.push(chunk);
}

async function receiveWhole(raw: Request, received: ReceivedBody): Promise<void> {
  add(received, Buffer.from(await raw.arrayBuffer()));
}

async function receive(incoming: IncomingMessage, limitBytes: number, received: ReceivedBody): Promise<void> {
  const declared = Number(incoming.headers['content-length'] ?? 0);
  if (declared > limitBytes) {
    received.bytes = declared;
    throw tooLarge(limitBytes, declared);
  }
  // A closed connection delivers no more data.
  if (incoming.destroyed) throw malformed('The body is incomplete.');
  received.isRead = true;
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      add(received, chunk);
      if (received.bytes <= limitBytes) return;
      // Do not pause the stream here: the rest of the body is drained when the response is sent.
      incoming.off('data', onData);
      reject(tooLarge(limitBytes));
    };
    incoming.on('data', onData);
    incoming.on('end', () => resolve());
    incoming.on('error', () => reject(malformed('The body is incomplete.')));
  });
}

function malformed(message: string): Refusal {
  return new Refusal('INVALID_REQUEST', message);
}

/**
 * Parses a JSON body. Rejects an empty body, invalid UTF-8, a byte order mark, malformed JSON, excessive
 * nesting and `__proto__` keys.
 */
export function parseJsonRequest(body: Buffer): unknown {
  if (body.length === 0) throw malformed('A JSON body is required; got an empty body.');
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8.');
  if (BYTE_ORDER_MARK.equals(body.subarray(0, BYTE_ORDER_MARK.length)))
    throw malformed('The body must not begin with a byte order mark.');
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    throw malformed(`The body is not valid JSON: ${reason.slice(0, 120)}.`);
  }
  checkJsonShape(value);
  return value;
}

/** Returns the request target as received; for requests without a socket, the path and query. */
export function getRequestTarget({ env, req }: SurfaceContext): string {
  const raw = env.incoming?.url;
  if (raw !== undefined) return raw;
  const { pathname, search } = new URL(req.url);
  return pathname + search;
}

/** Returns the path of a request target, without its query. */
export function getPath(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/** Parses the token from a Bearer Authorization header (§5.1). */
export function parseBearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
}

/** Returns true if the assumptions allow unknown fields in service request bodies. */
export function acceptsUnknownFields(assumed: AssumptionChoices): boolean {
  return assumed['charge.unknown_fields'] === 'ignore';
}

/**
 * Parses a service request body. Depending on the assumptions, warns about unknown fields or rejects them.
 */
export function readServiceBody<Input>(
  { world }: Sandbox,
  body: Buffer,
  schema: Schema<Input>,
  warn: (warning: string) => void,
): Input {
  const unknown = acceptsUnknownFields(world.assumed) ? 'ignore' : 'refuse';
  const { value, ignored } = readBodyOutcome(schema, parseJsonRequest(body), { unknown });
  for (const path of ignored) warn(`The field ${formatPath(path)} is unknown and was ignored.`);
  return value;
}
