import type { HeaderRecord } from '../../signing/headers.js';
import { flagsGiven } from '../program/declaration.js';
import { usageError } from '../program/errors.js';
import { readBytes, STDIN, stdinOnce } from '../program/input-bytes.js';
import type { Io } from '../program/io.js';

export interface CapturedWebhook {
  readonly headers: HeaderRecord;
  readonly body: Buffer;
}

interface Captured {
  readonly io: Io;
  readonly args: { readonly file: string | undefined };
  readonly options: Readonly<
    Record<'id' | 'timestamp' | 'signature' | 'headers' | 'delivery' | 'secretFile', string | undefined>
  >;
}

const FLAGS = ['id', 'timestamp', 'signature'] as const;
const WAYS =
  'Give --id, --timestamp and --signature, or --headers FILE, or --delivery @FILE with a ' +
  'line of `npx sandbox listen --json`.';

/**
 * Reads a webhook from the arguments. Throws a usage error if a part is missing, unreadable or given twice,
 * or a header is empty.
 */
export async function capturedWebhook({ io, args: { file }, options }: Captured): Promise<CapturedWebhook> {
  const { headers: headersFile, delivery } = options;
  checkOneSource(options);
  stdinOnce({
    'the body': file ?? (delivery === undefined ? STDIN : undefined),
    '--headers': headersFile,
    '--delivery': delivery,
    '--secret-file': options.secretFile,
  });
  if (delivery !== undefined) {
    if (file === undefined) return parseDelivery(await deliveryText(io, delivery));
    throw usageError('--delivery holds the body already; got a file too.', 'Leave one of them out.');
  }
  const headers = headersFile === undefined ? flagHeaders(options) : await fileHeaders(io, headersFile);
  return { headers, body: await readBytes(io, file ?? STDIN) };
}

function checkOneSource(options: Captured['options']): void {
  const captured = flagsGiven(options, ['headers', 'delivery']);
  // Beside a captured webhook, --signature is what the user's code computed.
  const flags = captured.length > 0 ? (['id', 'timestamp'] as const) : FLAGS;
  const given = [
    ...(flagsGiven(options, flags).length > 0 ? ['--id, --timestamp and --signature'] : []),
    ...captured,
  ];
  if (given.length === 0) throw usageError('Expected the headers of the webhook, got none.', WAYS);
  if (given.length > 1) throw usageError(`Expected the headers once, got ${given.join(' and ')}.`, WAYS);
}

function flagHeaders(options: Captured['options']): HeaderRecord {
  const missing = FLAGS.filter((name) => !options[name]);
  if (missing.length > 0) {
    const names = missing.map((name) => `--${name}`).join(' and ');
    throw usageError(`${names} is missing or empty: the header webhook-${missing.join(', webhook-')}.`, WAYS);
  }
  return Object.fromEntries(FLAGS.map((name) => [`webhook-${name}`, options[name]]));
}

async function fileHeaders(io: Io, file: string): Promise<HeaderRecord> {
  const headers = parseHeaderText(await readBytes(io, file));
  if (headers !== undefined) return headers;
  throw usageError(
    `Expected headers in ${file === STDIN ? 'stdin' : file}, got something else.`,
    'Write raw HTTP headers (`webhook-id: …`, one per line) or JSON ({"webhook-id": "…"}).',
  );
}

async function deliveryText(io: Io, delivery: string): Promise<string> {
  if (delivery.startsWith('{')) return delivery;
  if (delivery === STDIN) return (await readBytes(io, STDIN)).toString('utf8');
  if (delivery.startsWith('@')) return (await readBytes(io, delivery.slice(1))).toString('utf8');
  throw usageError(`--delivery takes @FILE, - for stdin, or the line itself; got ${delivery}.`, WAYS);
}

/** The one attempt among the lines of `listen --json`. */
function parseDelivery(text: string): CapturedWebhook {
  const attempts = text.split('\n').flatMap((line) => attemptOf(line) ?? []);
  const [only, ...others] = attempts;
  if (only === undefined) {
    throw usageError(
      'Expected a line of `listen --json` with headers and body, got none.',
      'Keep one with `npx sandbox listen --json … > attempts.ndjson`.',
    );
  }
  if (others.length === 0) return only;
  throw usageError(
    `Expected one delivery, got ${attempts.length}.`,
    'Choose one: `tail -n 1 attempts.ndjson | npx sandbox verify --delivery -`.',
  );
}

function attemptOf(line: string): CapturedWebhook | undefined {
  const { headers: sent, body, body_base64: encoded } = (parseJson(line) ?? {}) as Record<string, unknown>;
  const headers = headersFromJson(sent);
  if (headers === undefined) return undefined;
  if (typeof body === 'string') return { headers, body: Buffer.from(body) };
  if (typeof encoded !== 'string') return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder skips invalid characters; only text that encodes back to itself was base64.
  return bytes.toString('base64') === encoded ? { headers, body: bytes } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads headers as people capture them: raw HTTP (a request line, the prefixes of `curl -v` and what follows
 * an empty line are passed over), or JSON as a record, as pairs, or as Node's flat `rawHeaders`. Undefined
 * where it is neither.
 */
export function parseHeaderText(bytes: Buffer): HeaderRecord | undefined {
  const text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  return /^[[{]/.test(text) ? headersFromJson(parseJson(text)) : recordOf(rawPairs(bytes));
}

export function headersFromJson(value: unknown): HeaderRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value))
    return recordOf(Object.entries(value).flatMap(([name, all]) => [all].flat().map((one) => [name, one])));
  const isFlat = value.every((one) => typeof one === 'string');
  return recordOf(isFlat ? value.flatMap((_, at) => (at % 2 === 0 ? [value.slice(at, at + 2)] : [])) : value);
}

const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/\d/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?:([^ \t\r\n]+(?:[ \t]+[^ \t\r\n]+)*)[ \t]*)?$/;

function rawPairs(bytes: Buffer): unknown[] {
  // HTTP parsers make one character of each byte, and the signature is checked over such text.
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
 * One entry for each name, whatever its letter case; repeated headers become a list. Undefined where one is
 * no header.
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
