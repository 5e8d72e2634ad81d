import type { KnownSecret } from './finding.js';
import { createHash, createHmac, getHashes } from 'node:crypto';
import type { Bytes } from '../bytes.js';
import { hmacSha256 } from '../bytes.js';
import type { Algorithm, Mistake, PartName, Subject, Variant } from './mistake.js';
import { mistake, rowsAbout, UNSET_TEXTS, variantsOf, withRare } from './mistake.js';

/** The fix for a secret with extra characters around it. */
export const TRIM_SECRET = 'Trim the secret when it is loaded; files and shells add line breaks and quotes.';

/** The fix for a key that Python formatted as text. */
export const PASS_KEY_BYTES =
  'Pass the bytes themselves to hmac.new, as in secret.encode(); do not format them with str() or an f-string.';

/** Makes the rows about the text of a secret, tried for each current one; `forms` are the keys made from it. */
export function rowsAboutSecret(fix: string) {
  const row = rowsAbout('key', fix);
  return (id: string, did: string, forms: (secret: string) => readonly Bytes[]): Mistake =>
    row(id, did, ({ secrets }) => secrets.filter(isCurrent).flatMap(({ secret }) => forms(secret)));
}

/** Whether a secret may sign a valid message. */
export function isCurrent({ note }: KnownSecret): boolean {
  return note === undefined || note === 'current';
}

/** Mistakes in which the key does not depend on the secret. */
export const UNSET_KEY_MISTAKES: readonly Mistake[] = [
  mistake(
    'secret-unset',
    'An empty or unset value was used as the secret.',
    'Check that the variable that holds the secret is set where the program runs.',
    () => variantsOf('key', [...UNSET_TEXTS, 'secret', 'changeme']),
  ),
  mistake(
    'secret-variable-name',
    'The name of a variable was used as the secret, not its value.',
    'Read the variable; a quoted name is only a string.',
    () =>
      variantsOf(
        'key',
        VARIABLE_NAMES.flatMap((name) => [name, `$${name}`, `\${${name}}`, `process.env.${name}`]),
      ),
  ),
];

const VARIABLE_NAMES = [
  'SANDBOX_SIGNING_SECRET',
  'SIGNING_SECRET',
  'SANDBOX_WEBHOOK_SECRET',
  'WEBHOOK_SECRET',
];

/** A secret with the characters that files, shells and JSON put around it. */
export function withWrapping(secret: string): { quoted: string[]; blanks: string[] } {
  return {
    quoted: [`"${secret}"`, `'${secret}'`, `\`${secret}\``],
    blanks: [`${secret}\n`, `${secret}\r\n`, `${secret} `, ` ${secret}`, `${secret}\r`],
  };
}

/** The variant that uses another known secret, with its name. */
export function variantOfSecret({ name, secret }: KnownSecret, keyOf: (secret: string) => Bytes): Variant {
  const change = { key: keyOf(secret) };
  return name === undefined ? { change } : { change, detail: name };
}

/** Uses another credential as the secret; `keysOf` are the keys that a program may make from it. */
export function otherCredential(fix: string, keysOf: (credential: string) => readonly Bytes[]): Mistake {
  return mistake(
    'secret-is-other-credential',
    'Another credential was used as the key.',
    fix,
    ({ secrets }) =>
      secrets
        .filter(({ note }) => note === 'credential')
        .flatMap((known) => keysOf(known.secret).map((key) => variantOfSecret(known, () => key))),
  );
}

type Order = readonly PartName[];

/** The correct order of a message's parts, their names, and the likely wrong orders and selections. */
interface OrderTable {
  readonly right: Order;
  readonly names: Readonly<Partial<Record<PartName, string>>>;
  readonly likelyOrders: readonly Order[];
  readonly likelyChoices: readonly Order[];
}

/** Mistakes about which parts are signed, and in which order. */
export function orderMistakes({ right, names, likelyOrders, likelyChoices }: OrderTable): readonly Mistake[] {
  const nameOf = (part: PartName): string => names[part] ?? part;
  const wording = (order: Order): string => order.map(nameOf).join(', ');
  const variants = (orders: readonly Order[]): Variant[] =>
    orders.map((order) => ({ change: { order }, detail: wording(order) }));
  const fix = `Sign ${wording(right)}, all of them and in this order.`;
  const row = rowsAbout('order', fix);
  const choices = subsetsOf(right).filter(({ length }) => length > 0 && length < right.length - 1);
  return [
    ...right.map((part) =>
      row(`${nameOf(part).replaceAll(' ', '-')}-left-out`, `The ${nameOf(part)} was not signed.`, () => [
        right.filter((other) => other !== part),
      ]),
    ),
    mistake('parts-left-out', 'Only some of the parts were signed.', fix, () => [
      ...variants(likelyChoices),
      ...variants(choices),
    ]),
    withRare(
      mistake('parts-order', 'The parts were signed in another order.', fix, () => variants(likelyOrders)),
      () => variants(permutationsOf(right)),
    ),
    mistake('parts-twice', 'One part was signed twice.', fix, () =>
      variants(right.map((_part, at) => right.toSpliced(at, 0, ...right.slice(at, at + 1)))),
    ),
  ];
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

const JOIN_WITH_DOTS = 'Join the parts with single dots (.), with nothing before or after.';

const separator = rowsAbout('separator', JOIN_WITH_DOTS);

/** Other ways to join the parts. */
export const SEPARATOR_MISTAKES: readonly Mistake[] = [
  separator('separator-none', 'The parts were joined with nothing between them.', () => ({ nothing: '' })),
  separator('separator-line-break', 'The parts were joined with line breaks.', () => ({
    LF: '\n',
    'CR LF': '\r\n',
    'a backslash and the letter n': '\\n',
  })),
  separator('separator-other', 'The parts were joined with a character other than the dot.', () => ({
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
  })),
];

/** Extra text after the last part. */
export const ENDING_MISTAKES: readonly Mistake[] = [
  mistake(
    'content-ends-with-line-break',
    'A line break was signed after the last part.',
    'Sign only the parts; in a shell, use printf or echo -n.',
    () => variantsOf('ending', { LF: '\n', 'CR LF': '\r\n' }),
  ),
  mistake('content-ends-with-dot', 'A dot was signed after the last part.', JOIN_WITH_DOTS, () =>
    variantsOf('ending', { 'a dot': '.' }),
  ),
];

/** The algorithm of both signatures (§5.2, §5.5). */
export const HMAC_SHA256: Algorithm = (key, content) => hmacSha256(key, ...content);

const USE_HMAC = 'Compute an HMAC with SHA-256: the secret is its key, the content its message.';

function hmac(name: string): Algorithm {
  return (key, content) => {
    const hmac = createHmac(name, key);
    for (const chunk of content) hmac.update(chunk);
    return hmac.digest();
  };
}

function plainHash(...chunks: readonly Bytes[]): Buffer {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest();
}

function joined(chunks: readonly Bytes[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
}

const algorithm = rowsAbout('algorithm', USE_HMAC);

/** Other ways to get from key and content to a signature. */
export const ALGORITHM_MISTAKES: readonly Mistake[] = [
  algorithm('algorithm-sha512', 'The HMAC was made with SHA-512.', () => [hmac('sha512')]),
  algorithm('algorithm-sha384', 'The HMAC was made with SHA-384.', () => [hmac('sha384')]),
  algorithm('algorithm-sha1', 'The HMAC was made with SHA-1.', () => [hmac('sha1')]),
  algorithm('algorithm-other-hash', 'The HMAC was made with another hash than SHA-256.', () =>
    Object.fromEntries(OTHER_HASHES.map((name): [string, Algorithm] => [name, hmac(name)])),
  ),
  algorithm('algorithm-no-key', 'The content was hashed without any secret.', () => [
    (_key, content) => plainHash(...content),
  ]),
  algorithm(
    'algorithm-hash-with-secret',
    'Secret and content were hashed together instead of an HMAC.',
    () => ({
      'secret first': (key, content) => plainHash(key, ...content),
      'secret last': (key, content) => plainHash(...content, key),
      'secret first, then a dot': (key, content) => plainHash(key, '.', ...content),
      'secret last, after a dot': (key, content) => plainHash(...content, '.', key),
    }),
  ),
  algorithm(
    'algorithm-key-and-content-swapped',
    'Key and content were swapped in the call of the HMAC.',
    () => [(key, content) => hmacSha256(joined(content), key)],
  ),
  mistake(
    'algorithm-content-hashed-first',
    'The content was hashed with SHA-256 before the HMAC.',
    'Pass the content itself to the HMAC.',
    () =>
      variantsOf('algorithm', {
        'as hex': (key, content) => hmacSha256(key, plainHash(...content).toString('hex')),
        'as bytes': (key, content) => hmacSha256(key, plainHash(...content)),
        'as base64': (key, content) => hmacSha256(key, plainHash(...content).toString('base64')),
      }),
  ),
  mistake(
    'algorithm-twice',
    'The result of the HMAC was hashed or signed again.',
    'Compute the HMAC once.',
    () =>
      variantsOf('algorithm', {
        'signed again': (key, content) => hmacSha256(key, hmacSha256(key, ...content)),
        'its hex signed again': (key, content) =>
          hmacSha256(key, hmacSha256(key, ...content).toString('hex')),
        hashed: (key, content) => plainHash(hmacSha256(key, ...content)),
        'its hex hashed': (key, content) => plainHash(hmacSha256(key, ...content).toString('hex')),
      }),
  ),
  mistake(
    'content-not-passed',
    'Nothing was passed to the HMAC: it was computed without its content.',
    'Pass the content before the result is read: update(content) in JavaScript, Write(content) in Go.',
    () => variantsOf('algorithm', [(key) => hmacSha256(key, '')]),
  ),
  mistake(
    'content-passed-to-sum',
    'The content was passed to Sum() of Go, which puts it before the HMAC of nothing.',
    'Write the content first: mac.Write(content), then mac.Sum(nil).',
    () => variantsOf('algorithm', [(key, content) => Buffer.concat([joined(content), hmacSha256(key, '')])]),
  ),
  mistake(
    'content-encoded',
    'The content was encoded in base64 or hex before the HMAC.',
    'Pass the bytes of the content to the HMAC.',
    () =>
      variantsOf('algorithm', {
        'in base64': (key, content) => hmacSha256(key, joined(content).toString('base64')),
        'in hex': (key, content) => hmacSha256(key, joined(content).toString('hex')),
      }),
  ),
];

/** Other hashes, without those that this machine does not provide. */
const OTHER_HASHES = ['md5', 'sha224', 'sha3-256'].filter((name) => getHashes().includes(name));

const SIGN_AS_SENT =
  'Read the time once, in whole Unix seconds, and use the same text in the header and in the signed content.';

const row = rowsAbout('timestamp', SIGN_AS_SENT);

/** Texts that may have been signed instead of the timestamp. */
export const TIMESTAMP_MISTAKES: readonly Mistake[] = [
  withRare(
    timeRow('timestamp-milliseconds', 'The time was signed in milliseconds.', (time) => [`${time}000`]),
    ({ seconds }) => variantsOf('timestamp', milliseconds(seconds).map(String)),
  ),
  timeRow('timestamp-microseconds', 'The time was signed in microseconds.', (time) => [`${time}000000`]),
  timeRow('timestamp-nanoseconds', 'The time was signed in nanoseconds.', (time) => [`${time}000000000`]),
  withRare(
    timeRow('timestamp-fraction', 'The time was signed with a fraction.', (time) =>
      ['.0', '.00', '.000', '.000000'].map((fraction) => time + fraction),
    ),
    ({ seconds }) =>
      variantsOf(
        'timestamp',
        milliseconds(seconds).map((ms) => String(ms / 1000)),
      ),
  ),
  timeRow('timestamp-minutes', 'The time was signed in minutes.', (time) => [
    String(Math.floor(Number(time) / 60)),
  ]),
  row('timestamp-iso-date', 'The time was signed as an ISO date.', isoForms),
  row('timestamp-http-date', 'The time was signed as an HTTP date.', (subject) => [
    dateOf(subject)?.toUTCString(),
  ]),
  timeRow('timestamp-zero-padded', 'The time was signed with different leading zeros than sent.', (time) =>
    [0, 11, 12, 13].map((width) => time.padStart(width, '0')),
  ),
  row('timestamp-quoted', 'The time was signed in quotes.', ({ right }) => {
    const text = Buffer.from(right.timestamp).toString('latin1');
    return [`"${text}"`, `'${text}'`, `b'${text}'`];
  }),
  mistake(
    'timestamp-other-second',
    'A different second was signed than was sent.',
    'Read the clock once; a second reading can be a second later.',
    otherSeconds,
  ),
  row('timestamp-unset', 'An unset value was signed in place of the time.', () => [
    ...UNSET_TEXTS,
    'NaN',
    '0',
  ]),
];

/** A row whose forms are made from the Unix seconds, as text. */
function timeRow(id: string, did: string, forms: (time: string) => readonly string[]): Mistake {
  return row(id, did, ({ seconds }) => (seconds === undefined ? [] : forms(String(seconds))));
}

/** All instants within a second, in milliseconds, except its beginning. */
function milliseconds(seconds: number | undefined): number[] {
  if (seconds === undefined) return [];
  return Array.from({ length: 999 }, (_value, at) => seconds * 1000 + at + 1);
}

function otherSeconds({ seconds }: Subject): Variant[] {
  if (seconds === undefined) return [];
  return [1, -1, 2, -2, 3, -3, 4, -4, 5, -5].map((shift) => ({
    change: { timestamp: String(seconds + shift) },
    detail: `${Math.abs(shift)} s ${shift > 0 ? 'later' : 'earlier'}`,
  }));
}

function dateOf({ seconds }: Subject): Date | undefined {
  // JavaScript has no date for later seconds.
  return seconds === undefined || seconds > 8_640_000_000_000 ? undefined : new Date(seconds * 1000);
}

function isoForms(subject: Subject): string[] {
  const iso = dateOf(subject)?.toISOString();
  if (iso === undefined) return [];
  const bare = iso.slice(0, -5);
  return [
    iso,
    `${bare}Z`,
    `${bare}+00:00`,
    bare,
    bare.replace('T', ' '),
    `${bare}.000000Z`,
    `${bare}.000000`,
  ];
}
