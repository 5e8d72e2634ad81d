import { REDACTED } from '../redaction.js';
import { buildReplayHeaders, needsSignature, SIGNATURE_HEADERS } from '../exchange/present-exchange.js';
import { toPlainText, createPrintfCommand, quoteForShell, type ShellWord, formatWord } from './words.js';

/** Source of a curl command's body. */
export type CurlBody = 'piped' | { readonly file: string } | { readonly bytes: Uint8Array };

/** Input for `createCurlCommand`. Without `body`, no body is sent. */
interface CurlRequest {
  readonly method: string;
  readonly url: ShellWord;
  readonly headers: readonly ShellWord[];
  readonly body?: CurlBody | undefined;
}

/** Creates a curl command for sh, bash and zsh that sends exactly these bytes. */
export function createCurlCommand({ method, url, headers, body }: CurlRequest): string {
  const shown = typeof url === 'string' ? url : url.shell;
  const target = shown.replace(/^https?:\/\/[^/?#]*/i, '');
  const inline = typeof body === 'object' && 'bytes' in body ? body.bytes : undefined;
  const text = inline && toPlainText(inline);
  const source = inline === undefined || text !== undefined ? '' : `${createPrintfCommand(inline)} | `;
  const lines: ShellWord[][] = [
    [...(method === 'HEAD' ? ['-I'] : ['-X', method]), url],
    // Disable curl's path normalization, because the signature covers the original path.
    ...(/\/\.{1,2}(?:[/?]|$)/.test(target) ? [['--path-as-is']] : []),
    ...(/[[\]{}]/.test(shown) ? [['--globoff']] : []),
    ...headers.map((header) => ['-H', header]),
  ];
  if (typeof body === 'object' && 'file' in body) lines.push(['--data-binary', `@${body.file}`]);
  // Unlike --data-binary, --data-raw does not read a file if the body starts with @.
  else if (body !== undefined)
    lines.push(text === undefined ? ['--data-binary', '@-'] : ['--data-raw', text]);
  return `${source}curl ${lines.map((words) => words.map(formatWord).join(' ')).join(' \\\n  ')}`;
}

/** Signing details not specified in §5.2. */
export interface CurlScheme {
  readonly signatureEncoding: 'hex' | 'base64';
  readonly digestEncoding: 'hex' | 'base64';
  readonly pathForm: 'path' | 'target';
}

/** Commands for sh, bash and zsh. `leftOut` lists redacted and unprintable headers. */
export interface ShellScript {
  readonly script: string;
  readonly leftOut: readonly string[];
}

/** Explains why no script was created and how to fix the problem. */
export interface ScriptProblem {
  readonly problem: string;
  readonly hint: string;
}

type Headers = readonly (readonly [name: string, value: string])[];

/** A request in the control API's format. */
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

/** A delivery in the control API's format. */
interface ShownDelivery {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly endpoint_url: string | null;
  readonly target_url: string | null;
  readonly own_secret: boolean;
}

/**
 * A required variable, and the shell's message if the variable is unset. The message must not contain shell
 * metacharacters.
 */
type Variable = readonly [name: string, otherwise: string];

const FROM_ENV = 'is not set; sandbox env prints the value for the default application';
const SIGNING_SECRET: Variable = ['SANDBOX_SIGNING_SECRET', FROM_ENV];

const HEX = String.raw`od -An -v -tx1 | tr -d ' \n'`;
const ENCODERS = { hex: HEX, base64: 'openssl base64 -A' } as const;
const SET_TIMESTAMP = 'timestamp=$(date +%s)';

/**
 * Creates commands that replay a request to the sandbox at `url`. When run, the commands compute the
 * timestamp, nonce and signature, with secrets from variables (§5).
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
          ? 'This request’s body is not stored.'
          : 'Requests to the hosted pages cannot be sent with curl.',
      hint: 'Only stored requests to the payments API and the identity API can be sent again.',
    };
  }
  const { headers, body: text, body_base64: encoded, body_bytes: length, truncated, redacted } = request;
  if (truncated || redacted) {
    return {
      problem: truncated
        ? `Only part of the ${length}-byte body is stored.`
        : 'The log redacts a secret in the request body.',
      hint: `Sign the complete body: \`sign request ${method} ${path} body.json --curl\`.`,
    };
  }
  const place = quoteTarget(path);
  const signedPath = scheme.pathForm === 'target' ? place : quoteTarget(path.split('?')[0] ?? '');
  if (place === undefined || signedPath === undefined) {
    return {
      problem: `The log redacts part of this request’s path: ${path}.`,
      hint: 'Sign the request with the complete path: `sign request METHOD PATH body.json --curl`.',
    };
  }
  const body = encoded === undefined ? new TextEncoder().encode(text) : fromBase64(encoded);
  const origin = url.replace(/\/$/, '');
  const isSigned = needsSignature({ api, method, headers });
  const token = api === 'identity' ? 'SANDBOX_KYC_TOKEN' : 'SANDBOX_TOKEN';
  const source = body.length === 0 ? "printf ''" : 'body';
  const steps = [
    SET_TIMESTAMP,
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
 * Creates commands that resend a delivery attempt with the same id and a new timestamp and signature (§5.5).
 * Uses a recorded attempt's headers, if available, and the event's body.
 */
export function createAttemptScript(
  delivery: ShownDelivery,
  headers: Readonly<Record<string, string>> | undefined,
  body: string,
): ShellScript | ScriptProblem {
  const { event_id: id, endpoint_id: endpoint, endpoint_url: url, target_url: target } = delivery;
  if (url === null) {
    return {
      problem: 'This delivery’s endpoint was deleted.',
      hint: 'Resend the event with `npx sandbox events resend`.',
    };
  }
  if (target === null || target.includes(REDACTED)) {
    return {
      problem:
        target === null
          ? 'This delivery’s listener has no URL.'
          : 'The listener’s forward URL contains a secret.',
      hint: 'Sign the event body for the URL: `npx sandbox sign webhook body.json --curl URL`.',
    };
  }
  // Name the variable after the endpoint, to avoid signing with another endpoint's secret.
  const secret: Variable = delivery.own_secret
    ? [
        `ENDPOINT_SECRET_${endpoint.slice(0, endpoint.indexOf('-'))}`,
        `is not set; use the whsec_ secret shown when endpoint ${endpoint} was created or rotated`,
      ]
    : ['SANDBOX_WEBHOOK_SECRET', 'is not set; sandbox env prints it'];
  return scriptOf({
    variables: [secret],
    steps: [
      SET_TIMESTAMP,
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

/** A literal header value, or text that the shell expands within double quotes. */
type Value = string | { readonly expanded: string };

interface ScriptParts {
  readonly variables: readonly Variable[];
  /** Commands that compute the signature. */
  readonly steps: readonly string[];
  readonly method: string;
  readonly url: ShellWord;
  readonly kept: Headers;
  readonly fresh: Readonly<Record<string, Value | undefined>>;
  readonly body: Uint8Array;
}

/** Headers set by curl. */
const CURL_HEADERS = {
  host: undefined,
  'content-length': undefined,
  'transfer-encoding': undefined,
  connection: undefined,
  expect: undefined,
};

/**
 * Creates a script that runs in a subshell, so that a missing variable stops the script and no variables
 * leak.
 */
function scriptOf({ variables, steps, method, url, kept, fresh, body }: ScriptParts): ShellScript {
  const { headers, leftOut } = buildReplayHeaders<Value>(kept, { ...CURL_HEADERS, ...fresh });
  const isShown = ([, value]: readonly [string, Value]) =>
    typeof value !== 'string' || /^[\x20-\x7e]*$/.test(value);
  const lines = headers.filter(isShown).map(([name, value]): ShellWord => {
    if (typeof value !== 'string') return { shell: `"${name}: ${value.expanded}"` };
    // Write an empty header as `name;`, because curl drops headers that end with a colon.
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
  // Indenting is safe, because quoted text contains no line breaks.
  const indented = commands.flatMap((text) => text.split('\n')).map((line) => `  ${line}`);
  const unprintable = headers.filter((one) => !isShown(one)).map(([name]) => name.toLowerCase());
  return { script: ['(', ...indented, ')'].join('\n'), leftOut: [...leftOut, ...unprintable] };
}

const VISIBLE = /^[\x21-\x7e]*$/;
const SESSION_ID = 'SANDBOX_SESSION_ID';

/**
 * Quotes a request-target and replaces a redacted session id with a variable. Returns undefined if another
 * part is redacted or unprintable.
 */
function quoteTarget(
  path: string,
): { readonly word: string; readonly variables: readonly Variable[] } | undefined {
  const [before = '', after, ...more] = path.split(REDACTED);
  if (!VISIBLE.test(before) || !VISIBLE.test(after ?? '') || more.length > 0) return undefined;
  if (after === undefined) return { word: quoteForShell(before), variables: [] };
  const [, place, beginning] = /^(.*\/sessions\/)(kyc_[0-9a-f]+)$/.exec(before) ?? [];
  if (place === undefined) return undefined;
  return {
    word: `${quoteForShell(place)}"$${SESSION_ID}"${after === '' ? '' : quoteForShell(after)}`,
    variables: [[SESSION_ID, `is not set; use the full id of session ${beginning}`]],
  };
}

function fromBase64(encoded: string): Uint8Array {
  return Uint8Array.from(atob(encoded), (character) => character.codePointAt(0) ?? 0);
}
