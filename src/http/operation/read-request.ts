import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { Assumed } from '../../contract/assumptions.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { invalid, outcomeOf, problemOf } from '../../core/input/bodies.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Fields } from '../../schema/object.js';
import { pathText, read, type Schema } from '../../schema/schema.js';
import { checkJsonShape } from '../../text/json-shape.js';
import type { DoorContext } from './answer.js';

/** The parameters that a query may have. */
export interface QuerySchema<out Query> extends Schema<Query> {
  readonly fields: Fields;
}

const DIGITS = /^(?:0|[1-9]\d{0,14})$/;

/** The value of a text in a query; the text itself where it is invalid, to be refused. */
function fromText(text: string, { json }: Schema<unknown>): unknown {
  if (json['type'] === 'integer' && DIGITS.test(text)) return Number(text);
  return json['type'] === 'array' ? text.split(',') : text;
}

/**
 * Reads the parameters of a query: numbers are written in digits, and lists with commas. Empty ones count as
 * absent, and unknown ones are ignored. Refuses invalid ones with INVALID_REQUEST.
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
      problems.push({ field: key, message: `Must be given once; got it ${texts.length} times.` });
    } else if (text !== '') given.push([key, fromText(text, field)]);
  }
  const { value, mistakes } = read(schema, Object.fromEntries(given));
  problems.push(...mistakes.map(problemOf));
  if (problems.length > 0) throw invalid('The query is not valid', problems);
  return value as Query;
}

/** Reads the query of a request. */
export function queryOf<Query>(c: Context, schema: QuerySchema<Query>): Query {
  return readQuery(schema, c.req.queries());
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const MOST_SHOWN = 40;

function tooLarge(limitBytes: number, receivedBytes?: number): Refusal {
  const received = receivedBytes === undefined ? '' : `; received ${receivedBytes}`;
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is over the limit of ${limitBytes} bytes${received}.`);
}

/** Compressed bodies are refused, because a small one could unpack to far more than the limit. */
function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^\s*identity\s*$/i.test(encoding)) return;
  throw new Refusal(
    'UNSUPPORTED_MEDIA_TYPE',
    `A body must come without Content-Encoding; got ${encoding.slice(0, MOST_SHOWN)}.`,
    { hint: 'Send the bytes as they are: switch compression of requests off in your HTTP client.' },
  );
}

/** What has arrived of a body: the bytes up to the limit, and the length as far as it is known. */
export class Received {
  readonly chunks: Buffer[] = [];
  bytes = 0;
  isRead = false;

  add(chunk: Buffer): void {
    this.isRead = true;
    this.bytes += chunk.length;
    this.chunks.push(chunk);
  }
}

/**
 * Reads the bytes of a request's body, which `received` follows; refuses with PAYLOAD_TOO_LARGE as soon as
 * the limit is passed, and with UNSUPPORTED_MEDIA_TYPE a body that is compressed or encoded otherwise.
 */
export async function readBody(
  { env: { incoming }, req }: DoorContext,
  limitBytes: number,
  received = new Received(),
): Promise<Buffer> {
  if (incoming === undefined) {
    received.add(Buffer.from(await req.raw.arrayBuffer()));
    if (received.bytes > 0) checkEncoding(req.header('content-encoding'));
    if (received.bytes > limitBytes) throw tooLarge(limitBytes, received.bytes);
  } else {
    const { 'content-length': length, 'transfer-encoding': transfer } = incoming.headers;
    if (transfer !== undefined || (length !== undefined && length !== '0'))
      checkEncoding(incoming.headers['content-encoding']);
    await receive(incoming, limitBytes, received);
  }
  const [only] = received.chunks;
  return only !== undefined && received.chunks.length === 1 ? only : Buffer.concat(received.chunks);
}

/** Reads a short body that no operation has read, for the call log; leaves what cannot be read. */
export async function readUnread({ env, req }: DoorContext, received: Received): Promise<void> {
  if (received.isRead) return;
  try {
    if (env.incoming === undefined) received.add(Buffer.from(await req.raw.arrayBuffer()));
    else if (req.method !== 'TRACE') await receive(env.incoming, LIMITS.callBodyBytes, received);
  } catch {
    // What has arrived is enough.
  }
}

async function receive(incoming: IncomingMessage, limitBytes: number, received: Received): Promise<void> {
  const { 'content-length': declared, 'transfer-encoding': transfer } = incoming.headers;
  if (declared === undefined && transfer === undefined) return;
  if (Number(declared ?? 0) > limitBytes) {
    received.bytes = Number(declared);
    throw tooLarge(limitBytes, received.bytes);
  }
  // Nothing would come of one that was cut off before.
  if (incoming.destroyed) throw malformed('The body was cut off.');
  received.isRead = true;
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      received.add(chunk);
      if (received.bytes <= limitBytes) return;
      // The rest is drained when the response is sent, so it must not be held back here.
      incoming.off('data', onData);
      reject(tooLarge(limitBytes));
    };
    incoming.on('data', onData);
    incoming.on('end', () => resolve());
    incoming.on('error', () => reject(malformed('The body was cut off.')));
  });
}

function malformed(message: string): Refusal {
  return new Refusal('INVALID_REQUEST', message);
}

/** The JSON value of a body. Refuses invalid UTF-8, malformed JSON, nesting over the limit and `__proto__` keys. */
export function parseJson(body: Buffer): unknown {
  checkJsonBytes(body);
  const value = parseText(body.toString('utf8'));
  checkJsonShape(value);
  return value;
}

/** Refuses an empty body, invalid UTF-8 and a byte order mark. */
function checkJsonBytes(body: Buffer): void {
  if (body.length === 0) throw malformed('A JSON body is required; got an empty one.');
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8.');
  if (BYTE_ORDER_MARK.equals(body.subarray(0, BYTE_ORDER_MARK.length)))
    throw malformed('The body must not begin with a byte order mark.');
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    throw malformed(`The body is not valid JSON: ${reason.slice(0, 120)}.`);
  }
}

/** The request target exactly as received; a request without a socket has only its URL. */
export function requestTarget({ env, req }: DoorContext): string {
  const raw = env.incoming?.url;
  if (raw !== undefined) return raw;
  const { pathname, search } = new URL(req.url);
  return pathname + search;
}

/** A request target before its `?`. */
export function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  return queryAt === -1 ? target : target.slice(0, queryAt);
}

/** The token of an Authorization header with the scheme Bearer (§5.1); undefined when there is none. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
}

/** Whether bodies of the service's own operations may hold unknown fields, by assumption. */
export function takesUnknownFields(assumed: Assumed): boolean {
  return assumed['charge.unknown_fields'] === 'ignore';
}

/** Reads the body of an operation of the service; unknown fields are warned of or refused, by assumption. */
export function readServiceBody<Input>(
  { world }: Sandbox,
  body: Buffer,
  schema: Schema<Input>,
  warn: (warning: string) => void,
): Input {
  const unknown = takesUnknownFields(world.assumed) ? 'ignore' : 'refuse';
  const { value, ignored } = outcomeOf(schema, parseJson(body), { unknown });
  for (const path of ignored) warn(`The field ${pathText(path)} is not known and was ignored.`);
  return value;
}
