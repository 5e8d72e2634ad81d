import type { HeaderRecord } from '../../signing/headers.js';
import { usageError } from '../program/errors.js';
import { readBytes, STDIN, stdinOnce } from '../program/input-bytes.js';
import type { verify } from '../commands/verify/command.js';
import { flagsGiven } from '../program/declaration.js';
import type { InvocationOf } from '../program/declaration.js';
import type { Io } from '../program/io.js';
import { headersFromJson, parseHeaderText } from './header-text.js';

export interface CapturedWebhook {
  readonly headers: HeaderRecord;
  readonly body: Buffer;
}

type Invocation = InvocationOf<typeof verify>;
type Options = Invocation['options'];

const FLAGS = ['id', 'timestamp', 'signature'] as const;
const WAYS =
  'Give --id, --timestamp and --signature, or --headers FILE, or --delivery @FILE with a line of `npx sandbox listen --json`.';

/** A webhook from the arguments, and the signature that the user's code computed for it, if it was given. */
interface Captured {
  readonly webhook: CapturedWebhook;
  readonly computed: string | undefined;
}

/** The webhook from the arguments. Throws a usage error if a part is missing, unreadable or given twice, or a header is empty. */
export async function capturedWebhook(invocation: Invocation): Promise<Captured> {
  const { headers, delivery, signature } = invocation.options;
  const isCaptured = headers !== undefined || delivery !== undefined;
  return { webhook: await readWebhook(invocation), computed: isCaptured ? signature : undefined };
}

async function readWebhook({ io, args, options }: Invocation): Promise<CapturedWebhook> {
  const { file } = args;
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

function checkOneSource(options: Options): void {
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

function flagHeaders(options: Options): HeaderRecord {
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
  if (delivery === STDIN) return (await readBytes(io, STDIN)).toString('utf8');
  if (delivery.startsWith('@')) return (await readBytes(io, delivery.slice(1))).toString('utf8');
  if (delivery.startsWith('{')) return delivery;
  throw usageError(`--delivery takes @FILE, - for stdin, or the line itself; got ${delivery}.`, WAYS);
}

/** The one attempt among the lines of `listen --json`. */
function parseDelivery(text: string): CapturedWebhook {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const attempts = lines.map(attemptOf).filter((attempt) => attempt !== undefined);
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
  const { headers, body, body_base64: encoded } = parseObject(line);
  const record = headersFromJson(headers);
  if (record === undefined) return undefined;
  if (typeof body === 'string') return { headers: record, body: Buffer.from(body) };
  if (typeof encoded !== 'string') return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder skips invalid characters; only text that encodes back to itself was base64.
  return bytes.toString('base64') === encoded ? { headers: record, body: bytes } : undefined;
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
