// Defines the signing errors shared by requests and webhooks.
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

/** String forms of unset values. @internal */
export const UNSET_TEXTS = ['', 'undefined', 'null', 'None', 'nil'] as const;

/** String forms of objects and promises. @internal */
export const OBJECT_TEXTS = ['[object Object]', 'Array', '[object Promise]', '[object ArrayBuffer]'] as const;

/** Returns a list that contains only the message. @internal */
export const listMessage = (message: SignedMessageInput): readonly SignedMessageInput[] => [message];

/** Lists the text of a part; the list is empty if the text contains non-ASCII characters. @internal */
export const listPartText =
  (part: 'id' | 'method' | 'path') =>
  ({ right }: SignedMessageInput): readonly string[] => {
    const text = right[part];
    return typeof text === 'string' ? [text] : [];
  };

/** @internal */
export function listCurrentSecrets({ secrets }: SignedMessageInput): string[] {
  return secrets.filter(isCurrentSecret).map(({ secret }) => secret);
}

/** @internal */
export const listSecretsWithNote =
  (note: KnownSecret['note']) =>
  ({ secrets }: SignedMessageInput): KnownSecret[] =>
    secrets.filter((known) => known.note === note);

/** Labels a key with the name of its secret, if known. @internal */
export function labelKey(name: string | undefined, key: Bytes): readonly Bytes[] | Record<string, Bytes> {
  return name === undefined ? [key] : { [name]: key };
}

/** Returns the text and every suffix after an underscore. @internal */
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

/** Key errors that don't depend on the secret. @internal */
export const UNSET_KEY_ERRORS = expandErrors(
  'key',
  listMessage,
  ['The secret was', 'Check that the variable with the secret is set where the program runs.'],
  {
    'secret-unset': ['an empty or unset value', () => [...UNSET_TEXTS, 'secret', 'changeme']],
    'secret-variable-name': ['the name of a variable, not its value', variableNames, READ_VARIABLE],
  },
);

function variableNames(): string[] {
  return VARIABLE_NAMES.flatMap((name) => VARIABLE_FORMS.map((form) => form.replace('#', name)));
}

const TRIM = 'Trim the secret when you load it; files and shells add line breaks and quotes.';
const PASS_BYTES =
  'Pass bytes to hmac.new, e.g. secret.encode(); do not format them with str() or an f-string.';

/**
 * Creates the key errors shared by requests and webhooks. `fix` explains how to derive the key, and
 * `rightSecret` which secret to use. @internal
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
        'after hex-decoding',
        (secret) => listSuffixes(secret).map((text) => Buffer.from(text, 'hex')),
      ],
      'secret-cut': [
        'Only part of the secret was used.',
        (secret, { keyOf }) => partsOf(Buffer.from(keyOf(secret))),
      ],
      'secret-python-bytes': [
        "as the string form b'…' of Python bytes",
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
  'The timestamp was signed',
  'Read the clock once, in whole Unix seconds, and use the same string in the header and the signed content.',
] as const;
const READ_ONCE = 'Read the clock only once; another reading can return a later second.';

/** Returns the Unix seconds of the timestamp header, if unambiguous. @internal */
export const listSeconds = ({ seconds }: SignedMessageInput): readonly number[] =>
  seconds === undefined ? [] : [seconds];

/** Errors in the signed timestamp. @internal */
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
  'timestamp-other-second': ['as a different second than sent', otherSeconds, READ_ONCE],
  'timestamp-unset': ['as an unset value', () => [...UNSET_TEXTS, 'NaN', '0']],
});

/** Lists every millisecond of a second. */
function millisecondsOf(seconds: number): number[] {
  return Array.from({ length: 1000 }, (_value, ms) => seconds * 1000 + ms);
}

function fractions(seconds: number): string[] {
  const zeros = ['.0', '.00', '.000', '.000000'].map((fraction) => seconds + fraction);
  return [...zeros, ...millisecondsOf(seconds).map((ms) => String(ms / 1000))];
}

function isoForms(seconds: number): string[] {
  const date = new Date(seconds * 1000);
  // JavaScript dates end in the year 275760.
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
  'Join the parts with single dots (.) and add nothing before or after.',
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

/** Errors in the separator. @internal */
export const SEPARATOR_ERRORS = expandErrors('separator', listMessage, JOIN, {
  'separator-none': ['without a separator', () => ['']],
  'separator-line-break': [
    'with line breaks',
    () => ({ ...LINE_BREAKS, 'a backslash and the letter n': '\\n' }),
  ],
  'separator-other': ['with a separator other than a dot', () => SEPARATORS],
});

/** Errors that append text. @internal */
export const TRAILING_TEXT_ERRORS = expandErrors('ending', listMessage, JOIN, {
  'content-ends-with-line-break': [
    'with a line break at the end',
    () => LINE_BREAKS,
    'Sign only the parts; in a shell, use printf or echo -n.',
  ],
  'content-ends-with-dot': ['with a dot at the end', () => ['.']],
});

type Order = readonly PartName[];

/** Creates errors for wrong part orders and missing parts, likely errors first. @internal */
export function createOrderErrors(
  right: Order,
  names: Readonly<Partial<Record<PartName, string>>>,
  likely: { readonly orders: readonly Order[]; readonly selections: readonly Order[] },
): readonly SigningError[] {
  const nameOf = (part: PartName): string => names[part] ?? part;
  const wording = (order: Order): string => order.map(nameOf).join(', ');
  const labelOrders = (orders: readonly Order[]) =>
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
  const fix = `Sign all parts in this order: ${wording(right)}.`;
  return expandErrors('order', listMessage, ['The parts were signed', fix], {
    ...Object.fromEntries(withoutOne),
    'parts-left-out': [
      'Only some of the parts were signed.',
      () => labelOrders([...likely.selections, ...selections]),
    ],
    'parts-order': ['in the wrong order', () => labelOrders([...likely.orders, ...permutationsOf(right)])],
    'parts-twice': [
      'with one part repeated',
      () => labelOrders(right.map((part, at) => right.toSpliced(at, 0, part))),
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

/** Returns only the hash names that this machine supports. @internal */
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

/** Creates one algorithm each for raw bytes, hex and base64. */
function createEncodingVariants(
  make: (write: (bytes: Buffer) => Bytes) => Algorithm,
): Record<string, Algorithm> {
  return {
    'as bytes': make((bytes) => bytes),
    'as hex': make((bytes) => bytes.toString('hex')),
    'as base64': make((bytes) => bytes.toString('base64')),
  };
}

const HMAC = [
  'The HMAC was computed',
  'Compute an HMAC with SHA-256; the secret is the key, and the content is the message.',
] as const;
const PASS_CONTENT =
  'Pass the content before you read the result: update(content) in JavaScript, Write(content) in Go.';

/** Errors in the signature algorithm. @internal */
export const ALGORITHM_ERRORS = expandErrors('algorithm', listMessage, HMAC, {
  'algorithm-sha512': ['with SHA-512', () => [hmac('sha512')]],
  'algorithm-sha384': ['with SHA-384', () => [hmac('sha384')]],
  'algorithm-sha1': ['with SHA-1', () => [hmac('sha1')]],
  'algorithm-other-hash': [
    'with a hash other than SHA-256',
    () =>
      Object.fromEntries(listProvidedHashes('md5', 'sha224', 'sha3-256').map((name) => [name, hmac(name)])),
  ],
  'algorithm-no-key': ['as a plain hash without the secret', () => [(_key, content) => sha256(...content)]],
  'algorithm-hash-with-secret': [
    'as a plain hash of secret and content',
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
    'over the SHA-256 digest of the content',
    () =>
      createEncodingVariants((write) => (key, content) => computeHmacSha256(key, write(sha256(...content)))),
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
  'content-not-passed': ['without the content', () => [(key) => computeHmacSha256(key, '')], PASS_CONTENT],
  'content-passed-to-sum': [
    'over no content: Sum() in Go only prepends its argument',
    () => [(key, content) => Buffer.concat([joined(content), computeHmacSha256(key, '')])],
    PASS_CONTENT,
  ],
  'content-encoded': [
    'over the content encoded in base64 or hex',
    () => createEncodingVariants((write) => (key, content) => computeHmacSha256(key, write(joined(content)))),
  ],
});

/** Fix for bytes formatted as Python text. @internal */
export const BYTES_AS_TEXT_FIX =
  'Use hexdigest(), or .decode() the bytes that hexlify or b64encode returns; do not ' +
  'format bytes with str() or an f-string.';

/** Creates a body form that encodes the digest. @internal */
export const createDigestForm =
  (write: (digest: Buffer) => Bytes): BodyForm =>
  (_body, sha256) =>
    write(sha256());
