import { digestOf, hmacOf, KYC_TOKEN, REQUEST_SECRET, WEBHOOK_SECRET } from '../sender.js';
import {
  goBytes,
  goJson,
  goValue,
  javaBigInteger,
  javaBytes,
  javaHex,
  javaValue,
  phpJson,
  phpQuery,
  pythonBytes,
  pythonText,
  pythonValue,
  rubyValue,
  sharpJson,
  unpaddedHex,
} from './languages.js';

/** A webhook as a program has it before it computes the signature. */
export interface WebhookInput {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Buffer;
}

/** What a program computes for `webhook-signature`, and the finding that must name what is wrong with it. */
export interface WebhookProgram {
  readonly does: string;
  readonly id: string;
  readonly sign: (input: WebhookInput) => string;
}

const KEY = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');

const joined = ({ id, timestamp }: WebhookInput, body: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);

const text = ({ body }: WebhookInput): string => body.toString();
const value = ({ body }: WebhookInput): unknown => JSON.parse(body.toString());

/** Signs another body, correctly in every other respect. */
function body(does: string, id: string, form: (input: WebhookInput) => string | Buffer): WebhookProgram {
  return {
    does,
    id,
    sign: (input) => `v1,${hmacOf('sha256', KEY, joined(input, form(input))).toString('base64')}`,
  };
}

function key(does: string, id: string, used: string | Buffer): WebhookProgram {
  return {
    does,
    id,
    sign: (input) => `v1,${hmacOf('sha256', used, joined(input, input.body)).toString('base64')}`,
  };
}

/** Writes the correct bytes in another form. */
function written(does: string, id: string, write: (mac: Buffer) => string): WebhookProgram {
  return { does, id, sign: (input) => write(hmacOf('sha256', KEY, joined(input, input.body))) };
}

function computed(does: string, id: string, mac: (input: WebhookInput) => Buffer): WebhookProgram {
  return { does, id, sign: (input) => `v1,${mac(input).toString('base64')}` };
}

/** Errors as people make them in seven languages, each without the code of the diagnosis. */
export const WEBHOOK_PROGRAMS: readonly WebhookProgram[] = [
  body('Python: f"{id}.{ts}.{request.data}" of bytes', 'body-python-bytes', (input) =>
    pythonBytes(input.body),
  ),
  body('Python: f"{id}.{ts}.{request.json}"', 'body-python-dict', (input) => pythonValue(value(input))),
  body('Python: f"{text!r}"', 'body-python-dict', (input) => pythonText(text(input))),
  body('Python: json.dumps(data, sort_keys=True)', 'body-key-order', (input) =>
    goJson(value(input))
      .replaceAll('\\u0026', '&')
      .replaceAll('\\u003c', '<')
      .replaceAll('\\u003e', '>')
      .replaceAll('","', '", "')
      .replaceAll('":', '": ')
      .replaceAll(/(null|true|\d|\}|\]),"/g, '$1, "')
      .replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  key('Python: str(base64.b64decode(secret)).encode()', 'secret-python-bytes', pythonBytes(KEY)),
  key('Python: secret.encode()', 'secret-used-whole', WEBHOOK_SECRET),
  written(
    'Python: f"v1,{base64.b64encode(digest)}"',
    'signature-python-bytes',
    (mac) => `v1,${pythonBytes(Buffer.from(mac.toString('base64')))}`,
  ),
  written('Python: f"v1,{digest}"', 'signature-python-bytes', (mac) => `v1,${pythonBytes(mac)}`),
  computed('Python: hmac.new(key, content, "md5")', 'algorithm-other-hash', (input) =>
    hmacOf('md5', KEY, joined(input, input.body)),
  ),
  body('Express: JSON.stringify(req.body) of a Buffer', 'body-buffer-json', (input) =>
    JSON.stringify(input.body),
  ),
  body('Express: JSON.stringify(req.body) of an object', 'body-reserialised', (input) =>
    JSON.stringify(value(input)),
  ),
  body('JavaScript: `${new Uint8Array(raw)}`', 'body-byte-list', (input) => input.body.join(',')),
  body('JavaScript: JSON.stringify(body, Object.keys(body).sort())', 'body-keys-filtered', (input) => {
    const data = JSON.parse(text(input)) as Record<string, unknown>;
    return JSON.stringify(data, Object.keys(data).sort());
  }),
  written(
    'JavaScript: JSON.stringify(hmac.digest())',
    'signature-as-numbers',
    (mac) => `v1,${JSON.stringify(mac)}`,
  ),
  written(
    'JavaScript: [...bytes].map((b) => b.toString(16))',
    'signature-without-leading-zeros',
    (mac) => `v1,${unpaddedHex(mac)}`,
  ),
  written(
    'JavaScript: no await before crypto.subtle.sign',
    'signature-is-object',
    () => 'v1,[object Promise]',
  ),
  written('JavaScript: no digest()', 'signature-is-object', () => 'v1,[object Object]'),
  computed('JavaScript: no update()', 'content-not-passed', () => hmacOf('sha256', KEY, '')),
  body('PHP: json_encode(json_decode($body))', 'body-php-json', (input) => phpJson(value(input))),
  body('PHP: "$id.$timestamp.$data" of an array', 'body-unserialised', () => 'Array'),
  body('PHP: http_build_query($data)', 'body-form-encoded', (input) => phpQuery(value(input))),
  written(
    'PHP: base64_encode(hash_hmac(…))',
    'signature-base64-of-hex',
    (mac) => `v1,${Buffer.from(mac.toString('hex')).toString('base64')}`,
  ),
  body('Go: json.Marshal(map)', 'body-go-map', (input) => goJson(value(input))),
  body('Go: fmt.Sprintf("%v", body)', 'body-byte-list', (input) => goBytes(input.body)),
  body('Go: fmt.Sprint(map)', 'body-printed', (input) => goValue(value(input))),
  computed('Go: mac.Sum([]byte(content)) without Write', 'content-passed-to-sum', (input) =>
    Buffer.concat([joined(input, input.body), hmacOf('sha256', KEY, '')]),
  ),
  written('Go: fmt.Sprint(mac.Sum(nil))', 'signature-as-numbers', (mac) => `v1,${goBytes(mac)}`),
  body('Ruby: "#{id}.#{timestamp}.#{params}"', 'body-printed', (input) => rubyValue(value(input))),
  body('Ruby: JSON.pretty_generate(data)', 'body-indented', (input) => JSON.stringify(value(input), null, 2)),
  body('Java: map.toString()', 'body-printed', (input) => javaValue(value(input))),
  written('Java: Arrays.toString(mac)', 'signature-as-numbers', (mac) => `v1,${javaBytes(mac)}`),
  written('Java: Integer.toHexString(b)', 'signature-without-leading-zeros', (mac) => `v1,${javaHex(mac)}`),
  written(
    'Java: new BigInteger(1, mac).toString(16)',
    'signature-without-leading-zeros',
    (mac) => `v1,${javaBigInteger(mac)}`,
  ),
  body('C#: JsonSerializer.Serialize(data)', 'body-signs-escaped', (input) => sharpJson(value(input))),
  written(
    'shell: openssl dgst -sha256 -hmac',
    'signature-command-output',
    (mac) => `SHA2-256(stdin)= ${mac.toString('hex')}`,
  ),
  computed('shell: sha256sum of the content', 'algorithm-no-key', (input) =>
    digestOf('sha256', joined(input, input.body)),
  ),
  key(
    'shell: -hmac "$(base64 -d)", which drops zero bytes',
    'secret-without-zero-bytes',
    KEY.subarray().filter((byte) => byte !== 0) as Buffer,
  ),
  key('another variable: SANDBOX_SIGNING_SECRET', 'secret-is-other-credential', REQUEST_SECRET),
  key('another variable: SANDBOX_KYC_TOKEN', 'secret-is-other-credential', KYC_TOKEN),
];
