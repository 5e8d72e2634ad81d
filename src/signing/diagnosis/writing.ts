import type { Finding } from './finding.js';
import type { Encoding } from '../request.js';
import { observed } from './mistake.js';
import type { Reading, WritingMistake } from './search.js';
import { UNPADDED_HEX } from './texts.js';

/** Longer text is not a signature in any format. */
const MAX_TEXT_LENGTH = 1024;

interface Spelling extends WritingMistake {
  readonly read: (text: string) => Buffer | undefined;
}

interface Wrapping extends WritingMistake {
  readonly unwrap: (text: string) => string | undefined;
}

/**
 * All decodings of a signature's text: in the expected `encoding` or another format, with or without extra characters.
 * `given` are the mistakes found before the text was reached.
 */
export function readingsOf(
  text: string,
  encoding: Encoding,
  given: readonly WritingMistake[] = [],
): Reading[] {
  if (text.length > MAX_TEXT_LENGTH) return [];
  const texts: { text: string; mistakes: readonly WritingMistake[] }[] = [{ text, mistakes: given }];
  for (const wrapping of WRAPPINGS) {
    const inner = wrapping.unwrap(text);
    if (inner !== undefined && inner !== text) texts.push({ text: inner, mistakes: [...given, wrapping] });
  }
  const python = pythonBytesIn(text);
  return [
    ...texts.flatMap(({ text, mistakes }) => spellingsOf(text, encoding, mistakes)),
    ...texts.flatMap(({ text, mistakes }) => unpaddedReadings(text, mistakes)),
    ...(python === undefined ? [] : [{ bytes: python, mistakes: [...given, PYTHON_BYTES] }]),
  ];
}

function spellingsOf(text: string, encoding: Encoding, given: readonly WritingMistake[]): Reading[] {
  const readings: Reading[] = [];
  const exact = EXACT[encoding](text);
  if (exact) readings.push({ bytes: exact, mistakes: given });
  for (const spelling of SPELLINGS) {
    const bytes = spelling.read(text);
    if (bytes && !(exact && bytes.equals(exact))) readings.push({ bytes, mistakes: [...given, spelling] });
  }
  return readings;
}

const EXACT: Readonly<Record<Encoding, (text: string) => Buffer | undefined>> = {
  hex: (text) => (/^(?:[0-9a-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : undefined),
  base64: (text) => {
    const bytes = Buffer.from(text, 'base64');
    return bytes.toString('base64') === text ? bytes : undefined;
  },
};

const SPELLINGS: readonly Spelling[] = [
  {
    id: 'signature-base64',
    did: 'The signature was written in base64.',
    fix: "Write it in lower-case hex: digest('hex').",
    read: EXACT.base64,
  },
  {
    id: 'signature-hex',
    did: 'The signature was written in hex.',
    fix: "Write its bytes in base64: digest('base64').",
    read: EXACT.hex,
  },
  {
    id: 'signature-upper-case',
    did: 'The signature was written in upper-case hex.',
    fix: 'Use the expected encoding, with its letters in the expected case.',
    read: (text) =>
      /^(?:[0-9A-Fa-f]{2})+$/.test(text) && /[A-F]/.test(text) ? Buffer.from(text, 'hex') : undefined,
  },
  {
    id: 'signature-base64url',
    did: 'The signature was written in base64url, with - and _.',
    fix: 'Use the standard encoding; for base64 that is the alphabet with + and /, with = at the end.',
    read: (text) => (/^[A-Za-z0-9_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined),
  },
  {
    id: 'signature-unpadded',
    did: 'The signature was written in base64 without the = at its end.',
    fix: 'Use the standard encoding and keep its padding.',
    read: (text) =>
      /^[A-Za-z0-9+/]+$/.test(text) && text.length % 4 > 1 ? Buffer.from(text, 'base64') : undefined,
  },
  {
    id: 'signature-base64-of-hex',
    did: 'The signature was written in hex, and that text was encoded in base64.',
    fix: 'Encode the bytes of the HMAC once; ask the library for bytes, not for hex.',
    read: (text) => {
      const inner = EXACT.base64(text)?.toString('latin1').trimEnd();
      return inner !== undefined && /^(?:[0-9A-Fa-f]{2})+$/.test(inner)
        ? Buffer.from(inner, 'hex')
        : undefined;
    },
  },
  {
    id: 'signature-hex-of-base64',
    did: 'The signature was written in base64, and that text was encoded in hex.',
    fix: 'Encode the bytes of the HMAC once.',
    read: (text) => {
      const inner = EXACT.hex(text)?.toString('latin1');
      return inner === undefined ? undefined : EXACT.base64(inner);
    },
  },
  {
    id: 'signature-with-colons',
    did: 'The signature was written in hex with separators between the bytes.',
    fix: 'Remove the separators between the bytes.',
    read: (text) =>
      /^[0-9A-Fa-f]{2}(?:[: -][0-9A-Fa-f]{2})+$/.test(text)
        ? Buffer.from(text.replaceAll(/[: -]/g, ''), 'hex')
        : undefined,
  },
  {
    id: 'signature-as-numbers',
    did: 'The signature was written as a list of decimal numbers, one for each byte.',
    fix: 'Encode the bytes of the HMAC; do not turn the byte array itself into text.',
    read: bytesInNumbers,
  },
];

/** A list of bytes with or without brackets, of JSON.stringify(buffer), and of JSON.stringify(uint8Array). */
function bytesInNumbers(text: string): Buffer | undefined {
  const list = /^\{"type":"Buffer","data":(\[[\d,]*\])\}$/.exec(text)?.[1] ?? text;
  const isList = /^\[?\s*-?\d{1,3}(?:,\s*-?\d{1,3}|\s+-?\d{1,3})+\s*\]?$/.test(list);
  const isObject = /^\{"0":\d{1,3}(?:,"\d{1,3}":\d{1,3})+\}$/.test(text);
  if (!isList && !isObject) return undefined;
  const numbers =
    list
      .replaceAll(/"\d+":/g, '')
      .match(/-?\d+/g)
      ?.map(Number) ?? [];
  return numbers.every((number) => number >= -128 && number <= 255) ? Buffer.from(numbers) : undefined;
}

const UNPADDED: WritingMistake = {
  id: 'signature-without-leading-zeros',
  did: 'The signature was written in hex without leading zeros.',
  fix: 'Use an encoder of the language; in hex, each byte has two digits, as padStart(2, "0") or "%02x" writes them.',
};

/** Readings of hex that lost its zeros, which no decoder can know: compared as text. */
function unpaddedReadings(text: string, given: readonly WritingMistake[]): Reading[] {
  if (text.length < 32 || text.length > 256 || !/^[0-9a-f]+$/i.test(text)) return [];
  if (text.length >= 64 && !/f{6}/i.test(text)) return [];
  const bytes = Buffer.from(text.toLowerCase());
  return UNPADDED_HEX.map((write) => ({ bytes, write, mistakes: [...given, UNPADDED] }));
}

const PYTHON_BYTES: WritingMistake = {
  id: 'signature-python-bytes',
  did: "The signature is the text b'…' of Python bytes.",
  fix:
    'Use hexdigest(), or .decode() the bytes that b64encode or hexlify returns; do not ' +
    'format bytes with str() or an f-string.',
};

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

const PYTHON_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The whole output of a command. @internal */
const COMMAND_OUTPUT: WritingMistake = {
  id: 'signature-command-output',
  did: 'The signature is the whole output of a command such as openssl dgst or sha256sum.',
  fix: 'Use only the bytes of the HMAC: openssl dgst -sha256 -mac HMAC -macopt … -binary | xxd -p -c 64, or | base64.',
};

/** The digits in the output of `openssl dgst`, `sha256sum` or `shasum`, also if it was encoded in base64. @internal */
function digitsInOutput(text: string): string | undefined {
  const plain = text.trim();
  const output =
    /^[\w/-]{0,20} ?\([^()]{0,200}\) ?= ?(\S+)$/.exec(plain)?.[1] ??
    /^([0-9a-f]{32,128}) [ *]\S+$/i.exec(plain)?.[1];
  if (output !== undefined) return output;
  const inner = EXACT.base64(plain)?.toString('latin1');
  return inner !== undefined && /[ (]/.test(inner) ? digitsInOutput(inner) : undefined;
}

const WRAPPINGS: readonly Wrapping[] = [
  { ...COMMAND_OUTPUT, unwrap: digitsInOutput },
  { ...PYTHON_BYTES, unwrap: (text) => pythonBytesIn(text)?.toString('latin1') },
  {
    id: 'signature-prefixed',
    did: 'The signature has a prefix, such as sha256= or v1=.',
    fix: 'Send the signature in the expected format, without a prefix.',
    unwrap: (text) =>
      /^(?:hmac|sha|v\d|signature|bearer|0x)[a-z0-9_-]{0,16}?(?:[=:,]\s*|\s+)(\S.*)$/i.exec(text)?.[1],
  },
  {
    id: 'signature-with-0x',
    did: 'The signature has 0x before its hex digits.',
    fix: 'Remove the 0x.',
    unwrap: (text) => /^0x(.+)$/i.exec(text)?.[1],
  },
  {
    id: 'signature-quoted',
    did: 'The signature is in quotes.',
    fix: 'Send the text itself; do not encode it as JSON.',
    unwrap: (text) => /^(["'`])(.+)\1$/.exec(text)?.[2],
  },
  {
    id: 'signature-with-blanks',
    did: 'The signature has spaces or a line break in it or around it.',
    fix: 'Trim the text; the encoders of some command-line tools add a line break.',
    unwrap: (text) => (/\s/.test(text) ? text.replaceAll(/\s+/g, '') : undefined),
  },
  {
    id: 'signature-url-encoded',
    did: 'The signature was URL-encoded.',
    fix: 'Send it as it is; a header needs no URL encoding.',
    unwrap: (text) => (/%[0-9A-Fa-f]{2}/.test(text) ? decoded(text) : undefined),
  },
];

/** The ids of the format mistakes in this file. */
export const WRITING_MISTAKE_IDS: readonly string[] = [...SPELLINGS, ...WRAPPINGS, UNPADDED].map(
  ({ id }) => id,
);

const OBJECT_TEXT =
  /^(?:\[object \w+\]|undefined|null|None|nil|NaN|true|false|Array|\{\}|\[B@[0-9a-f]+|System\.Byte\[\]|HASH\(0x[0-9a-f]+\)|#?<[^<>]{1,200}>|Promise \{[^{}]{0,200}\})$/;

/** The finding for a signature that is no encoding of bytes. @internal */
export function objectSignature(text: string, expected: string): Finding | undefined {
  if (!OBJECT_TEXT.test(text)) return undefined;
  const did = `The signature is the text of an object or an unset value: ${text.slice(0, 40)}.`;
  const fix =
    'Encode the bytes of the HMAC: call digest with the encoding, and await a function that returns a promise.';
  return observed('signature-is-object', did, expected, fix);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly text: string;
  readonly mistakes: readonly WritingMistake[];
}

/** Further entries are ignored; a real header has one or two. */
const MAX_ENTRIES = 16;

/** All decodings of a `webhook-signature` header: each entry, its version, and its signature. */
export function webhookReadings(header: string): Reading[] {
  return entriesOf(header)
    .flatMap(versionsOf)
    .flatMap(({ text, mistakes }) => readingsOf(text, 'base64', mistakes));
}

/** The entries between spaces, and those between other separators that the header has. */
function entriesOf(header: string): Entry[] {
  const [, version = '', text = ''] = /^(v1,)?(.*)$/s.exec(header) ?? [];
  const digits = digitsInOutput(text);
  if (digits !== undefined) return [{ text: version + digits, mistakes: [COMMAND_OUTPUT] }];
  const entries: Entry[] = header
    .split(' ')
    .filter((text) => text !== '')
    .map((text) => ({ text, mistakes: [] }));
  const known = new Set(entries.map(({ text }) => text));
  const other = header
    .split(/[\s;|]+|,(?=\s*v\d)|,\s/)
    .map((text) => text.trim())
    .filter((text) => text !== '' && !known.has(text));
  for (const text of other) entries.push({ text, mistakes: [ENTRY_MISTAKES.joinedOtherwise] });
  // The decodings remove quotes, spaces and encodings around a whole header.
  const whole = entries.some((entry) => entry.text === header) ? [] : [{ text: header, mistakes: [] }];
  return [...entries.slice(0, MAX_ENTRIES), ...whole];
}

function versionsOf({ text, mistakes }: Entry): Entry[] {
  if (text.startsWith('v1,')) return [{ text: text.slice(3), mistakes }];
  const versioned = /^(["'`]?)v(\d+[a-z]?)([,=: .]|%2C)(.+)$/i.exec(text);
  // The fix for the output of a command says how to write the whole entry.
  if (!versioned && mistakes.includes(COMMAND_OUTPUT)) return [{ text, mistakes }];
  if (!versioned) return [{ text, mistakes: [...mistakes, ENTRY_MISTAKES.withoutVersion] }];
  const [, quote = '', version, mark, rest = ''] = versioned;
  const inner = quote + rest;
  if (mark !== ',' && mark !== '%2C')
    return [{ text: inner, mistakes: [...mistakes, ENTRY_MISTAKES.versionMark] }];
  if (version !== '1' || text.startsWith('V'))
    return [{ text: inner, mistakes: [...mistakes, ENTRY_MISTAKES.otherVersion] }];
  return [{ text: inner, mistakes }];
}

const ENTRY_MISTAKES = {
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
} as const satisfies Record<string, WritingMistake>;

/** The ids of the mistakes in this file about a signature header. */
export const ENTRY_MISTAKE_IDS: readonly string[] = Object.values(ENTRY_MISTAKES).map(({ id }) => id);
