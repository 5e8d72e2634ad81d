import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { HeaderRecord } from '../../signing/message.js';
import { listPassedFlags } from '../program/declaration.js';
import type { DeliveryView } from '../../http/control/exchanges.js';
import { SandboxError, type ControlClient } from '../../client/control.js';
import { createUsageError } from '../program/errors.js';
import { readBytes, STDIN, checkStdinOnce } from '../program/input-bytes.js';
import type { Io } from '../program/io.js';
import {
  fetchAttempt,
  fetchDelivery,
  type FoundAttempt,
  type SandboxSearch,
} from '../sandbox/find-sandbox.js';
import { type FoundSecret, queryRunningSandbox } from './secrets.js';
import { parseJson } from '../../text/json.js';

export interface CapturedWebhook {
  readonly headers: HeaderRecord;
  readonly body: Buffer;
  /** Set for a delivery in the running sandbox. */
  readonly recorded?: RecordedAttempt | undefined;
}

/** An attempt of a delivery in the running sandbox. */
export interface RecordedAttempt {
  readonly delivery: DeliveryView;
  readonly attempt: FoundAttempt;
  /** Signing secrets of the endpoint; empty for a deleted endpoint. */
  readonly secrets: readonly FoundSecret[];
}

interface Captured extends SandboxSearch {
  readonly io: Io;
  readonly args: { readonly file: string | undefined };
  readonly options: SandboxSearch['options'] &
    Readonly<
      Record<'id' | 'timestamp' | 'signature' | 'headers' | 'delivery' | 'secretFile', string | undefined>
    > & {
      readonly attempt: number | undefined;
    };
}

const FLAGS = ['id', 'timestamp', 'signature'] as const;
const USAGE_HINT =
  'Pass --id, --timestamp and --signature; or --headers FILE; or --delivery with a delivery id or payment code ' +
  'from the running sandbox, or with @FILE containing output of `npx sandbox listen --json` or ' +
  '`npx sandbox deliveries show <id> --json`.';

/**
 * Reads a webhook from the arguments. Throws a usage error if a part is missing, unreadable or passed twice,
 * or a header is empty.
 */
export async function readCapturedWebhook(captured: Captured): Promise<CapturedWebhook> {
  const { io, args } = captured;
  const isFlagged = listPassedFlags(captured.options, [...FLAGS, 'headers', 'delivery']).length > 0;
  // Without headers, a word that names no file is a delivery.
  const isDelivery =
    !isFlagged && args.file !== undefined && args.file !== STDIN && !existsSync(resolve(io.cwd, args.file));
  const [file, options] = isDelivery
    ? [undefined, { ...captured.options, delivery: args.file }]
    : [args.file, captured.options];
  const { headers: headersFile, delivery } = options;
  checkOneSource(options);
  if (options.attempt !== undefined && delivery === undefined)
    throw createUsageError('--attempt requires --delivery.', USAGE_HINT);
  checkStdinOnce({
    'the body': file ?? (delivery === undefined ? STDIN : undefined),
    '--headers': headersFile,
    '--delivery': delivery,
    '--secret-file': options.secretFile,
  });
  if (delivery !== undefined) {
    if (file === undefined) return capturedDelivery({ ...captured, options }, delivery);
    throw createUsageError(
      '--delivery already contains the body; a file was also passed.',
      'Omit --delivery or the file.',
    );
  }
  const headers = headersFile === undefined ? flagHeaders(options) : await fileHeaders(io, headersFile);
  return { headers, body: await readBytes(io, file ?? STDIN) };
}

function checkOneSource(options: Captured['options']): void {
  const captured = listPassedFlags(options, ['headers', 'delivery']);
  // With a captured webhook, `--signature` is the signature computed by the user's code.
  const flags = captured.length > 0 ? (['id', 'timestamp'] as const) : FLAGS;
  const given = [
    ...(listPassedFlags(options, flags).length > 0 ? ['--id, --timestamp and --signature'] : []),
    ...captured,
  ];
  if (given.length === 0) throw createUsageError('Expected the webhook headers, got none.', USAGE_HINT);
  if (given.length > 1)
    throw createUsageError(`Expected one source of headers, got ${given.join(' and ')}.`, USAGE_HINT);
}

function flagHeaders(options: Captured['options']): HeaderRecord {
  const missing = FLAGS.filter((name) => !options[name]);
  if (missing.length > 0) {
    const names = missing.map((name) => `--${name}`).join(' and ');
    throw createUsageError(`Missing or empty: ${names} (webhook-${missing.join(', webhook-')}).`, USAGE_HINT);
  }
  return Object.fromEntries(FLAGS.map((name) => [`webhook-${name}`, options[name]]));
}

async function fileHeaders(io: Io, file: string): Promise<HeaderRecord> {
  const headers = parseHeaderText(await readBytes(io, file));
  if (headers !== undefined) return headers;
  throw createUsageError(
    `Expected headers in ${file === STDIN ? 'stdin' : file}, found none.`,
    'Write raw HTTP headers (`webhook-id: …`, one per line) or JSON ({"webhook-id": "…"}).',
  );
}

/** Reads `--delivery`: an id or code known to the running sandbox, JSON, or a JSON file. */
async function capturedDelivery(captured: Captured, delivery: string): Promise<CapturedWebhook> {
  const text = await deliveryText(captured.io, delivery);
  if (text === undefined) return recordedAttempt(captured, delivery);
  const view = parseJson(text) as DeliveryView | undefined;
  if (Array.isArray(view?.attempt_log) && typeof view.event_id === 'string')
    return recordedAttempt(captured, view.id, view);
  if (captured.options.attempt === undefined) return parseDelivery(text);
  throw createUsageError(
    '--attempt requires a delivery from the running sandbox; got a captured webhook.',
    USAGE_HINT,
  );
}

/** Reads JSON text. Returns undefined for an id or a code. */
async function deliveryText(io: Io, delivery: string): Promise<string | undefined> {
  if (delivery.startsWith('{')) return delivery;
  if (delivery === STDIN) return (await readBytes(io, STDIN)).toString('utf8');
  if (delivery.startsWith('@')) return (await readBytes(io, delivery.slice(1))).toString('utf8');
  return undefined;
}

/**
 * Fetches an attempt with its event's body and its endpoint's secrets from the running sandbox: by default, the
 * last failed attempt, or the last one. A `view` from a file provides the headers.
 */
async function recordedAttempt(
  captured: Captured,
  name: string,
  view?: DeliveryView,
): Promise<CapturedWebhook> {
  const found = await queryRunningSandbox(captured, async (client) => {
    try {
      const delivery = view ?? (await fetchDelivery(client, name));
      const failed = delivery.attempt_log.findLast(({ error }) => error !== null);
      const attempt = fetchAttempt(delivery, captured.options.attempt ?? failed?.number);
      const { number, request_headers: headers } = attempt;
      if (headers === undefined)
        throw createUsageError(
          `The headers of attempt ${number} are no longer stored.`,
          'Choose a newer attempt with --attempt.',
        );
      const body = Buffer.from(await client.getText('events/:id/body', { id: delivery.event_id }));
      if (view !== undefined) return { headers, body };
      const secrets = await fetchEndpointSecrets(client, delivery.endpoint_id);
      return { headers, body, recorded: { delivery, attempt, secrets } };
    } catch (error) {
      if (!(error instanceof SandboxError) || error.code !== 'NOT_FOUND') throw error;
      throw createUsageError(
        `The sandbox at ${client.url} has no delivery with the id or payment code ${name}.`,
        USAGE_HINT,
      );
    }
  });
  if (found !== undefined) return found;
  throw createUsageError(`No running sandbox has delivery ${name}.`, USAGE_HINT);
}

async function fetchEndpointSecrets(client: ControlClient, endpointId: string): Promise<FoundSecret[]> {
  const { endpoints } = await client.get('credentials');
  const endpoint = endpoints.find(({ id }) => id === endpointId);
  if (endpoint === undefined) return [];
  const { secret, previous_secret: previous } = endpoint;
  return [
    { secret, source: 'the endpoint' },
    ...(previous === null ? [] : [{ secret: previous, source: 'the endpoint, before its rotation' }]),
  ];
}

/** Parses the output of `listen --json`, which must contain exactly one attempt. */
function parseDelivery(text: string): CapturedWebhook {
  const attempts = text.split('\n').flatMap((line) => attemptOf(line) ?? []);
  const [only, ...others] = attempts;
  if (only === undefined) {
    throw createUsageError(
      'Expected a `listen --json` line with headers and body, got none.',
      `Save one with \`npx sandbox listen --json … > attempts.ndjson\`. ${USAGE_HINT}`,
    );
  }
  if (others.length === 0) return only;
  throw createUsageError(
    `Expected one delivery, got ${attempts.length}.`,
    'Choose one: `tail -n 1 attempts.ndjson | npx sandbox verify --delivery -`.',
  );
}

function attemptOf(line: string): CapturedWebhook | undefined {
  const { headers: sent, body, body_base64: encoded } = (parseJson(line) ?? {}) as Record<string, unknown>;
  const headers = parseJsonHeaders(sent);
  if (headers === undefined) return undefined;
  if (typeof body === 'string') return { headers, body: Buffer.from(body) };
  if (typeof encoded !== 'string') return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder skips invalid characters, so only text that round-trips is valid base64.
  return bytes.toString('base64') === encoded ? { headers, body: bytes } : undefined;
}

/**
 * Parses captured headers: raw HTTP, or JSON as a record, as pairs, or as Node's flat `rawHeaders`. In raw
 * HTTP, ignores a request line, `curl -v` prefixes and a body. Returns undefined for other input.
 */
export function parseHeaderText(bytes: Buffer): HeaderRecord | undefined {
  const text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  return /^[[{]/.test(text) ? parseJsonHeaders(parseJson(text)) : recordOf(rawPairs(bytes));
}

export function parseJsonHeaders(value: unknown): HeaderRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value))
    return recordOf(Object.entries(value).flatMap(([name, all]) => [all].flat().map((one) => [name, one])));
  const isFlat = value.every((one) => typeof one === 'string');
  return recordOf(isFlat ? value.flatMap((_, at) => (at % 2 === 0 ? [value.slice(at, at + 2)] : [])) : value);
}

const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/\d/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?:([^ \t\r\n]+(?:[ \t]+[^ \t\r\n]+)*)[ \t]*)?$/;

function rawPairs(bytes: Buffer): unknown[] {
  // HTTP parsers decode each byte as one character, and signatures are verified over the decoded text.
  const lines = bytes
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trim()
    .split(/\r?\n/)
    .map((line) => line.replace(/^[<>] ?/, '').trimEnd());
  const end = lines.indexOf('');
  return (end < 0 ? lines : lines.slice(0, end))
    .filter((line) => !REQUEST_LINE.test(line))
    .map((line) => {
      const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
      return [name, value];
    });
}

/**
 * Merges header names case-insensitively; repeated headers become a list. Returns undefined if any pair is
 * not a header.
 */
function recordOf(pairs: readonly unknown[]): HeaderRecord | undefined {
  const byName = new Map<string, [name: string, values: string[]]>();
  for (const pair of pairs) {
    const [name, value, ...more] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const isText = typeof value === 'string' || typeof value === 'number';
    if (typeof name !== 'string' || !isText || more.length > 0) return undefined;
    const key = name.toLowerCase();
    const entry = byName.get(key) ?? [name, []];
    entry[1].push(String(value));
    byName.set(key, entry);
  }
  if (byName.size === 0) return undefined;
  const values = Array.from(byName.values(), ([name, all]) => [name, all.length > 1 ? all : all.join('')]);
  return Object.fromEntries(values) as HeaderRecord;
}
