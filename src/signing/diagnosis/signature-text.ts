import type { Encoding } from '../request.js';
import { UNPADDED_HEX_FORMATS } from './rewriting.js';

/** Format error in a signature. @internal */
interface FormatError {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
}

/** One possible decoding of a signature, with its format errors. @internal */
export interface SignatureReading {
  /** Hex digits, or the expected result of `write`. */
  readonly text: string;
  readonly write?: (mac: Buffer) => string;
  readonly errors: readonly FormatError[];
  /** Ids of other errors that produce the same text as the last error. */
  readonly alike?: readonly string[];
}

const TRUNCATED: FormatError = {
  id: 'signature-truncated',
  did: 'The signature was truncated.',
  fix: 'Send all 32 bytes of the signature.',
};

/** Finds the decoding with the fewest errors. A prefix of the signature also matches. @internal */
export function matchReading(
  readings: readonly SignatureReading[],
  mac: Buffer,
): SignatureReading | undefined {
  const hex = mac.toString('hex');
  const isMatch = ({ text, write }: SignatureReading) => (write ? write(mac) === text : hex.startsWith(text));
  if (!readings.some(isMatch)) return undefined;
  const [best, ...others] = readings
    .filter(isMatch)
    .map((reading) => {
      const isWhole = reading.write !== undefined || reading.text === hex;
      return isWhole ? reading : { text: reading.text, errors: [...reading.errors, TRUNCATED] };
    })
    .toSorted((one, other) => one.errors.length - other.errors.length);
  if (!best) return undefined;
  const alike = others.filter(({ errors }) => errors.length === best.errors.length);
  return { ...best, alike: alike.flatMap(({ errors }) => errors.at(-1)?.id ?? []) };
}

/** Limits: longer text cannot be a signature, and fewer bytes could match by chance. */
const MAX_TEXT_LENGTH = 1024;
const MIN_BYTES = 8;

/**
 * Lists all decodings of a signature, in any format and with or without extra characters. `before` contains
 * the errors found so far. @internal
 */
export function listReadings(
  text: string,
  encoding: Encoding,
  before: readonly FormatError[] = [],
): SignatureReading[] {
  if (text.length > MAX_TEXT_LENGTH) return [];
  const texts = [{ inner: text, errors: before }];
  for (const { unwrap, ...error } of FORMATS) {
    const inner = unwrap?.(text);
    if (inner !== undefined && inner !== text) texts.push({ inner, errors: [...before, error] });
  }
  return [
    ...texts.flatMap(({ inner, errors }) => decodingsOf(inner, encoding, errors)),
    ...texts.flatMap(({ inner, errors }) => unpaddedReadings(inner, errors)),
  ];
}

function readingOf(bytes: Buffer | undefined, errors: readonly FormatError[]): SignatureReading[] {
  return bytes && bytes.length >= MIN_BYTES ? [{ text: bytes.toString('hex'), errors }] : [];
}

function decodingsOf(text: string, encoding: Encoding, before: readonly FormatError[]): SignatureReading[] {
  const exact = EXACT[encoding](text);
  const others = FORMATS.flatMap(({ read, ...error }) => {
    const bytes = read?.(text);
    return bytes && exact?.equals(bytes) ? [] : readingOf(bytes, [...before, error]);
  });
  return [...readingOf(exact, before), ...others];
}

const EXACT: Readonly<Record<Encoding, (text: string) => Buffer | undefined>> = {
  hex: (text) => (/^(?:[0-9a-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : undefined),
  base64: (text) => {
    const bytes = Buffer.from(text, 'base64');
    return bytes.toString('base64') === text ? bytes : undefined;
  },
};

function hexBytes(text: string | undefined): Buffer | undefined {
  return text !== undefined && /^(?:[0-9A-Fa-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Signature format. `read` decodes the bytes; `unwrap` extracts the inner text. */
interface Format extends FormatError {
  readonly read?: (text: string) => Buffer | undefined;
  readonly unwrap?: (text: string) => string | undefined;
}

const ENCODE_ONCE =
  "Encode the bytes of the HMAC once, in the expected encoding: digest('hex') in lower case, or digest('base64') " +
  'with +, / and padding.';
const ONLY_TEXT = 'Send only the signature in the expected format, with nothing around it.';
const NO_STRING_OF_BYTES =
  'Use hexdigest(), or .decode() the bytes that b64encode or hexlify returns; do not ' +
  'format bytes with str() or an f-string.';
const ONLY_BYTES =
  'Use only the HMAC bytes: openssl dgst -sha256 -mac HMAC -macopt … -binary | xxd -p -c 64, or | base64.';

function written(name: string, how: string, read: Format['read']): Format {
  return { id: `signature-${name}`, did: `The signature was encoded ${how}.`, fix: ENCODE_ONCE, read };
}

function wrapped(name: string, how: string, unwrap: Format['unwrap'], fix = ONLY_TEXT): Format {
  return { id: `signature-${name}`, did: `The signature ${how}.`, fix, unwrap };
}

const COMMAND_OUTPUT = wrapped(
  'command-output',
  'is the full output of a command such as openssl dgst or sha256sum',
  digitsInOutput,
  ONLY_BYTES,
);
const PREFIX = /^(?:hmac|sha|v\d|signature|bearer|0x)[a-z0-9_-]{0,16}?(?:[=:,]\s*|\s+)(\S.*)$/i;

const FORMATS: readonly Format[] = [
  written('base64', 'in base64', EXACT.base64),
  written('hex', 'in hex', EXACT.hex),
  written('upper-case', 'in uppercase hex', (text) => (/[A-F]/.test(text) ? hexBytes(text) : undefined)),
  written('base64url', 'in base64url, with - and _', (text) =>
    /^[A-Za-z0-9_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined,
  ),
  written('unpadded', 'in base64 without = padding', (text) =>
    /^[A-Za-z0-9+/]+$/.test(text) && text.length % 4 > 1 ? Buffer.from(text, 'base64') : undefined,
  ),
  written('base64-of-hex', 'in hex, and that text was encoded in base64', (text) =>
    hexBytes(EXACT.base64(text)?.toString('latin1').trimEnd()),
  ),
  written('hex-of-base64', 'in base64, and that text was encoded in hex', (text) =>
    EXACT.base64(EXACT.hex(text)?.toString('latin1') ?? ''),
  ),
  written('with-colons', 'in hex with separators between the bytes', (text) =>
    /^[0-9A-Fa-f]{2}(?:[: -][0-9A-Fa-f]{2})+$/.test(text)
      ? hexBytes(text.replaceAll(/[: -]/g, ''))
      : undefined,
  ),
  written('as-numbers', 'as a list of decimal numbers, one per byte', bytesInNumbers),
  COMMAND_OUTPUT,
  {
    ...wrapped(
      'python-bytes',
      "is the string form b'…' of Python bytes",
      (text) => pythonBytesIn(text)?.toString('latin1'),
      NO_STRING_OF_BYTES,
    ),
    read: pythonBytesIn,
  },
  wrapped('prefixed', 'has a prefix, such as sha256= or v1=', (text) => PREFIX.exec(text)?.[1]),
  wrapped('with-0x', 'has 0x before its hex digits', (text) => /^0x(.+)$/i.exec(text)?.[1]),
  wrapped('quoted', 'is in quotes', (text) => /^(["'`])(.+)\1$/.exec(text)?.[2]),
  wrapped('with-blanks', 'has spaces or line breaks in or around it', (text) => text.replaceAll(/\s+/g, '')),
  wrapped('url-encoded', 'was URL-encoded', urlDecoded),
];

/** Parses bytes from a list, or from JSON.stringify of a Buffer or Uint8Array. */
function bytesInNumbers(text: string): Buffer | undefined {
  const list = /^\{"type":"Buffer","data":(\[[\d,]*\])\}$/.exec(text)?.[1] ?? text;
  const isList = /^\[?\s*-?\d{1,3}(?:,\s*-?\d{1,3}|\s+-?\d{1,3})+\s*\]?$/.test(list);
  const isObject = /^\{"0":\d{1,3}(?:,"\d{1,3}":\d{1,3})+\}$/.test(text);
  if (!isList && !isObject) return undefined;
  const numbers = Array.from(list.replaceAll(/"\d+":/g, '').matchAll(/-?\d+/g), Number);
  return numbers.every((number) => number >= -128 && number <= 255) ? Buffer.from(numbers) : undefined;
}

const UNPADDED = written('without-leading-zeros', 'in hex without leading zeros', undefined);

/** Lists possible readings of hex without leading zeros; no decoder can restore the zeros. */
function unpaddedReadings(text: string, before: readonly FormatError[]): SignatureReading[] {
  if (text.length < 32 || text.length > 256 || !/^[0-9a-f]+$/i.test(text)) return [];
  if (text.length >= 64 && !/f{6}/i.test(text)) return [];
  return UNPADDED_HEX_FORMATS.map((write) => ({
    text: text.toLowerCase(),
    write,
    errors: [...before, UNPADDED],
  }));
}

const PYTHON_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Parses a Python bytes literal. */
function pythonBytesIn(text: string): Buffer | undefined {
  const inner = /^b(["'])(.*)\1$/s.exec(text)?.[2];
  if (inner === undefined) return undefined;
  const bytes = inner.replaceAll(/\\(?:x([0-9a-f]{2})|(.))/gs, (_whole, hex?: string, sign = '') =>
    hex === undefined
      ? (PYTHON_ESCAPES[String(sign)] ?? String(sign))
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}

/** Extracts the digits from the output of `openssl dgst`, `sha256sum` or `shasum`, even if base64-encoded. */
function digitsInOutput(text: string): string | undefined {
  const plain = text.trim();
  const output =
    /^[\w/-]{0,20} ?\([^()]{0,200}\) ?= ?(\S+)$/.exec(plain)?.[1] ??
    /^([0-9a-f]{32,128}) [ *]\S+$/i.exec(plain)?.[1];
  if (output !== undefined) return output;
  const inner = EXACT.base64(plain)?.toString('latin1');
  return inner !== undefined && /[ (]/.test(inner) ? digitsInOutput(inner) : undefined;
}

function urlDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const OBJECT_TEXT =
  /^(?:\[object \w+\]|undefined|null|None|nil|NaN|true|false|Array|\{\}|\[B@[0-9a-f]+|System\.Byte\[\]|HASH\(0x[0-9a-f]+\)|#?<[^<>]{1,200}>|Promise \{[^{}]{0,200}\})$/;

/** Returns the shortened signature if it is a stringified object or unset value. @internal */
export function parseObjectText(signature: string): string | undefined {
  const text = signature.replace(/^v1,/, '');
  return OBJECT_TEXT.test(text) ? text.slice(0, 40) : undefined;
}

const SEND_ENTRIES = 'Send each signature as v1,<base64>, separated by single spaces.';

function entryError(id: string, did: string): FormatError {
  return { id, did, fix: SEND_ENTRIES };
}

const JOINED_OTHERWISE = entryError(
  'signatures-joined-otherwise',
  'The signatures in webhook-signature were not separated by spaces.',
);
const WITHOUT_VERSION = entryError(
  'signature-without-version',
  'The signature was sent without the v1, prefix.',
);
const VERSION_MARK = entryError(
  'signature-version-mark',
  'The version and the signature are not separated by a comma, e.g. v1=.',
);
const OTHER_VERSION = entryError(
  'signature-other-version',
  'The signature is correct but is not marked as version v1.',
);

/** Ids of all format errors in signatures. @internal */
export const FORMAT_ERROR_IDS = [...FORMATS, UNPADDED].map(({ id }) => id);
/** @internal */
export const ENTRY_ERROR_IDS = [JOINED_OTHERWISE, WITHOUT_VERSION, VERSION_MARK, OTHER_VERSION].map(
  ({ id }) => id,
);

/** Maximum number of parsed entries; real headers have one or two. */
const MAX_ENTRIES = 16;

/** Lists all decodings of the entries in a `webhook-signature` header. @internal */
export function listWebhookReadings(header: string): SignatureReading[] {
  const [, version = '', text = ''] = /^(v1,)?(.*)$/s.exec(header) ?? [];
  const digits = digitsInOutput(text);
  if (digits !== undefined) return entryReadings(version + digits, [COMMAND_OUTPUT]);
  const entries = new Set(header.split(' ').filter((entry) => entry !== ''));
  const others = header
    .split(/[\s;|]+|,(?=\s*v\d)|,\s/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entries.has(entry));
  // Decoding removes quotes, spaces and encodings around the complete header.
  const whole = entries.has(header) ? [] : [header];
  return [
    ...[...entries].slice(0, MAX_ENTRIES).flatMap((entry) => entryReadings(entry, [])),
    ...others.slice(0, MAX_ENTRIES).flatMap((entry) => entryReadings(entry, [JOINED_OTHERWISE])),
    ...whole.flatMap((entry) => entryReadings(entry, [])),
  ];
}

function entryReadings(entry: string, before: readonly FormatError[]): SignatureReading[] {
  const read = (text: string, ...errors: FormatError[]) =>
    listReadings(text, 'base64', [...before, ...errors]);
  if (entry.startsWith('v1,')) return read(entry.slice(3));
  const versioned = /^(["'`]?)v(\d+[a-z]?)([,=: .]|%2C)(.+)$/i.exec(entry);
  // The fix for command output already explains how to write the entry.
  if (!versioned) return before.includes(COMMAND_OUTPUT) ? read(entry) : read(entry, WITHOUT_VERSION);
  const [, quote = '', version, mark, rest = ''] = versioned;
  if (mark !== ',' && mark !== '%2C') return read(quote + rest, VERSION_MARK);
  if (version !== '1' || entry.startsWith('V')) return read(quote + rest, OTHER_VERSION);
  return read(quote + rest);
}
