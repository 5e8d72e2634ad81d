import type { Encoding } from '../request.js';
import { UNPADDED_HEX } from './rewriting.js';

/** An error in the format of a signature. @internal */
export interface FormatError {
  readonly id: string;
  readonly did: string;
  readonly fix: string;
}

/** One decoding of a signature's text, and the errors in that format. @internal */
export interface Reading {
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

/** The reading with the fewest errors that a computed signature matches, whole or in its first bytes. @internal */
export function matchReading(readings: readonly Reading[], mac: Buffer): Reading | undefined {
  const hex = mac.toString('hex');
  const isMatch = ({ text, write }: Reading) => (write ? write(mac) === text : hex.startsWith(text));
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

type FormatTable<Read> = Readonly<Record<string, readonly [did: string, fix: string, read: Read]>>;

/**
 * All decodings of a signature's text: in the expected encoding or another format, with or without extra characters.
 * `before` are the errors found before the text was reached. @internal
 */
export function readingsOf(text: string, encoding: Encoding, before: readonly FormatError[] = []): Reading[] {
  if (text.length > MAX_TEXT_LENGTH) return [];
  const unwrapped = Object.entries(WRAPPINGS).flatMap(([id, [did, fix, unwrap]]) => {
    const inner = unwrap(text);
    return inner === undefined || inner === text ? [] : [{ inner, errors: [...before, { id, did, fix }] }];
  });
  const texts = [{ inner: text, errors: before }, ...unwrapped];
  const python = pythonBytesIn(text);
  return [
    ...texts.flatMap(({ inner, errors }) => decodingsOf(inner, encoding, errors)),
    ...texts.flatMap(({ inner, errors }) => unpaddedReadings(inner, errors)),
    ...readingOf(python, [...before, PYTHON_BYTES]),
  ];
}

function readingOf(bytes: Buffer | undefined, errors: readonly FormatError[]): Reading[] {
  return bytes && bytes.length >= MIN_BYTES ? [{ text: bytes.toString('hex'), errors }] : [];
}

function decodingsOf(text: string, encoding: Encoding, before: readonly FormatError[]): Reading[] {
  const exact = EXACT[encoding](text);
  const others = Object.entries(ENCODINGS).flatMap(([id, [did, fix, read]]) => {
    const bytes = read(text);
    return bytes && exact?.equals(bytes) ? [] : readingOf(bytes, [...before, { id, did, fix }]);
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

const ENCODINGS: FormatTable<(text: string) => Buffer | undefined> = {
  'signature-base64': [
    'The signature was written in base64.',
    "Write it in lower-case hex: digest('hex').",
    EXACT.base64,
  ],
  'signature-hex': [
    'The signature was written in hex.',
    "Write its bytes in base64: digest('base64').",
    EXACT.hex,
  ],
  'signature-upper-case': [
    'The signature was written in upper-case hex.',
    'Use the expected encoding, with its letters in the expected case.',
    (text) => (/[A-F]/.test(text) ? hexBytes(text) : undefined),
  ],
  'signature-base64url': [
    'The signature was written in base64url, with - and _.',
    'Use the standard encoding; for base64 that is the alphabet with + and /, with = at the end.',
    (text) => (/^[A-Za-z0-9_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined),
  ],
  'signature-unpadded': [
    'The signature was written in base64 without the = at its end.',
    'Use the standard encoding and keep its padding.',
    (text) =>
      /^[A-Za-z0-9+/]+$/.test(text) && text.length % 4 > 1 ? Buffer.from(text, 'base64') : undefined,
  ],
  'signature-base64-of-hex': [
    'The signature was written in hex, and that text was encoded in base64.',
    'Encode the bytes of the HMAC once; ask the library for bytes, not for hex.',
    (text) => hexBytes(EXACT.base64(text)?.toString('latin1').trimEnd()),
  ],
  'signature-hex-of-base64': [
    'The signature was written in base64, and that text was encoded in hex.',
    'Encode the bytes of the HMAC once.',
    (text) => EXACT.base64(EXACT.hex(text)?.toString('latin1') ?? ''),
  ],
  'signature-with-colons': [
    'The signature was written in hex with separators between the bytes.',
    'Remove the separators between the bytes.',
    (text) =>
      /^[0-9A-Fa-f]{2}(?:[: -][0-9A-Fa-f]{2})+$/.test(text)
        ? hexBytes(text.replaceAll(/[: -]/g, ''))
        : undefined,
  ],
  'signature-as-numbers': [
    'The signature was written as a list of decimal numbers, one for each byte.',
    'Encode the bytes of the HMAC; do not turn the byte array itself into text.',
    bytesInNumbers,
  ],
};

/** A list of bytes with or without brackets, of JSON.stringify(buffer), and of JSON.stringify(uint8Array). */
function bytesInNumbers(text: string): Buffer | undefined {
  const list = /^\{"type":"Buffer","data":(\[[\d,]*\])\}$/.exec(text)?.[1] ?? text;
  const isList = /^\[?\s*-?\d{1,3}(?:,\s*-?\d{1,3}|\s+-?\d{1,3})+\s*\]?$/.test(list);
  const isObject = /^\{"0":\d{1,3}(?:,"\d{1,3}":\d{1,3})+\}$/.test(text);
  if (!isList && !isObject) return undefined;
  const numbers = Array.from(list.replaceAll(/"\d+":/g, '').matchAll(/-?\d+/g), Number);
  return numbers.every((number) => number >= -128 && number <= 255) ? Buffer.from(numbers) : undefined;
}

const UNPADDED: FormatError = {
  id: 'signature-without-leading-zeros',
  did: 'The signature was written in hex without leading zeros.',
  fix: 'Use an encoder of the language; in hex, each byte has two digits, as padStart(2, "0") or "%02x" writes them.',
};

/** Hex that lost its zeros, which no decoder can restore. */
function unpaddedReadings(text: string, before: readonly FormatError[]): Reading[] {
  if (text.length < 32 || text.length > 256 || !/^[0-9a-f]+$/i.test(text)) return [];
  if (text.length >= 64 && !/f{6}/i.test(text)) return [];
  return UNPADDED_HEX.map((write) => ({ text: text.toLowerCase(), write, errors: [...before, UNPADDED] }));
}

const PYTHON_BYTES: FormatError = {
  id: 'signature-python-bytes',
  did: "The signature is the text b'…' of Python bytes.",
  fix:
    'Use hexdigest(), or .decode() the bytes that b64encode or hexlify returns; do not ' +
    'format bytes with str() or an f-string.',
};

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

const COMMAND_OUTPUT: FormatError = {
  id: 'signature-command-output',
  did: 'The signature is the whole output of a command such as openssl dgst or sha256sum.',
  fix: 'Use only the bytes of the HMAC: openssl dgst -sha256 -mac HMAC -macopt … -binary | xxd -p -c 64, or | base64.',
};

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

const WRAPPINGS: FormatTable<(text: string) => string | undefined> = {
  [COMMAND_OUTPUT.id]: [COMMAND_OUTPUT.did, COMMAND_OUTPUT.fix, digitsInOutput],
  [PYTHON_BYTES.id]: [PYTHON_BYTES.did, PYTHON_BYTES.fix, (text) => pythonBytesIn(text)?.toString('latin1')],
  'signature-prefixed': [
    'The signature has a prefix, such as sha256= or v1=.',
    'Send the signature in the expected format, without a prefix.',
    (text) =>
      /^(?:hmac|sha|v\d|signature|bearer|0x)[a-z0-9_-]{0,16}?(?:[=:,]\s*|\s+)(\S.*)$/i.exec(text)?.[1],
  ],
  'signature-with-0x': [
    'The signature has 0x before its hex digits.',
    'Remove the 0x.',
    (text) => /^0x(.+)$/i.exec(text)?.[1],
  ],
  'signature-quoted': [
    'The signature is in quotes.',
    'Send the text itself; do not encode it as JSON.',
    (text) => /^(["'`])(.+)\1$/.exec(text)?.[2],
  ],
  'signature-with-blanks': [
    'The signature has spaces or a line break in it or around it.',
    'Trim the text; the encoders of some command-line tools add a line break.',
    (text) => text.replaceAll(/\s+/g, ''),
  ],
  'signature-url-encoded': [
    'The signature was URL-encoded.',
    'Send it as it is; a header needs no URL encoding.',
    urlDecoded,
  ],
};

function urlDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const OBJECT_TEXT =
  /^(?:\[object \w+\]|undefined|null|None|nil|NaN|true|false|Array|\{\}|\[B@[0-9a-f]+|System\.Byte\[\]|HASH\(0x[0-9a-f]+\)|#?<[^<>]{1,200}>|Promise \{[^{}]{0,200}\})$/;

/** The text of an object or an unset value that was sent as a signature, shortened. @internal */
export function textOfObject(signature: string): string | undefined {
  const text = signature.replace(/^v1,/, '');
  return OBJECT_TEXT.test(text) ? text.slice(0, 40) : undefined;
}

const ENTRY_ERRORS = {
  joinedOtherwise: {
    id: 'signatures-joined-otherwise',
    did: 'The signatures in webhook-signature were not joined with spaces.',
    fix: 'Separate signatures with one space.',
  },
  withoutVersion: {
    id: 'signature-without-version',
    did: 'The signature was sent without v1, before it.',
    fix: 'Send v1, and then the base64 of the signature.',
  },
  versionMark: {
    id: 'signature-version-mark',
    did: 'Version and signature are not separated by a comma, as in v1=.',
    fix: 'Send v1, and then the base64 of the signature; v1= is the format of another service.',
  },
  otherVersion: {
    id: 'signature-other-version',
    did: 'The signature is right but is not marked with version v1.',
    fix: 'Mark HMAC-SHA256 signatures with v1 in lower case.',
  },
} as const satisfies Record<string, FormatError>;

/** The ids of the errors in the format of a signature, and in that of a signature header. @internal */
export const FORMAT_ERROR_IDS = [...Object.keys({ ...ENCODINGS, ...WRAPPINGS }), UNPADDED.id];
/** @internal */
export const ENTRY_ERROR_IDS: readonly string[] = Object.values(ENTRY_ERRORS).map(({ id }) => id);

/** Further entries are ignored; a real header has one or two. */
const MAX_ENTRIES = 16;

/** All decodings of a `webhook-signature` header: each entry, its version, and its signature. @internal */
export function webhookReadings(header: string): Reading[] {
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
    ...others.slice(0, MAX_ENTRIES).flatMap((entry) => entryReadings(entry, [ENTRY_ERRORS.joinedOtherwise])),
    ...whole.flatMap((entry) => entryReadings(entry, [])),
  ];
}

function entryReadings(entry: string, before: readonly FormatError[]): Reading[] {
  const read = (text: string, ...errors: FormatError[]) => readingsOf(text, 'base64', [...before, ...errors]);
  if (entry.startsWith('v1,')) return read(entry.slice(3));
  const versioned = /^(["'`]?)v(\d+[a-z]?)([,=: .]|%2C)(.+)$/i.exec(entry);
  // The fix for the output of a command says how to write the whole entry.
  if (!versioned)
    return before.includes(COMMAND_OUTPUT) ? read(entry) : read(entry, ENTRY_ERRORS.withoutVersion);
  const [, quote = '', version, mark, rest = ''] = versioned;
  if (mark !== ',' && mark !== '%2C') return read(quote + rest, ENTRY_ERRORS.versionMark);
  if (version !== '1' || entry.startsWith('V')) return read(quote + rest, ENTRY_ERRORS.otherVersion);
  return read(quote + rest);
}
