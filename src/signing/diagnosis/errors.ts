// The signing errors that requests and webhooks share.
import { createHash, createHmac, getHashes } from 'node:crypto';
import { type Bytes, hmacSha256 } from '../bytes.js';
import type { Algorithm, BodyForm, KnownSecret, Message, PartName, SigningError } from './diagnose.js';
import { errorsIn, HMAC_SHA256, isCurrent } from './diagnose.js';
import { pythonBytes } from './rewriting.js';

/** Texts that programs write for an unset value. @internal */
export const UNSET_TEXTS = ['', 'undefined', 'null', 'None', 'nil'] as const;

/** Texts that programs make of a value without an encoding. @internal */
export const OBJECT_TEXTS = ['[object Object]', 'Array', '[object Promise]', '[object ArrayBuffer]'] as const;

/** The only input of errors that depend on no part of the message. @internal */
export const once = (message: Message): readonly Message[] => [message];

/** The text of a part; a part with characters outside ASCII has none. @internal */
export const textOf =
  (part: 'id' | 'method' | 'path') =>
  ({ right }: Message): readonly string[] => {
    const text = right[part];
    return typeof text === 'string' ? [text] : [];
  };

/** The texts of the current secrets. @internal */
export function currentSecrets({ secrets }: Message): string[] {
  return secrets.filter(isCurrent).map(({ secret }) => secret);
}

/** The other known secrets of a kind. @internal */
export const secretsNoted =
  (note: KnownSecret['note']) =>
  ({ secrets }: Message): KnownSecret[] =>
    secrets.filter((known) => known.note === note);

/** A key under the name of its secret, if it has one. @internal */
export function namedKey(name: string | undefined, key: Bytes): readonly Bytes[] | Record<string, Bytes> {
  return name === undefined ? [key] : { [name]: key };
}

/** The text, and the part after each of its underscores. @internal */
export function tailsOf(text: string): string[] {
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
const TRIM = 'Trim the secret when it is loaded; files and shells add line breaks and quotes.';

/** Keys that do not depend on the secret. @internal */
export const UNSET_KEY_ERRORS = errorsIn(
  'key',
  once,
  'Check that the variable that holds the secret is set where the program runs.',
  {
    'secret-unset': [
      'An empty or unset value was used as the secret.',
      () => [...UNSET_TEXTS, 'secret', 'changeme'],
    ],
    'secret-variable-name': [
      'The name of a variable was used as the secret, not its value.',
      () => VARIABLE_NAMES.flatMap((name) => [name, `$${name}`, `\${${name}}`, `process.env.${name}`]),
      'Read the variable; a quoted name is only a string.',
    ],
  },
);

/** Errors in the key of either signature; `fix` is how to get the right one. @internal */
export function sharedKeyErrors(fix: string, fixForOther: string): readonly SigningError[] {
  return [
    ...errorsIn('key', currentSecrets, fix, {
      'secret-not-trimmed': [
        'The secret was used with a space or line break around it.',
        (secret) =>
          tailsOf(secret).flatMap((text) => [
            `${text}\n`,
            `${text}\r\n`,
            `${text} `,
            ` ${text}`,
            `${text}\r`,
          ]),
        TRIM,
      ],
      'secret-quoted': [
        'The secret was used with quotes around it.',
        (secret) => tailsOf(secret).flatMap((text) => [`"${text}"`, `'${text}'`, `\`${text}\``]),
        TRIM,
      ],
      'secret-hex-decoded': [
        'The secret was hex-decoded.',
        (secret) => tailsOf(secret).map((text) => Buffer.from(text, 'hex')),
      ],
      'secret-cut': [
        'Only a part of the key was used.',
        (secret, { keyOf }) => {
          const key = Buffer.from(keyOf(secret));
          const beginnings = [16, 20, 24, 32, 64].map((length) => key.subarray(0, length));
          return [...beginnings, key.subarray(0, -1), key.subarray(1)];
        },
      ],
      'secret-python-bytes': [
        "The text b'…' of Python bytes was used as the key.",
        (secret, { keyOf }) =>
          [keyOf(secret), ...tailsOf(secret)].map((key) => pythonBytes(Buffer.from(key))),
        'Pass the bytes themselves to hmac.new, as in secret.encode(); do not format them with str() or an f-string.',
      ],
    }),
    ...errorsIn('key', credentialKeys, fixForOther, {
      'secret-is-other-credential': [
        'Another credential was used as the key.',
        ({ name, key }) => namedKey(name, key),
      ],
    }),
  ];
}

/** The keys that a program may make of the other credentials. */
function credentialKeys(message: Message) {
  return secretsNoted('credential')(message).flatMap(({ name, secret }) => {
    const texts = [secret, ...tailsOf(secret).slice(1, 2)];
    return [...texts, ...texts.map((text) => Buffer.from(text, 'base64'))].map((key) => ({ name, key }));
  });
}

const SIGN_AS_SENT =
  'Read the time once, in whole Unix seconds, and use the same text in the header and in the signed content.';

/** The Unix seconds of the timestamp header, if they are clear. @internal */
export const secondsOf = ({ seconds }: Message): readonly number[] =>
  seconds === undefined ? [] : [seconds];

/** Values signed instead of the timestamp. @internal */
export const TIMESTAMP_ERRORS = errorsIn('timestamp', secondsOf, SIGN_AS_SENT, {
  'timestamp-milliseconds': [
    'The time was signed in milliseconds.',
    (seconds) => millisecondsOf(seconds).map(String),
  ],
  'timestamp-microseconds': ['The time was signed in microseconds.', (seconds) => [`${seconds}000000`]],
  'timestamp-nanoseconds': ['The time was signed in nanoseconds.', (seconds) => [`${seconds}000000000`]],
  'timestamp-fraction': [
    'The time was signed with a fraction.',
    (seconds) => [
      ...['.0', '.00', '.000', '.000000'].map((fraction) => seconds + fraction),
      ...millisecondsOf(seconds).map((ms) => String(ms / 1000)),
    ],
  ],
  'timestamp-minutes': ['The time was signed in minutes.', (seconds) => [String(Math.floor(seconds / 60))]],
  'timestamp-iso-date': ['The time was signed as an ISO date.', isoForms],
  'timestamp-http-date': [
    'The time was signed as an HTTP date.',
    (seconds) => [new Date(seconds * 1000).toUTCString()],
  ],
  'timestamp-zero-padded': [
    'The time was signed with different leading zeros than sent.',
    (seconds) => [0, 11, 12, 13].map((width) => String(seconds).padStart(width, '0')),
  ],
  'timestamp-quoted': [
    'The time was signed in quotes.',
    (seconds) => [`"${seconds}"`, `'${seconds}'`, `b'${seconds}'`],
  ],
  'timestamp-other-second': [
    'A different second was signed than was sent.',
    (seconds) =>
      Object.fromEntries(
        [1, -1, 2, -2, 3, -3, 4, -4, 5, -5].map((shift) => [
          `${Math.abs(shift)} s ${shift > 0 ? 'later' : 'earlier'}`,
          String(seconds + shift),
        ]),
      ),
    'Read the clock once; a second reading can be a second later.',
  ],
  'timestamp-unset': ['An unset value was signed in place of the time.', () => [...UNSET_TEXTS, 'NaN', '0']],
});

/** All instants within a second, in milliseconds. */
function millisecondsOf(seconds: number): number[] {
  return Array.from({ length: 1000 }, (_value, ms) => seconds * 1000 + ms);
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

const JOIN_WITH_DOTS = 'Join the parts with single dots (.), with nothing before or after.';

/** Other ways to join the parts. @internal */
export const SEPARATOR_ERRORS = errorsIn('separator', once, JOIN_WITH_DOTS, {
  'separator-none': ['The parts were joined with nothing between them.', () => ['']],
  'separator-line-break': [
    'The parts were joined with line breaks.',
    () => ({ LF: '\n', 'CR LF': '\r\n', 'a backslash and the letter n': '\\n' }),
  ],
  'separator-other': [
    'The parts were joined with a character other than the dot.',
    () => ({
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
    }),
  ],
});

/** Extra text after the last part. @internal */
export const ENDING_ERRORS = errorsIn('ending', once, JOIN_WITH_DOTS, {
  'content-ends-with-line-break': [
    'A line break was signed after the last part.',
    () => ({ LF: '\n', 'CR LF': '\r\n' }),
    'Sign only the parts; in a shell, use printf or echo -n.',
  ],
  'content-ends-with-dot': ['A dot was signed after the last part.', () => ['.']],
});

type Order = readonly PartName[];

/** Wrong orders and selections of the parts, the likely ones first. @internal */
export function orderErrors(
  right: Order,
  names: Readonly<Partial<Record<PartName, string>>>,
  likely: { readonly orders: readonly Order[]; readonly selections: readonly Order[] },
): readonly SigningError[] {
  const nameOf = (part: PartName): string => names[part] ?? part;
  const wording = (order: Order): string => order.map(nameOf).join(', ');
  const worded = (orders: readonly Order[]) =>
    Object.fromEntries(orders.map((order) => [wording(order), order]));
  const selections = subsetsOf(right).filter(({ length }) => length > 0 && length < right.length - 1);
  const partErrors = right.map((part) => [
    `${nameOf(part).replaceAll(' ', '-')}-left-out`,
    [`The ${nameOf(part)} was not signed.`, () => [right.filter((other) => other !== part)]] as const,
  ]);
  return errorsIn('order', once, `Sign ${wording(right)}, all of them and in this order.`, {
    ...Object.fromEntries(partErrors),
    'parts-left-out': [
      'Only some of the parts were signed.',
      () => worded([...likely.selections, ...selections]),
    ],
    'parts-order': [
      'The parts were signed in another order.',
      () => worded([...likely.orders, ...permutationsOf(right)]),
    ],
    'parts-twice': [
      'One part was signed twice.',
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
export function providedHashes(...names: readonly string[]): string[] {
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

/** Other ways to compute a signature from key and content. @internal */
export const ALGORITHM_ERRORS = errorsIn(
  'algorithm',
  once,
  'Compute an HMAC with SHA-256: the secret is its key, the content its message.',
  {
    'algorithm-sha512': ['The HMAC was made with SHA-512.', () => [hmac('sha512')]],
    'algorithm-sha384': ['The HMAC was made with SHA-384.', () => [hmac('sha384')]],
    'algorithm-sha1': ['The HMAC was made with SHA-1.', () => [hmac('sha1')]],
    'algorithm-other-hash': [
      'The HMAC was made with another hash than SHA-256.',
      () => Object.fromEntries(providedHashes('md5', 'sha224', 'sha3-256').map((name) => [name, hmac(name)])),
    ],
    'algorithm-no-key': [
      'The content was hashed without any secret.',
      () => [(_key, content) => sha256(...content)],
    ],
    'algorithm-hash-with-secret': [
      'Secret and content were hashed together instead of an HMAC.',
      () => ({
        'secret first': (key, content) => sha256(key, ...content),
        'secret last': (key, content) => sha256(...content, key),
        'secret first, then a dot': (key, content) => sha256(key, '.', ...content),
        'secret last, after a dot': (key, content) => sha256(...content, '.', key),
      }),
    ],
    'algorithm-key-and-content-swapped': [
      'Key and content were swapped in the call of the HMAC.',
      () => [(key, content) => hmacSha256(joined(content), key)],
    ],
    'algorithm-content-hashed-first': [
      'The content was hashed with SHA-256 before the HMAC.',
      () => ({
        'as hex': (key, content) => hmacSha256(key, sha256(...content).toString('hex')),
        'as bytes': (key, content) => hmacSha256(key, sha256(...content)),
        'as base64': (key, content) => hmacSha256(key, sha256(...content).toString('base64')),
      }),
      'Pass the content itself to the HMAC.',
    ],
    'algorithm-twice': [
      'The result of the HMAC was hashed or signed again.',
      () => ({
        'signed again': (key, content) => hmacSha256(key, HMAC_SHA256(key, content)),
        'its hex signed again': (key, content) => hmacSha256(key, HMAC_SHA256(key, content).toString('hex')),
        hashed: (key, content) => sha256(HMAC_SHA256(key, content)),
        'its hex hashed': (key, content) => sha256(HMAC_SHA256(key, content).toString('hex')),
      }),
      'Compute the HMAC once.',
    ],
    'content-not-passed': [
      'Nothing was passed to the HMAC: it was computed without its content.',
      () => [(key) => hmacSha256(key, '')],
      'Pass the content before the result is read: update(content) in JavaScript, Write(content) in Go.',
    ],
    'content-passed-to-sum': [
      'The content was passed to Sum() of Go, which puts it before the HMAC of nothing.',
      () => [(key, content) => Buffer.concat([joined(content), hmacSha256(key, '')])],
      'Write the content first: mac.Write(content), then mac.Sum(nil).',
    ],
    'content-encoded': [
      'The content was encoded in base64 or hex before the HMAC.',
      () => ({
        'in base64': (key, content) => hmacSha256(key, joined(content).toString('base64')),
        'in hex': (key, content) => hmacSha256(key, joined(content).toString('hex')),
      }),
      'Pass the bytes of the content to the HMAC.',
    ],
  },
);

/** A form of the body made from its digest. @internal */
export const ofDigest =
  (write: (digest: Buffer) => Bytes): BodyForm =>
  (_body, sha256) =>
    write(sha256());
