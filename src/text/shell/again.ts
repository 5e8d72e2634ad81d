import {
  headersAgain,
  HIDDEN,
  isSignedAgain,
  type KeptRequest,
  SIGNATURE_HEADERS,
} from '../exchange/shown.js';
import { curlCommand } from './curl.js';
import type { Word } from './words.js';
import { printing, shellQuoted, written } from './words.js';

/** How requests are signed: what §5.2 leaves open. */
export interface CurlScheme {
  readonly signatureEncoding: 'hex' | 'base64';
  readonly digestEncoding: 'hex' | 'base64';
  readonly pathForm: 'path' | 'target';
}

/** A kept call for `callScript`, with the bytes of its body and the origin of its door. */
export interface CallToScript extends KeptRequest {
  readonly origin: string;
  readonly body: Uint8Array;
  readonly scheme: CurlScheme;
}

/** A webhook for `webhookScript`; its id, timestamp and signature are written anew. */
export interface WebhookToScript {
  readonly url: string;
  readonly id: string;
  /** The id of its endpoint, if that has a secret other than SANDBOX_WEBHOOK_SECRET. */
  readonly ownSecretOf?: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/**
 * Commands for sh, bash and zsh, and the names of the headers that they lack: the log hides them, or a
 * terminal could not show them.
 */
export interface Script {
  readonly script: string;
  readonly leftOut: readonly string[];
}

/** A variable that must be set, and what to do where it is not, without a character that means something to a shell. */
interface Variable {
  readonly name: string;
  readonly otherwise: string;
}

/** The value of a header: what it is, or what stands within double quotes and is expanded. */
type Value = string | { readonly expanded: string };
type Fresh = Record<string, Value | undefined>;

const FROM_ENV = 'is not set; sandbox env prints that of the default application';
const TOKEN: Variable = { name: 'SANDBOX_TOKEN', otherwise: FROM_ENV };
const KYC_TOKEN: Variable = { name: 'SANDBOX_KYC_TOKEN', otherwise: FROM_ENV };
const SIGNING_SECRET: Variable = { name: 'SANDBOX_SIGNING_SECRET', otherwise: FROM_ENV };
const WEBHOOK_SECRET: Variable = {
  name: 'SANDBOX_WEBHOOK_SECRET',
  otherwise: 'is not set; sandbox env prints it',
};
const SESSION_ID = 'SANDBOX_SESSION_ID';

/** What curl writes itself. */
const OF_CURL: Fresh = Object.fromEntries(
  ['host', 'content-length', 'transfer-encoding', 'connection', 'expect'].map((name) => [name, undefined]),
);
const HEX = String.raw`od -An -v -tx1 | tr -d ' \n'`;
const ENCODERS = { hex: HEX, base64: 'openssl base64 -A' } as const;
const VISIBLE = /^[\x21-\x7e]*$/;
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * Commands that send a kept call again, whenever they are run: timestamp, nonce and signature are computed
 * then, with secrets from variables (§5). Undefined where a part of the path is hidden other than the id of a
 * session, or cannot be typed.
 */
export function callScript(call: CallToScript): Script | undefined {
  const { door, method, path, origin, body } = call;
  const place = placeOf(path);
  if (place === undefined) return undefined;
  const token = door === 'identity' ? KYC_TOKEN : TOKEN;
  const isSigned = isSignedAgain(call);
  const signature = SIGNATURE_HEADERS.map((name): [string, Value | undefined] => {
    return [name, isSigned ? { expanded: `$${name.slice('x-'.length)}` } : undefined];
  });
  const authorization = { expanded: `Bearer $${token.name}` };
  const again = linesOf(call.headers, { ...OF_CURL, authorization, ...Object.fromEntries(signature) });
  const variables = [token, ...(isSigned ? [SIGNING_SECRET] : []), ...place.variables];
  const url =
    typeof place.word === 'string' ? origin + place.word : { shell: shellQuoted(origin) + place.word.shell };
  return scriptOf(variables, isSigned ? signing(call, place.word) : [], { method, url, body }, again);
}

/** Commands that send a webhook again under its id, with a new timestamp and signature (§5.5). */
export function webhookScript({ url, id, ownSecretOf, headers, body }: WebhookToScript): Script {
  const secret = ownSecretOf === undefined ? WEBHOOK_SECRET : endpointSecret(ownSecretOf);
  const again = linesOf(headers, {
    ...OF_CURL,
    'webhook-id': id,
    'webhook-timestamp': { expanded: '$timestamp' },
    'webhook-signature': { expanded: 'v1,$signature' },
  });
  const steps = [
    'timestamp=$(date +%s)',
    `key=$(printf %s "\${${secret.name}#whsec_}" | openssl base64 -d -A | ${HEX})`,
    `signature=$({ printf %s.%s. ${shellQuoted(id)} "$timestamp"; body; } |`,
    `  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | ${ENCODERS.base64})`,
  ];
  return scriptOf([secret], steps, { method: 'POST', url, body }, again);
}

/** Named after the endpoint, so that no other endpoint's secret is taken by mistake. */
function endpointSecret(id: string): Variable {
  return {
    name: `ENDPOINT_SECRET_${id.slice(0, id.indexOf('-'))}`,
    otherwise: `is not set; it is the whsec_ secret that was shown when endpoint ${id} was created or rotated`,
  };
}

interface Sent {
  readonly method: string;
  readonly url: Word;
  readonly body: Uint8Array;
}

/** In a shell of its own, so that a variable that is missing ends all of it, and nothing stays behind. */
function scriptOf(
  variables: readonly Variable[],
  steps: readonly string[],
  { method, url, body }: Sent,
  { lines, leftOut }: Lines,
): Script {
  const hasBody = body.length > 0;
  const command = curlCommand({ method, url, headers: lines, body: hasBody ? 'piped' : undefined });
  const commands = [
    ...variables.map(({ name, otherwise }) => `: "\${${name}:?${otherwise}}"`),
    ...(hasBody ? [`body() { ${printing(body)}; }`] : []),
    ...steps,
    hasBody ? `body | ${command}` : command,
  ];
  // No line break stands within quotes.
  const indented = commands.flatMap((text) => text.split('\n')).map((line) => `  ${line}`);
  return { script: ['(', ...indented, ')'].join('\n'), leftOut };
}

function signing({ method, path, body, scheme }: CallToScript, target: Word): string[] {
  const { signatureEncoding, digestEncoding, pathForm } = scheme;
  const signed = pathForm === 'target' ? target : (placeOf(path.split('?')[0] ?? '')?.word ?? target);
  const source = body.length === 0 ? "printf ''" : 'body';
  return [
    'timestamp=$(date +%s)',
    'nonce=$(openssl rand -hex 16)',
    `digest=$(${source} | openssl dgst -sha256 -binary | ${ENCODERS[digestEncoding]})`,
    `signature=$(printf %s.%s.%s.%s.%s "$timestamp" "$nonce" ${shellQuoted(method)} ${written(signed)} "$digest" |`,
    `  openssl dgst -sha256 -hmac "$${SIGNING_SECRET.name}" -binary | ${ENCODERS[signatureEncoding]})`,
  ];
}

interface Lines {
  readonly lines: readonly Word[];
  readonly leftOut: readonly string[];
}

function linesOf(kept: KeptRequest['headers'], fresh: Fresh): Lines {
  const { headers, leftOut } = headersAgain(kept, fresh);
  const isShown = ([, value]: (typeof headers)[number]) => typeof value !== 'string' || PRINTABLE.test(value);
  return {
    lines: headers.filter(isShown).map(([name, value]): Word => {
      if (typeof value !== 'string') return { shell: `"${name}: ${value.expanded}"` };
      // curl leaves a header out that ends with a colon.
      return value === '' ? `${name};` : `${name}: ${value}`;
    }),
    leftOut: [...leftOut, ...headers.filter((one) => !isShown(one)).map(([name]) => name.toLowerCase())],
  };
}

/** A target as a word, with a variable in place of the session id that the log has shortened. */
function placeOf(path: string): { readonly word: Word; readonly variables: readonly Variable[] } | undefined {
  const [before = '', after, ...more] = path.split(HIDDEN);
  if (!VISIBLE.test(before) || !VISIBLE.test(after ?? '') || more.length > 0) return undefined;
  if (after === undefined) return { word: before, variables: [] };
  const [, place, beginning] = /^(.*\/sessions\/)(kyc_[0-9a-f]+)$/.exec(before) ?? [];
  if (place === undefined || beginning === undefined) return undefined;
  const rest = after === '' ? '' : shellQuoted(after);
  return {
    word: { shell: `${shellQuoted(place)}"$${SESSION_ID}"${rest}` },
    variables: [{ name: SESSION_ID, otherwise: `is not set; it is the id of the session ${beginning}` }],
  };
}
