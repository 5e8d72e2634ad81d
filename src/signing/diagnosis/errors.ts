// The signing errors that requests and webhooks share.
import { createHash, createHmac, getHashes } from 'node:crypto';
import { type Bytes, computeHmacSha256 } from '../message.js';
import type {
  Algorithm,
  BodyForm,
  KnownSecret,
  SignedMessageInput,
  PartName,
  SigningError,
} from './diagnose.js';
import { expandErrors, HMAC_SHA256, isCurrentSecret } from './diagnose.js';
import { formatPythonBytes } from './rewriting.js';

/** Texts that programs write for an unset value. @internal */
export const UNSET_TEXTS = ['', 'undefined', 'null', 'None', 'nil'] as const;

/** Texts that programs make of a value without an encoding. @internal */
export const OBJECT_TEXTS = ['[object Object]', 'Array', '[object Promise]', '[object ArrayBuffer]'] as const;

/** The only input of errors that depend on no part of the message. @internal */
export const listMessage = (message: SignedMessageInput): readonly SignedMessageInput[] => [message];

/** The text of a part; a part with characters outside ASCII has none. @internal */
export const decodeSignature =
  (part: 'id' | 'method' | 'path') =>
  ({ right }: SignedMessageInput): readonly string[] => {
    const text = right[part];
    return typeof text === 'string' ? [text] : [];
  };

/** The texts of the current secrets. @internal */
export function listCurrentSecrets({ secrets }: SignedMessageInput): string[] {
  return secrets.filter(isCurrentSecret).map(({ secret }) => secret);
}

/** The other known secrets of a kind. @internal */
export const listSecretsWithNote =
  (note: KnownSecret['note']) =>
  ({ secrets }: SignedMessageInput): KnownSecret[] =>
    secrets.filter((known) => known.note === note);

/** A key under the name of its secret, if it has one. @internal */
export function labelKey(name: string | undefined, key: Bytes): readonly Bytes[] | Record<string, Bytes> {
  return name === undefined ? [key] : { [name]: key };
}

/** The text, and the part after each of its underscores. @internal */
export function listSuffixes(text: string): string[] {
  const tails = [text];
  for (let at = text.indexOf('_'); at >= 0 && tails.length < 5; at = text.indexOf('_', at + 1))
    tails.push(text.slice(at + 1));
  return tails.filter((tail) => tail !== '');
}

const VARIABLE_NAMES = [
  'SANDBOX_SIGNING_SECRET',
  'SIGNING_SECRET',
  'SANDBOX_WEBHOOK_SECRET',
  'WEBHOOK_SECRET',
];
const VARIABLE_FORMS = ['#', '$#', '${#}', 'process.env.#'];
const READ_VARIABLE = 'Read the variable; a quoted name is only a string.';

/** Keys independent of the secret. @internal */
export const UNSET_KEY_ERRORS = expandErrors(
  'key',
  listMessage,
  ['The secret was', 'Check that the variable that holds the secret is set where the program runs.'],
  {
    'secret-unset': ['an empty or unset value', () => [...UNSET_TEXTS, 'secret', 'changeme']],
    'secret-variable-name': ['the name of a variable, not its value', variableNames, READ_VARIABLE],
  },
);

function variableNames(): string[] {
  return VARIABLE_NAMES.flatMap((name) => VARIABLE_FORMS.map((form) => form.replace('#', name)));
}

const TRIM = 'Trim the secret when it is loaded; files and shells add line breaks and quotes.';
const PASS_BYTES =
  'Pass the bytes themselves to hmac.new, as in secret.encode(); do not format them with str() or an f-string.';

/**
 * Errors in the key of either signature; `fix` is how to form it, `rightSecret` which secret to use instead of
 * another credential. @internal
 */
export function createKeyErrors(fix: string, rightSecret: string): readonly SigningError[] {
  const around = (forms: readonly string[]) => (secret: string) =>
    listSuffixes(secret).flatMap((text) => forms.map((form) => form.replace('#', () => text)));
  return [
    ...expandErrors('key', listCurrentSecrets, ['The secret was used', fix], {
      'secret-not-trimmed': [
        'with a space or line break around it',
        around(['#\n', '#\r\n', '# ', ' #', '#\r']),
        TRIM,
      ],
      'secret-quoted': ['with quotes around it', around(['"#"', "'#'", '`#`']), TRIM],
      'secret-hex-decoded': [
        'hex-decoded',
        (secret) => listSuffixes(secret).map((text) => Buffer.from(text, 'hex')),
      ],
      'secret-cut': ['only in part', (secret, { keyOf }) => partsOf(Buffer.from(keyOf(secret)))],
      'secret-python-bytes': [
        "as the text b'…' of Python bytes",
        (secret, { keyOf }) =>
          [keyOf(secret), ...listSuffixes(secret)].map((key) => formatPythonBytes(Buffer.from(key))),
        PASS_BYTES,
      ],
    }),
    ...expandErrors('key', credentialKeys, ['The secret was', rightSecret], {
      'secret-is-other-credential': [
        'Another credential was used as the key.',
        ({ name, key }) => labelKey(name, key),
      ],
    }),
  ];
}

function partsOf(key: Buffer): Buffer[] {
  const beginnings = [16, 20, 24, 32, 64].map((length) => key.subarray(0, length));
  return [...beginnings, key.subarray(0, -1), key.subarray(1)];
}

/** Derives possible keys from the other credentials. */
function credentialKeys(message: SignedMessageInput) {
  return listSecretsWithNote('credential')(message).flatMap(({ name, secret }) => {
    const texts = [secret, ...listSuffixes(secret).slice(1, 2)];
    return [...texts, ...texts.map((text) => Buffer.from(text, 'base64'))].map((key) => ({ name, key }));
  });
}

const TIME = [
  'The time was signed',
  'Read the time once, in whole Unix seconds, and use the same text in the header and in the signed content.',
] as const;
const READ_ONCE = 'Read the clock once; a second reading can be a second later.';

/** The Unix seconds of the timestamp header, if they are clear. @internal */
export const listSeconds = ({ seconds }: SignedMessageInput): readonly number[] =>
  seconds === undefined ? [] : [seconds];

/** Values signed instead of the timestamp. @internal */
export const TIMESTAMP_ERRORS = expandErrors('timestamp', listSeconds, TIME, {
  'timestamp-milliseconds': ['in milliseconds', (seconds) => millisecondsOf(seconds).map(String)],
  'timestamp-microseconds': ['in microseconds', (seconds) => [`${seconds}000000`]],
  'timestamp-nanoseconds': ['in nanoseconds', (seconds) => [`${seconds}000000000`]],
  'timestamp-fraction': ['with a fraction', fractions],
  'timestamp-minutes': ['in minutes', (seconds) => [String(Math.floor(seconds / 60))]],
  'timestamp-iso-date': ['as an ISO date', isoForms],
  'timestamp-http-date': ['as an HTTP date', (seconds) => [new Date(seconds * 1000).toUTCString()]],
  'timestamp-zero-padded': [
    'with different leading zeros than sent',
    (seconds) => [0, 11, 12, 13].map((width) => String(seconds).padStart(width, '0')),
  ],
  'timestamp-quoted': ['in quotes', (seconds) => [`"${seconds}"`, `'${seconds}'`, `b'${seconds}'`]],
  'timestamp-other-second': ['as another second than sent', otherSeconds, READ_ONCE],
  'timestamp-unset': ['as an unset value', () => [...UNSET_TEXTS, 'NaN', '0']],
});

/** All instants within a second, in milliseconds. */
function millisecondsOf(seconds: number): number[] {
  return Array.from({ length: 1000 }, (_value, ms) => seconds * 1000 + ms);
}

function fractions(seconds: number): string[] {
  const zeros = ['.0', '.00', '.000', '.000000'].map((fraction) => seconds + fraction);
  return [...zeros, ...millisecondsOf(seconds).map((ms) => String(ms / 1000))];
}

function isoForms(seconds: number): string[] {
  const date = new Date(seconds * 1000);
  // JavaScript has no date for the seconds beyond the year 275760.
  if (Number.isNaN(date.valueOf())) return [];
  const iso = date.toISOString();
  const bare = iso.slice(0, -5);
  const endings = ['Z', '+00:00', '', '.000000Z', '.000000'];
  return [iso, ...endings.map((ending) => bare + ending), bare.replace('T', ' ')];
}

function otherSeconds(seconds: number): Record<string, string> {
  const shifts = [1, -1, 2, -2, 3, -3, 4, -4, 5, -5];
  const nameOf = (shift: number) => `${Math.abs(shift)} s ${shift > 0 ? 'later' : 'earlier'}`;
  return Object.fromEntries(shifts.map((shift) => [nameOf(shift), String(seconds + shift)]));
}

const JOIN = [
  'The parts were joined',
  'Join the parts with single dots (.), with nothing before or after.',
] as const;
const SEPARATORS = {
  'a colon': ':',
  'a vertical bar': '|',
  'a comma': ',',
  'a hyphen': '-',
  'a space': ' ',
  'an ampersand': '&',
  'an underscore': '_',
  'a semicolon': ';',
  'a slash': '/',
  'a plus sign': '+',
  'a tab': '\t',
  'a dot and a space': '. ',
};
const LINE_BREAKS = { LF: '\n', 'CR LF': '\r\n' };

/** Other ways to join the parts. @internal */
export const SEPARATOR_ERRORS = expandErrors('separator', listMessage, JOIN, {
  'separator-none': ['with nothing between them', () => ['']],
  'separator-line-break': [
    'with line breaks',
    () => ({ ...LINE_BREAKS, 'a backslash and the letter n': '\\n' }),
  ],
  'separator-other': ['with a character other than the dot', () => SEPARATORS],
});

/** Extra text after the last part. @internal */
export const TRAILING_TEXT_ERRORS = expandErrors('ending', listMessage, JOIN, {
  'content-ends-with-line-break': [
    'with a line break after the last one',
    () => LINE_BREAKS,
    'Sign only the parts; in a shell, use printf or echo -n.',
  ],
  'content-ends-with-dot': ['with a dot after the last one', () => ['.']],
});

type Order = readonly PartName[];

/** Wrong orders and selections of the parts, the likely ones first. @internal */
export function createOrderErrors(
  right: Order,
  names: Readonly<Partial<Record<PartName, string>>>,
  likely: { readonly orders: readonly Order[]; readonly selections: readonly Order[] },
): readonly SigningError[] {
  const nameOf = (part: PartName): string => names[part] ?? part;
  const wording = (order: Order): string => order.map(nameOf).join(', ');
  const worded = (orders: readonly Order[]) =>
    Object.fromEntries(orders.map((order) => [wording(order), order]));
  const selections = subsetsOf(right).filter(({ length }) => length > 0 && length < right.length - 1);
  const withoutOne = right.map((part) => {
    const name = nameOf(part);
    const others = right.filter((other) => other !== part);
    return [
      `${name.replaceAll(' ', '-')}-left-out`,
      [`The ${name} was not signed.`, () => [others]] as const,
    ];
  });
  const fix = `Sign ${wording(right)}, all of them and in this order.`;
  return expandErrors('order', listMessage, ['The parts were signed', fix], {
    ...Object.fromEntries(withoutOne),
    'parts-left-out': [
      'Only some of the parts were signed.',
      () => worded([...likely.selections, ...selections]),
    ],
    'parts-order': ['in another order', () => worded([...likely.orders, ...permutationsOf(right)])],
    'parts-twice': [
      'with one of them twice',
      () => worded(right.map((part, at) => right.toSpliced(at, 0, part))),
    ],
  });
}

function subsetsOf<Item>([first, ...rest]: readonly Item[]): Item[][] {
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without.map((subset) => [first, ...subset]), ...without];
}

function permutationsOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [items.slice()];
  return items.flatMap((item, at) =>
    permutationsOf(items.toSpliced(at, 1)).map((rest) => [item].concat(rest)),
  );
}

/** The hashes that this machine provides. @internal */
export function listProvidedHashes(...names: readonly string[]): string[] {
  return names.filter((name) => getHashes().includes(name));
}

const hmac =
  (name: string): Algorithm =>
  (key, content) =>
    content.reduce((mac, chunk) => mac.update(chunk), createHmac(name, key)).digest();

function sha256(...chunks: readonly Bytes[]): Buffer {
  return chunks.reduce((hash, chunk) => hash.update(chunk), createHash('sha256')).digest();
}

function joined(chunks: readonly Bytes[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
}

/** The bytes as they are, in hex, and in base64. */
function inForms(make: (write: (bytes: Buffer) => Bytes) => Algorithm): Record<string, Algorithm> {
  return {
    'as bytes': make((bytes) => bytes),
    'as hex': make((bytes) => bytes.toString('hex')),
    'as base64': make((bytes) => bytes.toString('base64')),
  };
}

const HMAC = [
  'The HMAC was made',
  'Compute an HMAC with SHA-256: the secret is its key, the content its message.',
] as const;
const PASS_CONTENT =
  'Pass the content before the result is read: update(content) in JavaScript, Write(content) in Go.';

/** Other ways to compute a signature from key and content. @internal */
export const ALGORITHM_ERRORS = expandErrors('algorithm', listMessage, HMAC, {
  'algorithm-sha512': ['with SHA-512', () => [hmac('sha512')]],
  'algorithm-sha384': ['with SHA-384', () => [hmac('sha384')]],
  'algorithm-sha1': ['with SHA-1', () => [hmac('sha1')]],
  'algorithm-other-hash': [
    'with another hash than SHA-256',
    () =>
      Object.fromEntries(listProvidedHashes('md5', 'sha224', 'sha3-256').map((name) => [name, hmac(name)])),
  ],
  'algorithm-no-key': ['as a hash without any secret', () => [(_key, content) => sha256(...content)]],
  'algorithm-hash-with-secret': [
    'as a hash of secret and content together',
    () => ({
      'secret first': (key, content) => sha256(key, ...content),
      'secret last': (key, content) => sha256(...content, key),
      'secret first, then a dot': (key, content) => sha256(key, '.', ...content),
      'secret last, after a dot': (key, content) => sha256(...content, '.', key),
    }),
  ],
  'algorithm-key-and-content-swapped': [
    'with key and content swapped',
    () => [(key, content) => computeHmacSha256(joined(content), key)],
  ],
  'algorithm-content-hashed-first': [
    'over a SHA-256 of the content',
    () => inForms((write) => (key, content) => computeHmacSha256(key, write(sha256(...content)))),
  ],
  'algorithm-twice': [
    'twice, or its result was hashed',
    () => ({
      'signed again': (key, content) => computeHmacSha256(key, HMAC_SHA256(key, content)),
      'its hex signed again': (key, content) =>
        computeHmacSha256(key, HMAC_SHA256(key, content).toString('hex')),
      hashed: (key, content) => sha256(HMAC_SHA256(key, content)),
      'its hex hashed': (key, content) => sha256(HMAC_SHA256(key, content).toString('hex')),
    }),
  ],
  'content-not-passed': ['without its content', () => [(key) => computeHmacSha256(key, '')], PASS_CONTENT],
  'content-passed-to-sum': [
    'of nothing: Sum() of Go puts the content before it',
    () => [(key, content) => Buffer.concat([joined(content), computeHmacSha256(key, '')])],
    PASS_CONTENT,
  ],
  'content-encoded': [
    'over the content in base64 or hex',
    () => inForms((write) => (key, content) => computeHmacSha256(key, write(joined(content)))),
  ],
});

/** The fix for bytes that Python formatted as text. @internal */
export const BYTES_AS_TEXT_FIX =
  'Use hexdigest(), or .decode() the bytes that hexlify or b64encode returns; do not ' +
  'format bytes with str() or an f-string.';

/** A form of the body made from its digest. @internal */
export const createDigestForm =
  (write: (digest: Buffer) => Bytes): BodyForm =>
  (_body, sha256) =>
    write(sha256());
