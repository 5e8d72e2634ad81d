import type { Encoding } from '../request.js';
import { UNPADDED_HEX_FORMATS } from './rewriting.js';

/** An error in the format of a signature. @internal */
interface FormatError {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
}

/** One decoding of a signature's text, and the errors in that format. @internal */
export interface SignatureReading {
  /** Hex, or what `write` makes of the right bytes. */
  readonly text: string;
  readonly write?: (mac: Buffer) => string;
  readonly errors: readonly FormatError[];
  /** Ids of other errors that give the same text as the last one. */
  readonly alike?: readonly string[];
}

const TRUNCATED: FormatError = {
  id: 'signature-truncated',
  did: 'The signature was cut short.',
  fix: 'Send all 32 bytes of the signature.',
};

/**
 * Finds the reading with the fewest errors whose bytes, or first bytes, match a computed signature. @internal
 */
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

/** Longer text is not a signature in any format, and fewer bytes could match by chance. */
const MAX_TEXT_LENGTH = 1024;
const MIN_BYTES = 8;

/**
 * All decodings of a signature's text: in the expected encoding or another format, with or without extra characters.
 * `before` are the errors found before the text was reached. @internal
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

/** A format that signatures are sent in, and how to get the bytes, or the text in it. */
interface Format extends FormatError {
  readonly read?: (text: string) => Buffer | undefined;
  readonly unwrap?: (text: string) => string | undefined;
}

const ENCODE_ONCE =
  "Encode the bytes of the HMAC once, in the expected encoding: digest('hex') in lower case, or digest('base64') " +
  'with + and / and its padding.';
const ONLY_TEXT = 'Send the text of the signature itself, in the expected format and with nothing around it.';
const NO_STRING_OF_BYTES =
  'Use hexdigest(), or .decode() the bytes that b64encode or hexlify returns; do not ' +
  'format bytes with str() or an f-string.';
const ONLY_BYTES =
  'Use only the bytes of the HMAC: openssl dgst -sha256 -mac HMAC -macopt … -binary | xxd -p -c 64, or | base64.';

function written(name: string, how: string, read: Format['read']): Format {
  return { id: `signature-${name}`, did: `The signature was written ${how}.`, fix: ENCODE_ONCE, read };
}

function wrapped(name: string, how: string, unwrap: Format['unwrap'], fix = ONLY_TEXT): Format {
  return { id: `signature-${name}`, did: `The signature ${how}.`, fix, unwrap };
}

const COMMAND_OUTPUT = wrapped(
  'command-output',
  'is the whole output of a command such as openssl dgst or sha256sum',
  digitsInOutput,
  ONLY_BYTES,
);
const PREFIX = /^(?:hmac|sha|v\d|signature|bearer|0x)[a-z0-9_-]{0,16}?(?:[=:,]\s*|\s+)(\S.*)$/i;

const FORMATS: readonly Format[] = [
  written('base64', 'in base64', EXACT.base64),
  written('hex', 'in hex', EXACT.hex),
  written('upper-case', 'in upper-case hex', (text) => (/[A-F]/.test(text) ? hexBytes(text) : undefined)),
  written('base64url', 'in base64url, with - and _', (text) =>
    /^[A-Za-z0-9_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined,
  ),
  written('unpadded', 'in base64 without the = at its end', (text) =>
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
  written('as-numbers', 'as a list of decimal numbers, one for each byte', bytesInNumbers),
  COMMAND_OUTPUT,
  {
    ...wrapped(
      'python-bytes',
      "is the text b'…' of Python bytes",
      (text) => pythonBytesIn(text)?.toString('latin1'),
      NO_STRING_OF_BYTES,
    ),
    read: pythonBytesIn,
  },
  wrapped('prefixed', 'has a prefix, such as sha256= or v1=', (text) => PREFIX.exec(text)?.[1]),
  wrapped('with-0x', 'has 0x before its hex digits', (text) => /^0x(.+)$/i.exec(text)?.[1]),
  wrapped('quoted', 'is in quotes', (text) => /^(["'`])(.+)\1$/.exec(text)?.[2]),
  wrapped('with-blanks', 'has spaces or a line break in it or around it', (text) =>
    text.replaceAll(/\s+/g, ''),
  ),
  wrapped('url-encoded', 'was URL-encoded', urlDecoded),
];

/** A list of bytes with or without brackets, of JSON.stringify(buffer), and of JSON.stringify(uint8Array). */
function bytesInNumbers(text: string): Buffer | undefined {
  const list = /^\{"type":"Buffer","data":(\[[\d,]*\])\}$/.exec(text)?.[1] ?? text;
  const isList = /^\[?\s*-?\d{1,3}(?:,\s*-?\d{1,3}|\s+-?\d{1,3})+\s*\]?$/.test(list);
  const isObject = /^\{"0":\d{1,3}(?:,"\d{1,3}":\d{1,3})+\}$/.test(text);
  if (!isList && !isObject) return undefined;
  const numbers = Array.from(list.replaceAll(/"\d+":/g, '').matchAll(/-?\d+/g), Number);
  return numbers.every((number) => number >= -128 && number <= 255) ? Buffer.from(numbers) : undefined;
}

const UNPADDED = written('without-leading-zeros', 'in hex without leading zeros', undefined);

/** Hex that lost its zeros, which no decoder can restore. */
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

/** The bytes in a literal of Python. */
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

/** The digits in the output of `openssl dgst`, `sha256sum` or `shasum`, also if it was encoded in base64. */
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

/** Finds the text of an object or unset value sent as a signature, shortened. @internal */
export function parseObjectText(signature: string): string | undefined {
  const text = signature.replace(/^v1,/, '');
  return OBJECT_TEXT.test(text) ? text.slice(0, 40) : undefined;
}

const SEND_ENTRIES = 'Send v1, and then the base64 of each signature, with one space between several.';

function entryError(id: string, did: string): FormatError {
  return { id, did, fix: SEND_ENTRIES };
}

const JOINED_OTHERWISE = entryError(
  'signatures-joined-otherwise',
  'The signatures in webhook-signature were not joined with spaces.',
);
const WITHOUT_VERSION = entryError(
  'signature-without-version',
  'The signature was sent without v1, before it.',
);
const VERSION_MARK = entryError(
  'signature-version-mark',
  'Version and signature are not separated by a comma, as in v1=.',
);
const OTHER_VERSION = entryError(
  'signature-other-version',
  'The signature is right but is not marked with version v1.',
);

/** The ids of the errors in the format of a signature, and in that of a signature header. @internal */
export const FORMAT_ERROR_IDS = [...FORMATS, UNPADDED].map(({ id }) => id);
/** @internal */
export const ENTRY_ERROR_IDS = [JOINED_OTHERWISE, WITHOUT_VERSION, VERSION_MARK, OTHER_VERSION].map(
  ({ id }) => id,
);

/** Further entries are ignored; a real header has one or two. */
const MAX_ENTRIES = 16;

/** All decodings of a `webhook-signature` header: each entry, its version, and its signature. @internal */
export function listWebhookReadings(header: string): SignatureReading[] {
  const [, version = '', text = ''] = /^(v1,)?(.*)$/s.exec(header) ?? [];
  const digits = digitsInOutput(text);
  if (digits !== undefined) return entryReadings(version + digits, [COMMAND_OUTPUT]);
  const entries = new Set(header.split(' ').filter((entry) => entry !== ''));
  const others = header
    .split(/[\s;|]+|,(?=\s*v\d)|,\s/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entries.has(entry));
  // The decodings remove quotes, spaces and encodings around a whole header.
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
  // The fix for the output of a command says how to write the whole entry.
  if (!versioned) return before.includes(COMMAND_OUTPUT) ? read(entry) : read(entry, WITHOUT_VERSION);
  const [, quote = '', version, mark, rest = ''] = versioned;
  if (mark !== ',' && mark !== '%2C') return read(quote + rest, VERSION_MARK);
  if (version !== '1' || entry.startsWith('V')) return read(quote + rest, OTHER_VERSION);
  return read(quote + rest);
}
