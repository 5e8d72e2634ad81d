// Defines the signing errors of requests (§5.2).
import { createHash, hash } from 'node:crypto';
import { parseUrl } from '../../text/urls.js';
import { computeHmacSha256 } from '../message.js';
import { getRequestPath, type RequestScheme } from '../request.js';
import { BODY_ERRORS } from './body-errors.js';
import type { BodyForm, ErrorGroup, SignedMessageInput, SigningError } from './diagnose.js';
import { buildContent, expandErrors } from './diagnose.js';
import {
  ALGORITHM_ERRORS,
  listCurrentSecrets,
  TRAILING_TEXT_ERRORS,
  labelKey,
  BYTES_AS_TEXT_FIX,
  OBJECT_TEXTS,
  createDigestForm,
  listMessage,
  createOrderErrors,
  listProvidedHashes,
  listSecretsWithNote,
  SEPARATOR_ERRORS,
  createKeyErrors,
  listSuffixes,
  listPartText,
  TIMESTAMP_ERRORS,
  UNSET_KEY_ERRORS,
  UNSET_TEXTS,
} from './errors.js';
import {
  BYTE_LIST_FORMATS,
  COMMAND_OUTPUTS,
  toObject,
  formatPythonBytes,
  UNPADDED_HEX_FORMATS,
} from './rewriting.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const METHOD = ['The method was signed', 'Sign the request method in upper case, e.g. POST.'] as const;

const METHOD_ERRORS = expandErrors('method', listPartText('method'), METHOD, {
  'method-lower-case': ['in lower case', (method) => [method.toLowerCase()]],
  'method-capitalised': [
    'with only the first letter in upper case',
    ([first = '', ...rest]) => [first + rest.join('').toLowerCase()],
  ],
  'method-other': [
    'as a different method',
    () => Object.fromEntries(METHODS.map((method) => [method, method])),
  ],
  'method-unset': ['as an unset value', () => UNSET_TEXTS],
});

const NONCE = [
  'The nonce was signed',
  'Generate the nonce once, and use the same string in x-nonce and the signed content.',
] as const;

const NONCE_ERRORS = expandErrors('id', listPartText('id'), NONCE, {
  'nonce-case': [
    'in a different letter case than sent',
    (nonce) => [nonce.toLowerCase(), nonce.toUpperCase()],
  ],
  'nonce-dashes': ['with dashes added or removed', dashedForms],
  'nonce-encoded': ['after being encoded to or decoded from hex or base64', encodedForms],
  'nonce-quoted': ['in quotes or braces', (n) => [`"${n}"`, `'${n}'`, `{${n}}`, `b'${n}'`, `UUID('${n}')`]],
  'nonce-line-break': ['with a trailing line break or space', (nonce) => [`${nonce}\n`, `${nonce} `]],
  'nonce-cut': [
    'Only part of the nonce was signed.',
    (nonce) => [8, 12, 16, 32, 64].map((length) => nonce.slice(0, length)),
  ],
  'nonce-unset': ['as an unset value', () => [...UNSET_TEXTS, '0']],
  'nonce-is-other-field': ['as the value of another field', otherFields],
});

function dashedForms(nonce: string): string[] {
  const dashed = nonce.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return [nonce.replaceAll('-', ''), dashed];
}

function encodedForms(nonce: string): string[] {
  const [bytes, ofHex, ofBase64] = [
    Buffer.from(nonce),
    Buffer.from(nonce, 'hex'),
    Buffer.from(nonce, 'base64'),
  ];
  return [
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    ofHex.toString('latin1'),
    ofBase64.toString('latin1'),
    ofHex.toString('base64'),
    ofBase64.toString('hex'),
  ];
}

function otherFields(_nonce: string, { right, json }: SignedMessageInput) {
  const code = toObject(json?.value)?.['code'];
  const time = { 'the timestamp': right.timestamp };
  return typeof code === 'string' ? { ...time, 'the code of the charge': code } : time;
}

const PATH = [
  'The path was signed',
  'Sign the path exactly as in the request line: starting with a slash, without scheme and host.',
] as const;
const WHOLE_PATH =
  'Sign the full path, including /api/public/v1; a router or a client with a base URL can hide the prefix.';

const PATH_ERRORS = [
  ...expandErrors('path', listMessage, PATH, {
    'path-with-query': ['with the query', ({ target }) => [target], 'Cut the request-target at the first ?.'],
    'path-without-query': [
      'without the query',
      ({ target }) => [getRequestPath(target)],
      'Sign the complete request-target.',
    ],
    'path-query-order': ['with query parameters in a different order', sortedQueries],
    'path-absolute-url': ['as a full URL', (message) => withHost(message, ['http://', 'https://'])],
    'path-with-host': ['with the host prepended', (message) => withHost(message, ['', '//'])],
    'path-request-line': ['together with the method or HTTP version', requestLines],
  }),
  ...expandErrors('path', listPartText('path'), PATH, {
    'path-without-leading-slash': ['without the leading slash', (path) => [path.replace(/^\//, '')]],
    'path-trailing-slash': ['with a trailing slash added or removed', slashForms],
    'path-prefix-left-out': ['without its first segments', tailsOfPath, WHOLE_PATH],
    'path-prefix-doubled': [
      'with its first segments repeated',
      (path) => [...headsOf(path, 6), path, '/'].map((head) => head + path),
    ],
    'path-decoded': [
      'after percent-decoding',
      (path) => [decodeURIComponent, decodeURI].map((decode) => decoded(path, decode)),
    ],
    'path-encoded': ['after being percent-encoded again', encodedPaths],
    'path-case': ['in a different letter case than sent', caseForms],
    'path-normalised': ['after resolving dot segments or double slashes', normalizedForms],
    'path-template': ['as the route pattern instead of the actual path', templates],
    'path-fragment': ['with a trailing # or ?', (path) => [`${path}?`, `${path}#`]],
    'path-unset': ['as an unset value or a single slash', () => [...UNSET_TEXTS, '/']],
  }),
];

function sortedQueries({ target }: SignedMessageInput): string[] {
  const path = getRequestPath(target);
  const pairs = target.slice(path.length + 1).split('&');
  return [pairs.toSorted(), pairs.toReversed()].map((ordered) => `${path}?${ordered.join('&')}`);
}

function withHost({ target, host = '' }: SignedMessageInput, schemes: readonly string[]): string[] {
  const hosts = host === '' ? [] : [host, host.replace(/:\d+$/, '')];
  return hosts.flatMap((name) =>
    schemes.flatMap((scheme) => [scheme + name + getRequestPath(target), scheme + name + target]),
  );
}

function requestLines({ right, target }: SignedMessageInput): string[] {
  const line = `${String(right.method)} ${target}`;
  const versions = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2'];
  return [line, ...versions.flatMap((version) => [`${line} ${version}`, `${target} ${version}`])];
}

function slashForms(path: string): string[] {
  return path.endsWith('/') ? [path.slice(0, -1), path.replace(/(?<!\/)\/+$/, '')] : [`${path}/`];
}

/** Lists the prefixes of a path that end before a slash. */
function headsOf(path: string, max: number): string[] {
  const ends = Array.from(path.matchAll(/(?!^)\//g), ({ index }) => index);
  return ends.slice(0, max).map((end) => path.slice(0, end));
}

function tailsOfPath(path: string): string[] {
  return headsOf(path, 24).flatMap(({ length }) => [path.slice(length), path.slice(length + 1)]);
}

function decoded(path: string, decode: (text: string) => string): string | undefined {
  try {
    return decode(path);
  } catch {
    return undefined;
  }
}

function encodedPaths(path: string): string[] {
  const whole = encodeURIComponent(path);
  return [whole, encodeURI(path), path.split('/').map(encodeURIComponent).join('/'), whole.toLowerCase()];
}

function caseForms(path: string): string[] {
  const triplets = /%[0-9a-f]{2}/gi;
  return [
    path.toLowerCase(),
    path.toUpperCase(),
    path.replaceAll(triplets, (triplet) => triplet.toUpperCase()),
    path.replaceAll(triplets, (triplet) => triplet.toLowerCase()),
  ];
}

function normalizedForms(path: string): (string | undefined)[] {
  const single = path.replaceAll(/\/{2,}/g, '/');
  return [single, ...[path, single].map((text) => parseUrl(`http://localhost${text}`)?.pathname)];
}

const ID_SEGMENT = /[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/g;

function templates(path: string): string[] {
  const named = ['{#}', ':#', '<#>'].map((pattern) => {
    const names = ['endpoint_id', 'delivery_id'];
    return path.replaceAll(ID_SEGMENT, () => pattern.replace('#', names.shift() ?? 'id'));
  });
  return [...named, ...['{id}', ':id', '*'].map((pattern) => path.replaceAll(ID_SEGMENT, pattern))];
}

const KEY = [
  'The secret was',
  'Use the secret unchanged: its UTF-8 bytes are the key, without decoding.',
] as const;
const OTHER_APPLICATION = 'Use the secret of the application that the token belongs to.';
const SIGNING_SECRET = 'Sign with the application’s signing secret (SANDBOX_SIGNING_SECRET).';

const KEY_ERRORS = [
  ...UNSET_KEY_ERRORS,
  ...expandErrors('key', listSecretsWithNote('other'), KEY, {
    'secret-of-other-application': [
      'The secret of another application was used.',
      ({ name, secret }) => labelKey(name, secret),
      OTHER_APPLICATION,
    ],
  }),
  ...expandErrors('key', listCurrentSecrets, KEY, {
    'secret-trimmed': ['used without its leading or trailing spaces', (secret) => [secret.trim()]],
    'secret-base64-decoded': [
      'base64-decoded',
      (secret) => listSuffixes(secret).map((text) => Buffer.from(text, 'base64')),
    ],
    'secret-encoded': ['encoded in base64 or hex', encodedSecrets],
    'secret-url-encoded': [
      'URL-encoded or URL-decoded',
      (s) => [encodeURIComponent(s), s.replaceAll('+', ' ')],
    ],
    'secret-prefix-left-out': [
      'used without the prefix before an underscore',
      (secret) => listSuffixes(secret).slice(1),
    ],
    'secret-case': [
      'used in a different letter case',
      (secret) => [secret.toLowerCase(), secret.toUpperCase()],
    ],
    'secret-hashed': ['hashed before use as the key', hashedSecrets],
    'secret-utf16': ['converted to UTF-16 bytes', (secret) => [Buffer.from(secret, 'utf16le')]],
  }),
  ...expandErrors('key', ({ token }) => (token ? [token] : []), KEY, {
    'secret-is-token': [
      'The bearer token was used as the secret.',
      (token) => [token, `Bearer ${token}`],
      SIGNING_SECRET,
    ],
  }),
  ...createKeyErrors(KEY[1], SIGNING_SECRET),
];

function encodedSecrets(secret: string): string[] {
  return (['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(secret).toString(encoding));
}

function hashedSecrets(secret: string): (string | Buffer)[] {
  return (['buffer', 'hex', 'base64'] as const).map((encoding) => hash('sha256', secret, encoding));
}

/** Creates a body form from the hex digest. */
const ofHex = (write: (hex: string) => string): BodyForm =>
  createDigestForm((digest) => write(digest.toString('hex')));

/** Creates a body form from the base64 digest. */
const ofBase64 = (write: (base64: string) => string): BodyForm =>
  createDigestForm((digest) => write(digest.toString('base64')));

const rawBody: BodyForm = (body) => body;

const DIGEST = [
  'The digest of the body was signed',
  'Sign the SHA-256 digest of the raw body in the expected encoding.',
] as const;
const ALWAYS_SIGN = 'Always sign the digest of the body; for an empty body, it is the SHA-256 of zero bytes.';
const ONLY_DIGITS =
  "Sign only the hex digits, without label, file name or line break: … | sed 's/^.*= *//; s/ .*//'.";
const TWO_DIGITS = 'Write each byte as two hex digits: padStart(2, "0"), "%02x", or a standard hex encoder.';
const WRITE_FIRST =
  'Write the body to the hash first: h.Write(body), then h.Sum(nil); or call sha256.Sum256(body).';

const DIGEST_ERRORS = expandErrors('bodyForm', listMessage, DIGEST, {
  'digest-raw-body': ['The body itself was signed, not its digest.', () => [rawBody]],
  'digest-base64': ['in base64', () => [ofBase64((base64) => base64)]],
  'digest-hex': ['in hex', () => [ofHex((hex) => hex)]],
  'digest-base64url': ['in base64url or without padding', base64urlForms],
  'digest-upper-case': ['in uppercase hex', () => [ofHex((hex) => hex.toUpperCase())]],
  'digest-bytes': ['as 32 raw bytes, not as text', rawForms],
  'digest-algorithm': ['The body was digested with a hash other than SHA-256.', otherDigests],
  'digest-twice': ['after being hashed again', doubleDigests],
  'digest-prefixed': ['with a prefix such as sha256=', prefixedDigests],
  'digest-with-secret': [
    'as an HMAC with the secret',
    ({ right }) => [(body) => computeHmacSha256(right.key, body).toString('hex')],
  ],
  'digest-base64-of-hex': [
    'as the base64 of its hex digits',
    () => [ofHex((hex) => Buffer.from(hex).toString('base64'))],
  ],
  'digest-left-empty': ['as an empty or unset value', emptyDigests, ALWAYS_SIGN],
  'digest-length': ['as the length of the body', () => [(body) => String(Buffer.byteLength(body))]],
  'digest-command-output': [
    'as the full output of a command such as openssl dgst or sha256sum',
    () => COMMAND_OUTPUTS.map((line) => ofHex((hex) => line.replace('#', hex))),
    ONLY_DIGITS,
  ],
  'digest-python-bytes': [
    "as the string form b'…' of Python bytes",
    () => [
      ofHex((hex) => `b'${hex}'`),
      ofBase64((base64) => `b'${base64}'`),
      createDigestForm(formatPythonBytes),
    ],
    BYTES_AS_TEXT_FIX,
  ],
  'digest-without-leading-zeros': [
    'in hex without leading zeros',
    () => UNPADDED_HEX_FORMATS.map(createDigestForm),
    TWO_DIGITS,
  ],
  'digest-as-numbers': [
    'as a list of decimal numbers, one per byte',
    () => [...BYTE_LIST_FORMATS, (bytes: Uint8Array) => JSON.stringify(bytes)].map(createDigestForm),
  ],
  'digest-not-written': [
    'The body was passed to Sum() in Go, which prepends it to the digest of zero bytes.',
    sumForms,
    WRITE_FIRST,
  ],
});

function base64urlForms(): BodyForm[] {
  return [
    createDigestForm((digest) => digest.toString('base64url')),
    ofBase64((text) => text.replace('=', '')),
  ];
}

function rawForms(): BodyForm[] {
  const texts = (['latin1', 'utf8'] as const).map((charset) =>
    createDigestForm((digest) => digest.toString(charset)),
  );
  return [createDigestForm((digest) => digest), ...texts];
}

function otherDigests(): Record<string, BodyForm> {
  const names = listProvidedHashes('sha1', 'sha512', 'sha384', 'sha224', 'md5');
  const form =
    (name: string): BodyForm =>
    (body) =>
      createHash(name).update(body).digest('hex');
  return Object.fromEntries(names.map((name) => [name, form(name)]));
}

function doubleDigests(): BodyForm[] {
  return [
    ofHex((hex) => hash('sha256', hex, 'hex')),
    createDigestForm((digest) => hash('sha256', digest, 'hex')),
  ];
}

function prefixedDigests(): BodyForm[] {
  return [
    ofHex((hex) => `sha256=${hex}`),
    ofHex((hex) => `sha256:${hex}`),
    ofBase64((base64) => `SHA-256=${base64}`),
    ofBase64((base64) => `sha-256=:${base64}:`),
    ofHex((hex) => `0x${hex}`),
  ];
}

function emptyDigests(): BodyForm[] {
  const texts = ['', 'undefined', 'null', 'None', 'UNSIGNED-PAYLOAD', ...OBJECT_TEXTS];
  return texts.map((text) => () => text);
}

function sumForms(): BodyForm[] {
  const ofNothing = hash('sha256', '', 'buffer');
  return [
    (body) => Buffer.from(body).toString('hex') + ofNothing.toString('hex'),
    (body) => Buffer.concat([Buffer.from(body), ofNothing]).toString('base64'),
  ];
}

const OWN_SCHEME =
  'Sign timestamp, nonce, METHOD, path and body digest, joined by dots; this API uses its own scheme.';

function schemeError(
  id: string,
  did: string,
  ...changes: readonly Partial<SignedMessageInput['right']>[]
): SigningError {
  return { id, did, fix: OWN_SCHEME, variants: () => changes.map((change) => ({ change })) };
}

const RAW = { bodyForm: rawBody, order: ['timestamp', 'body'] } as const;

/** Schemes of other services, used by mistake. Each scheme changes several parts. */
const SCHEME_ERRORS: readonly SigningError[] = [
  schemeError(
    'scheme-of-webhooks',
    'The request was signed like a webhook: nonce, timestamp and the raw body.',
    { ...RAW, order: ['id', 'timestamp', 'body'] },
  ),
  schemeError('scheme-timestamp-and-body', 'Only the timestamp and the raw body were signed.', RAW, {
    ...RAW,
    separator: '',
  }),
  schemeError('scheme-body-only', 'Only the raw body was signed.', { ...RAW, order: ['body'] }),
  {
    ...schemeError('scheme-json-object', 'The parts were signed as a JSON object or array.'),
    variants: ({ right }) => {
      const { timestamp, id: nonce, method, path } = right;
      const digest = buildContent({ ...right, order: ['body'] }).join('');
      const names = ['body', 'digest', 'bodyHash', 'body_hash'];
      const objects = names.map((name) => ({ timestamp, nonce, method, path, [name]: digest }));
      return [...objects, [timestamp, nonce, method, path, digest]].map((json) => ({
        change: { order: [], ending: JSON.stringify(json) },
      }));
    },
  },
];

const ORDER_ERRORS = createOrderErrors(
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

/** Creates the error tables for requests, likely errors first. @internal */
export function createRequestErrors({ pathForm, digestEncoding }: RequestScheme): readonly ErrorGroup[] {
  const path =
    pathForm === 'path' ? 'request-target up to the first ?' : 'full request-target, including the query';
  const digest = digestEncoding === 'hex' ? 'lowercase hex' : 'base64';
  const joined =
    'The string timestamp.nonce.METHOD.path.sha256(body): five parts in this order, joined by dots.';
  return [
    { expected: `The path is the ${path}, byte for byte as sent.`, errors: PATH_ERRORS },
    { expected: 'The digest covers the bytes of the body on the wire.', errors: BODY_ERRORS },
    { expected: `The body is signed as its SHA-256 digest in ${digest}.`, errors: DIGEST_ERRORS },
    { expected: 'The key is the UTF-8 bytes of the signing secret.', errors: KEY_ERRORS },
    { expected: 'The value of x-timestamp, as sent.', errors: TIMESTAMP_ERRORS },
    { expected: 'The value of x-nonce, as sent.', errors: NONCE_ERRORS },
    { expected: 'The method in upper case.', errors: METHOD_ERRORS },
    ...[SEPARATOR_ERRORS, TRAILING_TEXT_ERRORS, ORDER_ERRORS, SCHEME_ERRORS].map((errors) => ({
      expected: joined,
      errors,
    })),
    { expected: 'HMAC with SHA-256.', errors: ALGORITHM_ERRORS },
  ];
}
