// The signing errors of requests (§5.2).
import { createHash, hash } from 'node:crypto';
import { parseUrl } from '../../text/urls.js';
import { hmacSha256 } from '../bytes.js';
import { pathOf, type RequestScheme } from '../request.js';
import { BODY_ERRORS } from './body-errors.js';
import type { BodyForm, ErrorGroup, Message, SigningError } from './diagnose.js';
import { contentOf, errorsIn } from './diagnose.js';
import {
  ALGORITHM_ERRORS,
  currentSecrets,
  ENDING_ERRORS,
  namedKey,
  OBJECT_TEXTS,
  ofDigest,
  once,
  orderErrors,
  providedHashes,
  secretsNoted,
  SEPARATOR_ERRORS,
  sharedKeyErrors,
  tailsOf,
  textOf,
  TIMESTAMP_ERRORS,
  UNSET_KEY_ERRORS,
  UNSET_TEXTS,
} from './errors.js';
import { BYTE_LISTS, COMMAND_OUTPUTS, objectOf, pythonBytes, UNPADDED_HEX } from './rewriting.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const METHOD_ERRORS = errorsIn(
  'method',
  textOf('method'),
  'Sign the method of the request in upper case, as in POST.',
  {
    'method-lower-case': ['The method was signed in small letters.', (method) => [method.toLowerCase()]],
    'method-capitalised': [
      'Only the first letter of the method was signed in upper case.',
      (method) => [method.slice(0, 1).toUpperCase() + method.slice(1).toLowerCase()],
    ],
    'method-other': [
      'Another method was signed than was sent.',
      () => Object.fromEntries(METHODS.map((method) => [method, method])),
    ],
    'method-unset': ['An unset value was signed in place of the method.', () => UNSET_TEXTS],
  },
);

const NONCE_AS_SENT = 'Generate the nonce once, and use the same text in X-Nonce and in the signed content.';

const NONCE_ERRORS = errorsIn('id', textOf('id'), NONCE_AS_SENT, {
  'nonce-case': [
    'The nonce was signed in a different case than sent.',
    (nonce) => [nonce.toLowerCase(), nonce.toUpperCase()],
  ],
  'nonce-dashes': [
    'The nonce was signed without the dashes it was sent with, or with extra dashes.',
    (nonce) => [
      nonce.replaceAll('-', ''),
      nonce.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    ],
  ],
  'nonce-encoded': [
    'The nonce was signed as hex or base64 of what was sent, or the other way round.',
    (nonce) => [
      ...(['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(nonce).toString(encoding)),
      Buffer.from(nonce, 'hex').toString('latin1'),
      Buffer.from(nonce, 'base64').toString('latin1'),
      Buffer.from(nonce, 'hex').toString('base64'),
      Buffer.from(nonce, 'base64').toString('hex'),
    ],
  ],
  'nonce-quoted': [
    'The nonce was signed in quotes or braces.',
    (nonce) => [`"${nonce}"`, `'${nonce}'`, `{${nonce}}`, `b'${nonce}'`, `UUID('${nonce}')`],
  ],
  'nonce-line-break': [
    'The nonce was signed with a line break or space after it.',
    (nonce) => [`${nonce}\n`, `${nonce} `],
  ],
  'nonce-cut': [
    'Only the beginning of the nonce was signed.',
    (nonce) => [8, 12, 16, 32, 64].map((length) => nonce.slice(0, length)),
  ],
  'nonce-unset': ['An unset value was signed in place of the nonce.', () => [...UNSET_TEXTS, '0']],
  'nonce-is-other-field': [
    'Another value was signed in place of the nonce.',
    (_nonce, { right, json }) => {
      const code = objectOf(json?.value)?.['code'];
      const time = { 'the timestamp': right.timestamp };
      return typeof code === 'string' ? { ...time, 'the code of the charge': code } : time;
    },
  ],
});

const PATH_AS_SENT = 'Sign the path exactly as in the request line, starting with its first slash.';

const PATH_ERRORS = [
  ...errorsIn('path', once, PATH_AS_SENT, {
    'path-with-query': [
      'The path was signed with the query.',
      ({ target }) => [target],
      'Cut the target at its first ? and sign the part before it.',
    ],
    'path-without-query': [
      'The path was signed without the query.',
      ({ target }) => [pathOf(target)],
      'Sign the whole target, query included.',
    ],
    'path-query-order': [
      'The query was signed with its parameters in a different order.',
      ({ target }) => {
        const path = pathOf(target);
        const pairs = target.slice(path.length + 1).split('&');
        return [pairs.toSorted(), pairs.toReversed()].map((ordered) => `${path}?${ordered.join('&')}`);
      },
    ],
    'path-absolute-url': [
      'The whole URL was signed.',
      (message) => withHost(message, ['http://', 'https://']),
      'Leave out scheme and host: sign only the path after them.',
    ],
    'path-with-host': [
      'The host was signed before the path.',
      (message) => withHost(message, ['', '//']),
      'Leave out the host: sign only the path.',
    ],
    'path-request-line': [
      'The path was signed together with the method or HTTP version.',
      ({ right, target }) =>
        ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2'].flatMap((version) => [
          `${String(right.method)} ${target}`,
          `${String(right.method)} ${target} ${version}`,
          `${target} ${version}`,
        ]),
    ],
  }),
  ...errorsIn('path', textOf('path'), PATH_AS_SENT, {
    'path-without-leading-slash': [
      'The path was signed without its first slash.',
      (path) => [path.replace(/^\//, '')],
    ],
    'path-trailing-slash': [
      'The path was signed with a trailing slash that was not sent, or without the one sent.',
      (path) => (path.endsWith('/') ? [path.slice(0, -1), path.replace(/(?<!\/)\/+$/, '')] : [`${path}/`]),
    ],
    'path-prefix-left-out': [
      'The path was signed without its beginning.',
      (path) => headsOf(path, 24).flatMap((head) => [path.slice(head.length), path.slice(head.length + 1)]),
      'Sign the full path, including /api/public/v1; a router or a client with a base URL may hide it.',
    ],
    'path-prefix-doubled': [
      'The beginning of the path was signed twice.',
      (path) => [...headsOf(path, 6), path, '/'].map((head) => head + path),
    ],
    'path-decoded': [
      'The path was signed after percent-decoding.',
      (path) => [decodeURIComponent, decodeURI].map((decode) => decoded(path, decode)),
    ],
    'path-encoded': [
      'The path was signed after percent-encoding it again.',
      (path) => [
        encodeURIComponent(path),
        encodeURI(path),
        path.split('/').map(encodeURIComponent).join('/'),
        encodeURIComponent(path).toLowerCase(),
      ],
    ],
    'path-case': [
      'The path was signed in a different case than sent.',
      (path) => [
        path.toLowerCase(),
        path.toUpperCase(),
        path.replaceAll(/%[0-9a-f]{2}/gi, (triplet) => triplet.toUpperCase()),
        path.replaceAll(/%[0-9a-f]{2}/gi, (triplet) => triplet.toLowerCase()),
      ],
    ],
    'path-normalised': [
      'The path was signed after its dots or double slashes were resolved.',
      (path) => {
        const single = path.replaceAll(/\/{2,}/g, '/');
        return [single, ...[path, single].map((text) => parseUrl(`http://localhost${text}`)?.pathname)];
      },
    ],
    'path-template': ['The route pattern was signed, not the path with its ids.', templates],
    'path-fragment': ['The path was signed with a # or ? at its end.', (path) => [`${path}?`, `${path}#`]],
    'path-unset': [
      'An unset value or a single slash was signed instead of the path.',
      () => [...UNSET_TEXTS, '/'],
    ],
  }),
];

function withHost({ target, host = '' }: Message, schemes: readonly string[]): string[] {
  const hosts = host === '' ? [] : [host, host.replace(/:\d+$/, '')];
  return hosts.flatMap((name) =>
    schemes.flatMap((scheme) => [scheme + name + pathOf(target), scheme + name + target]),
  );
}

/** The beginnings of a path that end before a slash. */
function headsOf(path: string, most: number): string[] {
  const heads: string[] = [];
  for (let at = path.indexOf('/', 1); at > 0 && heads.length < most; at = path.indexOf('/', at + 1))
    heads.push(path.slice(0, at));
  return heads;
}

function decoded(path: string, decode: (text: string) => string): string | undefined {
  try {
    return decode(path);
  } catch {
    return undefined;
  }
}

const ID_SEGMENT = /[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/g;

function templates(path: string): string[] {
  const named = (write: (name: string) => string): string => {
    const names = ['endpoint_id', 'delivery_id'];
    return path.replaceAll(ID_SEGMENT, () => write(names.shift() ?? 'id'));
  };
  return [
    named((name) => `{${name}}`),
    named((name) => `:${name}`),
    named((name) => `<${name}>`),
    ...['{id}', ':id', '*'].map((pattern) => path.replaceAll(ID_SEGMENT, pattern)),
  ];
}

const AS_TEXT = 'Use the secret as it is: its UTF-8 bytes are the key, without decoding.';

const KEY_ERRORS = [
  ...UNSET_KEY_ERRORS,
  ...errorsIn('key', secretsNoted('other'), AS_TEXT, {
    'secret-of-other-application': [
      'The secret of another application was used.',
      ({ name, secret }) => namedKey(name, secret),
      'Use the secret of the application whose token the request carries.',
    ],
  }),
  ...errorsIn('key', currentSecrets, AS_TEXT, {
    'secret-trimmed': [
      'The secret was used without the spaces that belong to it.',
      (secret) => [secret.trim()],
      'Use the secret unchanged.',
    ],
    'secret-base64-decoded': [
      'The secret was base64-decoded.',
      (secret) => tailsOf(secret).map((text) => Buffer.from(text, 'base64')),
    ],
    'secret-encoded': [
      'The secret was encoded in base64 or hex.',
      (secret) =>
        (['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(secret).toString(encoding)),
    ],
    'secret-url-encoded': [
      'The secret was URL-encoded or URL-decoded.',
      (secret) => [encodeURIComponent(secret), secret.replaceAll('+', ' ')],
    ],
    'secret-prefix-left-out': [
      'The prefix of the secret, up to an underscore, was left out.',
      (secret) => tailsOf(secret).slice(1),
    ],
    'secret-case': [
      'The secret was used with its case changed.',
      (secret) => [secret.toLowerCase(), secret.toUpperCase()],
    ],
    'secret-hashed': [
      'The secret was hashed before it became the key.',
      (secret) => (['buffer', 'hex', 'base64'] as const).map((encoding) => hash('sha256', secret, encoding)),
    ],
    'secret-utf16': [
      'The secret was converted to UTF-16 bytes.',
      (secret) => [Buffer.from(secret, 'utf16le')],
    ],
  }),
  ...errorsIn('key', ({ token }) => (token ? [token] : []), AS_TEXT, {
    'secret-is-token': [
      'The bearer token was used as the secret.',
      (token) => [token, `Bearer ${token}`],
      'The token and the signing secret are different values; sign with the signing secret.',
    ],
  }),
  ...sharedKeyErrors(
    AS_TEXT,
    'Sign with the signing secret of the application whose token the request carries.',
  ),
];

/** A form made from the hex of the digest. */
const ofHex = (write: (hex: string) => string): BodyForm =>
  ofDigest((digest) => write(digest.toString('hex')));

/** A form made from the base64 of the digest. */
const ofBase64 = (write: (base64: string) => string): BodyForm =>
  ofDigest((digest) => write(digest.toString('base64')));

const rawBody: BodyForm = (body) => body;

const DIGEST_ERRORS = errorsIn(
  'bodyForm',
  once,
  'Sign the SHA-256 digest of the body bytes, encoded as expected.',
  {
    'digest-raw-body': ['The body itself was signed, not its digest.', () => [rawBody]],
    'digest-base64': ['The digest of the body was signed in base64.', () => [ofBase64((base64) => base64)]],
    'digest-hex': ['The digest of the body was signed in hex.', () => [ofHex((hex) => hex)]],
    'digest-base64url': [
      'The digest of the body was signed in base64url or without padding.',
      () => [
        ofDigest((digest) => digest.toString('base64url')),
        ofBase64((base64) => base64.replace('=', '')),
      ],
    ],
    'digest-upper-case': [
      'The digest of the body was signed in upper-case hex.',
      () => [ofHex((hex) => hex.toUpperCase())],
    ],
    'digest-bytes': [
      'The digest of the body was signed as 32 raw bytes, not as text.',
      () => [
        ofDigest((digest) => digest),
        ofDigest((digest) => digest.toString('latin1')),
        ofDigest((digest) => digest.toString('utf8')),
      ],
    ],
    'digest-algorithm': [
      'The digest of the body was not made with SHA-256.',
      () =>
        Object.fromEntries(
          providedHashes('sha1', 'sha512', 'sha384', 'sha224', 'md5').map((name): [string, BodyForm] => [
            name,
            (body) => createHash(name).update(body).digest('hex'),
          ]),
        ),
    ],
    'digest-twice': [
      'The digest of the body was digested again.',
      () => [ofHex((hex) => hash('sha256', hex, 'hex')), ofDigest((digest) => hash('sha256', digest, 'hex'))],
    ],
    'digest-prefixed': [
      'A prefix was signed before the digest of the body, such as sha256=.',
      () => [
        ofHex((hex) => `sha256=${hex}`),
        ofHex((hex) => `sha256:${hex}`),
        ofBase64((base64) => `SHA-256=${base64}`),
        ofBase64((base64) => `sha-256=:${base64}:`),
        ofHex((hex) => `0x${hex}`),
      ],
    ],
    'digest-with-secret': [
      'The digest of the body was an HMAC with the secret.',
      ({ right }) => [(body) => hmacSha256(right.key, body).toString('hex')],
    ],
    'digest-base64-of-hex': [
      'The hex digest of the body was encoded in base64 before it was signed.',
      () => [ofHex((hex) => Buffer.from(hex).toString('base64'))],
    ],
    'digest-left-empty': [
      'Nothing, or an unset value, was signed in place of the digest.',
      () => ['', 'undefined', 'null', 'None', 'UNSIGNED-PAYLOAD', ...OBJECT_TEXTS].map((text) => () => text),
      'Always sign the digest of the body; without a body it is the SHA-256 of zero bytes.',
    ],
    'digest-length': [
      'The length of the body was signed in place of its digest.',
      () => [(body) => String(Buffer.byteLength(body))],
    ],
    'digest-command-output': [
      'The whole output of a command such as openssl dgst or sha256sum was signed in place of the digest.',
      () => COMMAND_OUTPUTS.map((line) => ofHex((hex) => line.replace('#', hex))),
      "Sign only the hex digits, without label, file name or line break: … | sed 's/^.*= *//; s/ .*//'.",
    ],
    'digest-python-bytes': [
      "The text b'…' of Python bytes was signed in place of the digest.",
      () => [ofHex((hex) => `b'${hex}'`), ofBase64((base64) => `b'${base64}'`), ofDigest(pythonBytes)],
      'Use hexdigest(), or .decode() the bytes that hexlify or b64encode returns; do not ' +
        'format bytes with str() or an f-string.',
    ],
    'digest-without-leading-zeros': [
      'The digest of the body was signed in hex without leading zeros.',
      () => UNPADDED_HEX.map(ofDigest),
      'Write each byte as two hex digits: padStart(2, "0"), "%02x", or the hex encoder of the language.',
    ],
    'digest-as-numbers': [
      'The digest of the body was signed as a list of decimal numbers, one for each byte.',
      () => [...BYTE_LISTS, (bytes: Uint8Array) => JSON.stringify(bytes)].map(ofDigest),
    ],
    'digest-not-written': [
      'The body was passed to Sum() of Go, which puts it before the digest of nothing.',
      () => [
        (body) => Buffer.from(body).toString('hex') + hash('sha256', '', 'hex'),
        (body) => Buffer.concat([Buffer.from(body), hash('sha256', '', 'buffer')]).toString('base64'),
      ],
      'Write the body to the hash first: h.Write(body), then h.Sum(nil); or call sha256.Sum256(body).',
    ],
  },
);

/** Schemes of other services that may have been used instead of this one; they change several parts. */
const SCHEME_ERRORS: readonly SigningError[] = [
  {
    id: 'scheme-of-webhooks',
    did: 'The request was signed like a webhook: nonce, timestamp and the raw body.',
    variants: () => [{ order: ['id', 'timestamp', 'body'], bodyForm: rawBody } as const],
  },
  {
    id: 'scheme-timestamp-and-body',
    did: 'Only the timestamp and the raw body were signed.',
    variants: () =>
      ['.', ''].map((separator) => ({ order: ['timestamp', 'body'], bodyForm: rawBody, separator }) as const),
  },
  {
    id: 'scheme-body-only',
    did: 'Only the raw body was signed.',
    variants: () => [{ order: ['body'], bodyForm: rawBody } as const],
  },
  {
    id: 'scheme-json-object',
    did: 'The parts were signed as a JSON object or array.',
    variants: ({ right }: Message) => {
      const { timestamp, id: nonce, method, path } = right;
      const digest = contentOf({ ...right, order: ['body'] }).join('');
      const parts = { timestamp, nonce, method, path };
      return [
        { ...parts, body: digest },
        { ...parts, digest },
        { ...parts, bodyHash: digest },
        { ...parts, body_hash: digest },
        [timestamp, nonce, method, path, digest],
      ].map((json) => ({ order: [], ending: JSON.stringify(json) }));
    },
  },
].map(({ id, did, variants }) => ({
  id,
  did,
  fix: 'Sign timestamp, nonce, METHOD, path and body digest, joined by dots; this API has its own scheme.',
  variants: (message) => variants(message).map((change) => ({ change })),
}));

const JOINED =
  'The string timestamp.nonce.METHOD.path.sha256(body): five parts in this order, joined by dots.';

const ORDER_ERRORS = orderErrors(
  ['timestamp', 'id', 'method', 'path', 'body'],
  { id: 'nonce', body: 'body digest' },
  {
    orders: [
      ['id', 'timestamp', 'method', 'path', 'body'],
      ['method', 'path', 'timestamp', 'id', 'body'],
      ['method', 'path', 'body', 'timestamp', 'id'],
      ['timestamp', 'method', 'path', 'id', 'body'],
      ['timestamp', 'method', 'path', 'body', 'id'],
    ],
    selections: [
      ['timestamp', 'body'],
      ['timestamp', 'id', 'body'],
      ['method', 'path', 'body'],
      ['timestamp', 'method', 'path'],
      ['timestamp', 'path', 'body'],
    ],
  },
);

/** The tables of requests, the likely errors first. @internal */
export function requestErrors({ pathForm, digestEncoding }: RequestScheme): readonly ErrorGroup[] {
  const path = pathForm === 'path' ? 'request-target before its ?' : 'whole request-target, query included';
  const digest = digestEncoding === 'hex' ? 'lower-case hex' : 'base64';
  return [
    { expected: `The path is the ${path}, byte for byte as sent.`, errors: PATH_ERRORS },
    { expected: 'The digest is made over the bytes of the body on the wire.', errors: BODY_ERRORS },
    { expected: `The body is signed as its SHA-256 digest in ${digest}.`, errors: DIGEST_ERRORS },
    { expected: 'The key is the signing secret, as its UTF-8 bytes.', errors: KEY_ERRORS },
    { expected: 'The text of x-timestamp, as sent.', errors: TIMESTAMP_ERRORS },
    { expected: 'The text of x-nonce, as sent.', errors: NONCE_ERRORS },
    { expected: 'The method in upper case.', errors: METHOD_ERRORS },
    { expected: JOINED, errors: SEPARATOR_ERRORS },
    { expected: JOINED, errors: ENDING_ERRORS },
    { expected: JOINED, errors: ORDER_ERRORS },
    { expected: JOINED, errors: SCHEME_ERRORS },
    { expected: 'HMAC with SHA-256.', errors: ALGORITHM_ERRORS },
  ];
}
