import { REDACTED } from '../redaction.js';
import { repeatHeaders, isSignedAgain, SIGNATURE_HEADERS } from '../exchange/present-exchange.js';
import { toPlainText, createPrintfCommand, quoteForShell, type ShellWord, formatWord } from './words.js';

/** Source of a curl body: a file name, the bytes, or piped input. */
export type CurlBody = 'piped' | { readonly file: string } | { readonly bytes: Uint8Array };

/** A request for `curlCommand`; without a body none is sent. */
interface CurlRequest {
  readonly method: string;
  readonly url: ShellWord;
  readonly headers: readonly ShellWord[];
  readonly body?: CurlBody | undefined;
}

/** A curl command for sh, bash and zsh that sends exactly these bytes. */
export function createCurlCommand({ method, url, headers, body }: CurlRequest): string {
  const shown = typeof url === 'string' ? url : url.shell;
  const target = shown.replace(/^https?:\/\/[^/?#]*/i, '');
  const inline = typeof body === 'object' && 'bytes' in body ? body.bytes : undefined;
  const text = inline && toPlainText(inline);
  const source = inline === undefined || text !== undefined ? '' : `${createPrintfCommand(inline)} | `;
  const lines: ShellWord[][] = [
    [...(method === 'HEAD' ? ['-I'] : ['-X', method]), url],
    // curl rewrites such paths by default, and the signature covers the path as it is.
    ...(/\/\.{1,2}(?:[/?]|$)/.test(target) ? [['--path-as-is']] : []),
    ...(/[[\]{}]/.test(shown) ? [['--globoff']] : []),
    ...headers.map((header) => ['-H', header]),
  ];
  if (typeof body === 'object' && 'file' in body) lines.push(['--data-binary', `@${body.file}`]);
  // --data-raw, unlike --data-binary, does not read a file where the body begins with @.
  else if (body !== undefined)
    lines.push(text === undefined ? ['--data-binary', '@-'] : ['--data-raw', text]);
  return `${source}curl ${lines.map((words) => words.map(formatWord).join(' ')).join(' \\\n  ')}`;
}

/** Signing scheme: the open points of §5.2. */
export interface CurlScheme {
  readonly signatureEncoding: 'hex' | 'base64';
  readonly digestEncoding: 'hex' | 'base64';
  readonly pathForm: 'path' | 'target';
}

/**
 * Commands for sh, bash and zsh, with the omitted headers: hidden by the log or unprintable in a terminal.
 */
export interface ShellScript {
  readonly script: string;
  readonly leftOut: readonly string[];
}

/** Reason for missing commands, and the fix. */
export interface ScriptProblem {
  readonly problem: string;
  readonly hint: string;
}

type Headers = readonly (readonly [name: string, value: string])[];

/** A call as the control API shows it. */
interface ShownCall {
  readonly api: string;
  readonly method: string;
  readonly path: string;
  readonly request: {
    readonly headers: Headers;
    readonly body?: string | undefined;
    readonly body_base64?: string | undefined;
    readonly body_bytes: number;
    readonly truncated: boolean;
    readonly redacted: boolean;
  } | null;
}

/** A delivery as the control API shows it. */
interface ShownDelivery {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly endpoint_url: string | null;
  readonly target_url: string | null;
  readonly own_secret: boolean;
}

/** A required variable and the advice if unset, without shell metacharacters. */
type Variable = readonly [name: string, otherwise: string];

const FROM_ENV = 'is not set; sandbox env prints that of the default application';
const SIGNING_SECRET: Variable = ['SANDBOX_SIGNING_SECRET', FROM_ENV];

const HEX = String.raw`od -An -v -tx1 | tr -d ' \n'`;
const ENCODERS = { hex: HEX, base64: 'openssl base64 -A' } as const;
const TAKE_TIME = 'timestamp=$(date +%s)';

/**
 * The commands that send a call to a sandbox at `url` again, whenever they are run: timestamp, nonce and
 * signature are computed then, with secrets from variables (§5).
 */
export function createCallScript(
  call: ShownCall,
  url: string,
  scheme: CurlScheme,
): ShellScript | ScriptProblem {
  const { request, api, method, path } = call;
  const isApi = api === 'api' || api === 'identity';
  if (request === null || !isApi) {
    return {
      problem:
        request === null
          ? 'The body of this request is not stored.'
          : 'Requests to the hosted pages cannot be sent with curl.',
      hint: 'Only requests to the payments API and the identity API can, while the log stores them.',
    };
  }
  const { headers, body: text, body_base64: encoded, body_bytes: length, truncated, redacted } = request;
  if (truncated || redacted) {
    return {
      problem: truncated
        ? `Only the beginning of its ${length} bytes of body is kept.`
        : 'The log hides a secret in its body.',
      hint: `Sign the whole body: \`sign request ${method} ${path} body.json --curl\`.`,
    };
  }
  const place = placeOf(path);
  const signedPath = scheme.pathForm === 'target' ? place : placeOf(path.split('?')[0] ?? '');
  if (place === undefined || signedPath === undefined) {
    return {
      problem: `The log hides a part of this request’s path: ${path}.`,
      hint: 'Sign the request with the whole path: `sign request METHOD PATH body.json --curl`.',
    };
  }
  const body = encoded === undefined ? new TextEncoder().encode(text) : fromBase64(encoded);
  const origin = url.replace(/\/$/, '');
  const isSigned = isSignedAgain({ api, method, headers });
  const token = api === 'identity' ? 'SANDBOX_KYC_TOKEN' : 'SANDBOX_TOKEN';
  const source = body.length === 0 ? "printf ''" : 'body';
  const steps = [
    TAKE_TIME,
    'nonce=$(openssl rand -hex 16)',
    `digest=$(${source} | openssl dgst -sha256 -binary | ${ENCODERS[scheme.digestEncoding]})`,
    `signature=$(printf %s.%s.%s.%s.%s "$timestamp" "$nonce" ${quoteForShell(method)} ` +
      `${signedPath.word} "$digest" |`,
    `  openssl dgst -sha256 -hmac "$${SIGNING_SECRET[0]}" -binary | ${ENCODERS[scheme.signatureEncoding]})`,
  ];
  const signature = SIGNATURE_HEADERS.map((name) => [
    name,
    isSigned ? { expanded: `$${name.slice('x-'.length)}` } : undefined,
  ]);
  return scriptOf({
    variables: [[token, FROM_ENV], ...(isSigned ? [SIGNING_SECRET] : []), ...place.variables],
    steps: isSigned ? steps : [],
    method,
    url: place.variables.length === 0 ? origin + path : { shell: quoteForShell(origin) + place.word },
    kept: headers,
    fresh: { authorization: { expanded: `Bearer $${token}` }, ...Object.fromEntries(signature) },
    body,
  });
}

/**
 * Creates commands to resend an attempt of a delivery under its id, with a new timestamp and signature
 * (§5.5): with the headers of a recorded attempt, if any, and the body of its event.
 */
export function createAttemptScript(
  delivery: ShownDelivery,
  headers: Readonly<Record<string, string>> | undefined,
  body: string,
): ShellScript | ScriptProblem {
  const { event_id: id, endpoint_id: endpoint, endpoint_url: url, target_url: target } = delivery;
  if (url === null) {
    return {
      problem: 'The endpoint of this delivery was deleted.',
      hint: 'Send its event with `npx sandbox events resend`.',
    };
  }
  if (target === null || target.includes(REDACTED)) {
    return {
      problem:
        target === null
          ? 'The listener of this delivery names no URL.'
          : 'The listener’s forward URL contains a secret.',
      hint: 'Sign its body for the URL: `npx sandbox sign webhook body.json --curl URL`.',
    };
  }
  // Named after the endpoint, to avoid using another endpoint's secret by mistake.
  const secret: Variable = delivery.own_secret
    ? [
        `ENDPOINT_SECRET_${endpoint.slice(0, endpoint.indexOf('-'))}`,
        `is not set; it is the whsec_ secret shown when endpoint ${endpoint} was created or rotated`,
      ]
    : ['SANDBOX_WEBHOOK_SECRET', 'is not set; sandbox env prints it'];
  return scriptOf({
    variables: [secret],
    steps: [
      TAKE_TIME,
      `key=$(printf %s "\${${secret[0]}#whsec_}" | openssl base64 -d -A | ${HEX})`,
      `signature=$({ printf %s.%s. ${quoteForShell(id)} "$timestamp"; body; } |`,
      `  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | ${ENCODERS.base64})`,
    ],
    method: 'POST',
    url: target,
    kept: Object.entries(headers ?? { 'content-type': 'application/json' }),
    fresh: {
      'webhook-id': id,
      'webhook-timestamp': { expanded: '$timestamp' },
      'webhook-signature': { expanded: 'v1,$signature' },
    },
    body: new TextEncoder().encode(body),
  });
}

/** The value of a header: what it is, or what stands within double quotes and is expanded. */
type Value = string | { readonly expanded: string };

interface ScriptParts {
  readonly variables: readonly Variable[];
  /** The commands that compute the signature. */
  readonly steps: readonly string[];
  readonly method: string;
  readonly url: ShellWord;
  readonly kept: Headers;
  readonly fresh: Readonly<Record<string, Value | undefined>>;
  readonly body: Uint8Array;
}

/** Headers that curl writes itself. */
const OF_CURL = {
  host: undefined,
  'content-length': undefined,
  'transfer-encoding': undefined,
  connection: undefined,
  expect: undefined,
};

/** Runs in a subshell: a missing variable ends all of it, and nothing is left behind. */
function scriptOf({ variables, steps, method, url, kept, fresh, body }: ScriptParts): ShellScript {
  const { headers, leftOut } = repeatHeaders<Value>(kept, { ...OF_CURL, ...fresh });
  const isShown = ([, value]: readonly [string, Value]) =>
    typeof value !== 'string' || /^[\x20-\x7e]*$/.test(value);
  const lines = headers.filter(isShown).map(([name, value]): ShellWord => {
    if (typeof value !== 'string') return { shell: `"${name}: ${value.expanded}"` };
    // curl leaves a header out that ends with a colon.
    return value === '' ? `${name};` : `${name}: ${value}`;
  });
  const hasBody = body.length > 0;
  const command = createCurlCommand({ method, url, headers: lines, body: hasBody ? 'piped' : undefined });
  const commands = [
    ...variables.map(([name, otherwise]) => `: "\${${name}:?${otherwise}}"`),
    ...(hasBody ? [`body() { ${createPrintfCommand(body)}; }`] : []),
    ...steps,
    hasBody ? `body | ${command}` : command,
  ];
  // No line break stands within quotes.
  const indented = commands.flatMap((text) => text.split('\n')).map((line) => `  ${line}`);
  const unprintable = headers.filter((one) => !isShown(one)).map(([name]) => name.toLowerCase());
  return { script: ['(', ...indented, ')'].join('\n'), leftOut: [...leftOut, ...unprintable] };
}

const VISIBLE = /^[\x21-\x7e]*$/;
const SESSION_ID = 'SANDBOX_SESSION_ID';

/**
 * Quotes a target, with a variable in place of the shortened session id; undefined if another part is hidden
 * or unprintable.
 */
function placeOf(
  path: string,
): { readonly word: string; readonly variables: readonly Variable[] } | undefined {
  const [before = '', after, ...more] = path.split(REDACTED);
  if (!VISIBLE.test(before) || !VISIBLE.test(after ?? '') || more.length > 0) return undefined;
  if (after === undefined) return { word: quoteForShell(before), variables: [] };
  const [, place, beginning] = /^(.*\/sessions\/)(kyc_[0-9a-f]+)$/.exec(before) ?? [];
  if (place === undefined) return undefined;
  return {
    word: `${quoteForShell(place)}"$${SESSION_ID}"${after === '' ? '' : quoteForShell(after)}`,
    variables: [[SESSION_ID, `is not set; it is the id of the session ${beginning}`]],
  };
}

function fromBase64(encoded: string): Uint8Array {
  return Uint8Array.from(atob(encoded), (character) => character.codePointAt(0) ?? 0);
}
