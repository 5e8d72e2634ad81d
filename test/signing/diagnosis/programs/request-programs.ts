import { digestOf, hmacOf, REQUEST_SECRET, WEBHOOK_SECRET } from '../sender.js';
import {
  goBytes,
  goJson,
  javaBigInteger,
  javaValue,
  phpJson,
  pythonBytes,
  pythonValue,
  rubyValue,
  unpaddedHex,
} from './languages.js';

/** A request as a program has it before it computes the signature. */
export interface RequestInput {
  readonly timestamp: string;
  readonly nonce: string;
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body: Buffer;
}

/** What a program computes for `x-signature`, and the finding that must name what is wrong with it. */
export interface RequestProgram {
  readonly does: string;
  readonly id: string;
  readonly sign: (input: RequestInput) => string;
}

const sha256 = (bytes: string | Buffer): Buffer => digestOf('sha256', bytes);
const hmac = (content: string | Buffer, key: string | Buffer = REQUEST_SECRET): Buffer =>
  hmacOf('sha256', key, content);
const value = ({ body }: RequestInput): unknown => JSON.parse(body.toString());

function canonical(input: RequestInput, digest = sha256(input.body).toString('hex')): string {
  return [input.timestamp, input.nonce, input.method, input.path, digest].join('.');
}

/** Signs another text in place of the digest. */
function digest(does: string, id: string, form: (input: RequestInput) => string): RequestProgram {
  return { does, id, sign: (input) => hmac(canonical(input, form(input))).toString('hex') };
}

/** Signs the digest of another body. */
function body(does: string, id: string, form: (input: RequestInput) => string | Buffer): RequestProgram {
  return digest(does, id, (input) => sha256(form(input)).toString('hex'));
}

function key(
  does: string,
  id: string,
  used: string | Buffer | ((input: RequestInput) => string),
): RequestProgram {
  const keyOf = typeof used === 'function' ? used : () => used;
  return { does, id, sign: (input) => hmac(canonical(input), keyOf(input)).toString('hex') };
}

/** Signs with one part of the canonical string changed. */
function part(
  does: string,
  id: string,
  change: (input: RequestInput) => Partial<RequestInput>,
): RequestProgram {
  return { does, id, sign: (input) => hmac(canonical({ ...input, ...change(input) })).toString('hex') };
}

/** Writes the correct bytes in another form. */
function written(does: string, id: string, write: (mac: Buffer) => string): RequestProgram {
  return { does, id, sign: (input) => write(hmac(canonical(input))) };
}

/** Errors as people make them in seven languages, each without the code of the diagnosis. */
export const REQUEST_PROGRAMS: readonly RequestProgram[] = [
  body('Python: sha256(str(data).encode())', 'body-python-dict', (input) => pythonValue(value(input))),
  body('Python: sha256(str(body).encode()) of bytes', 'body-python-bytes', (input) =>
    pythonBytes(input.body),
  ),
  digest('Python: f"{binascii.hexlify(digest)}"', 'digest-python-bytes', ({ body }) =>
    pythonBytes(Buffer.from(sha256(body).toString('hex'))),
  ),
  digest('Python: f"{hashlib.sha256(body).digest()}"', 'digest-python-bytes', ({ body }) =>
    pythonBytes(sha256(body)),
  ),
  key('Python: str(secret.encode())', 'secret-python-bytes', pythonBytes(Buffer.from(REQUEST_SECRET))),
  written('Python: str(binascii.hexlify(mac))', 'signature-python-bytes', (mac) =>
    pythonBytes(Buffer.from(mac.toString('hex'))),
  ),
  part('Python: str(nonce.encode())', 'nonce-quoted', ({ nonce }) => ({
    nonce: pythonBytes(Buffer.from(nonce)),
  })),
  part('Python: repr(uuid)', 'nonce-quoted', ({ nonce }) => ({ nonce: `UUID('${nonce}')` })),
  part('Python: uuid.uuid4() called twice', 'unknown-secret', () => ({
    nonce: '11111111-2222-4333-8444-555555555555',
  })),
  part('JavaScript: Date.now() / 1000', 'timestamp-fraction', ({ timestamp }) => ({
    timestamp: `${timestamp}.417`,
  })),
  body('JavaScript: JSON.stringify(Buffer)', 'body-buffer-json', ({ body }) => JSON.stringify(body)),
  digest('JavaScript: [...bytes].map((b) => b.toString(16))', 'digest-without-leading-zeros', ({ body }) =>
    unpaddedHex(sha256(body)),
  ),
  written(
    'JavaScript: [...bytes].map((b) => b.toString(16))',
    'signature-without-leading-zeros',
    unpaddedHex,
  ),
  digest('JavaScript: `${new Uint8Array(digest)}`', 'digest-as-numbers', ({ body }) =>
    sha256(body).join(','),
  ),
  digest('JavaScript: no await before crypto.subtle.digest', 'digest-left-empty', () => '[object Promise]'),
  key(
    'JavaScript: Buffer.from(secret, "hex"), which is empty',
    'secret-unset',
    Buffer.from(REQUEST_SECRET, 'hex'),
  ),
  {
    does: 'JavaScript: JSON.stringify([ts, nonce, method, path, digest])',
    id: 'scheme-json-object',
    sign: ({ timestamp, nonce, method, path, body }) =>
      hmac(JSON.stringify([timestamp, nonce, method, path, sha256(body).toString('hex')])).toString('hex'),
  },
  body('PHP: json_encode($data)', 'body-php-json', (input) => phpJson(value(input))),
  digest('PHP: md5($body)', 'digest-algorithm', ({ body }) => digestOf('md5', body).toString('hex')),
  body('Go: json.Marshal(map)', 'body-go-map', (input) => goJson(value(input))),
  body('Go: json.NewEncoder(w).Encode(map)', 'body-go-map', (input) => `${goJson(value(input))}\n`),
  digest('Go: fmt.Sprint(sha256.Sum256(body))', 'digest-as-numbers', ({ body }) => goBytes(sha256(body))),
  digest('Go: hex of sha256.New().Sum(body)', 'digest-not-written', ({ body }) =>
    Buffer.concat([body, sha256('')]).toString('hex'),
  ),
  {
    does: 'Go: hex of mac.Sum([]byte(canonical))',
    id: 'content-passed-to-sum',
    sign: (input) => Buffer.concat([Buffer.from(canonical(input)), hmac('')]).toString('hex'),
  },
  body('Ruby: Digest::SHA256.hexdigest(data.to_s)', 'body-printed', (input) => rubyValue(value(input))),
  body('Java: sha256(map.toString())', 'body-printed', (input) => javaValue(value(input))),
  digest('Java: new BigInteger(1, digest).toString(16)', 'digest-without-leading-zeros', ({ body }) =>
    javaBigInteger(sha256(body)),
  ),
  written('Java: new BigInteger(1, mac).toString(16)', 'signature-without-leading-zeros', javaBigInteger),
  digest(
    'shell: $(openssl dgst -sha256 < body.json)',
    'digest-command-output',
    ({ body }) => `SHA2-256(stdin)= ${sha256(body).toString('hex')}`,
  ),
  digest(
    'shell: $(sha256sum < body.json)',
    'digest-command-output',
    ({ body }) => `${sha256(body).toString('hex')}  -`,
  ),
  written(
    'shell: openssl dgst -sha256 -hmac',
    'signature-command-output',
    (mac) => `HMAC-SHA2-256(stdin)= ${mac.toString('hex')}`,
  ),
  written(
    'shell: openssl dgst -sha256 -hmac -r',
    'signature-command-output',
    (mac) => `${mac.toString('hex')} *stdin`,
  ),
  body('shell: echo "$BODY" | sha256sum', 'body-newline-added', ({ body }) => `${body.toString()}\n`),
  key('another variable: SANDBOX_WEBHOOK_SECRET', 'secret-is-other-credential', WEBHOOK_SECRET),
  key(
    'another variable: SANDBOX_KYC_PUBLISHABLE_KEY',
    'secret-is-other-credential',
    'pk_test_0000000000000001',
  ),
  key('the Authorization header', 'secret-is-token', ({ token }) => `Bearer ${token}`),
];
