import { ATTEMPT_ERRORS, type AttemptError } from '../contract/enums.js';
import { parseJson } from '../text/json.js';
import { parseUrl } from '../text/urls.js';
import type { ReceiverResponse } from './check.js';
import { formatBody, getHeader, isAccepted, isRedirect, isTimeout } from './receiver-response.js';

export type FailedResponse = Omit<ReceiverResponse, 'ms'>;

/** Why a receiver refused a valid webhook. `suspects` are possible causes, most likely first. */
export interface ResponseCause {
  readonly message: string;
  readonly fix: string;
  readonly suspects: readonly string[];
  /** True if the suspects include the verification of the signature. */
  readonly isSigning: boolean;
}

/** Matches CSRF errors of Django, Rails, Laravel, Spring and Express middleware. */
const CSRF = /csrf|xsrf|authenticity ?token|request forgery|page expired|the change you wanted was rejected/i;
/** Matches Spring's default 403 response, which is usually but not always a CSRF error. */
const SPRING_FORBIDDEN = /"error":"Forbidden","(?:message":"[^"]{0,200}",")?path":/;
const CSRF_STATUSES = new Set([400, 403, 419, 422]);
const LOGIN = /log-?in|sign-?in|auth|sso/i;

type Row = readonly [matches: boolean, message: string, fix: string];

/** Finds the cause that a single response proves. Returns undefined if the cause requires a comparison. */
export function findResponseCause(url: URL, response: FailedResponse): ResponseCause | undefined {
  const { status, error } = response;
  const header = (name: string) => getHeader(response, name);
  return firstMatch([
    [
      error?.startsWith('CONNECTION_REFUSED') === true,
      `Nothing is listening on ${url.host}.`,
      'Start the application, and check the host and port after --forward-to.',
    ],
    [
      isTimeout(response),
      `The receiver did not respond in time (${error}).`,
      'Respond before processing the event, and check that every code path in the handler sends a response.',
    ],
    [
      status === null,
      `The connection was closed without a response (${error}).`,
      "Find the error in the application's log: the process may have crashed.",
    ],
    [
      isRedirect(response),
      'The receiver redirects ' +
        `(${status})${header('location') === undefined ? '' : ` to ${header('location')}`}, and ` +
        'redirects are not followed.',
      fixOfRedirect(url, header('location')),
    ],
    [
      CSRF_STATUSES.has(status ?? 0) && CSRF.test(formatBody(response)),
      `The framework's CSRF protection rejects the webhook (${status}); the handler never runs.`,
      `Exempt ${url.pathname} from CSRF protection: @csrf_exempt in Django, validateCsrfTokens(except: […]) ` +
        'in Laravel, skip_forgery_protection in Rails.',
    ],
    [
      status === 404 && isRouterNotFound(formatBody(response), url.pathname),
      `POST ${url.pathname} does not exist (404).`,
      'Check the path after the port in --forward-to, and register the route for POST.',
    ],
    [
      status === 405,
      `${url.pathname} does not accept POST ` +
        `(405${header('allow') === undefined ? '' : `; it allows ${header('allow')}`}).`,
      `Register the handler for POST ${url.pathname}, or check the path after --forward-to.`,
    ],
    [
      status === 413,
      'The webhook body is too large for the receiver (413).',
      'Raise the body size limit to at least 1 MB, on this route and on any proxy in front of it.',
    ],
    [
      status === 415,
      'The receiver does not accept Content-Type: application/json (415).',
      'Accept application/json on this route, and read its raw body.',
    ],
    [
      status === 429,
      'A rate limit rejects the webhook (429).',
      'Exempt the webhook route from the rate limit and try again.',
    ],
    [
      status === 401 && header('www-authenticate') !== undefined,
      `The route requires a login (401, WWW-Authenticate: ${header('www-authenticate')}).`,
      `Exempt ${url.pathname} from login: the signature authenticates the webhook.`,
    ],
    [
      status === 502 || status === 504,
      `A proxy at ${url.host} responds instead of the application (${status}).`,
      'Start the application behind the proxy, or pass the application port to --forward-to.',
    ],
  ]);
}

function firstMatch(rows: readonly Row[]): ResponseCause | undefined {
  const row = rows.find(([matches]) => matches);
  return row && { message: row[1], fix: row[2], suspects: [], isSigning: false };
}

function fixOfRedirect(url: URL, location = ''): string {
  const to = parseUrl(location, url);
  if (to === undefined) return 'Respond 2xx to webhooks.';
  if (!LOGIN.test(to.pathname)) return `Use the exact URL: \`--forward-to ${to.href}\`.`;
  return `Exempt ${url.pathname} from login: the signature authenticates the webhook.`;
}

/** Matches errors of attempts that no receiver responded to, for other reasons than the receiver. */
const NO_RECEIVER = /^(?:CONNECTION_FAILED|DESTINATION|DNS|ENDPOINT|INVALID|LISTENER|SANDBOX|TLS)/;

export const UNDECODED_SECRET = 'the secret is used as text (remove whsec_ and base64-decode the rest)';
export const DIFFERENT_SECRET =
  'the application has a different secret (compare its length and last characters with the sandbox’s)';
const PARSED_BODY = 'a body parser runs before the verification (verify the raw bytes)';
const SIGNING_CAUSES = new Set([UNDECODED_SECRET, DIFFERENT_SECRET, PARSED_BODY]);

/** Possible causes that a response does not prove, most common first: usual statuses, naming words, the cause. */
const SUSPECTS: readonly (readonly [usual: RegExp, words: RegExp, cause: (url: URL) => string])[] = [
  [/^40[013]$/, /signature|secret|hmac/i, () => UNDECODED_SECRET],
  [/^40[013]$/, /signature|secret|hmac/i, () => DIFFERENT_SECRET],
  [/^40[013]$/, /json|pars(?:e|ing)|\braw\b|buffer|type string|unexpected token/i, () => PARSED_BODY],
  [/^4(?:03|19)$/, CSRF, ({ pathname }) => `CSRF protection requires a token (exempt ${pathname})`],
  [
    /^403$/,
    /\bhosts?\b|http_host|firewall|blocked|\bip\b/i,
    ({ host }) => `a firewall or host check rejects the sender (allow this machine and Host: ${host})`,
  ],
  [
    /^40[013]$/,
    /timestamp|tolerance|too old|too new|stale|clock/i,
    () => 'the timestamp check fails (webhook-timestamp is in seconds; accept 300 seconds)',
  ],
  [
    /^422$/,
    /validat|schema|unprocessable|required field|missing field/i,
    () => 'the handler validates the event too strictly (accept unknown fields and event types)',
  ],
  [
    /^5/,
    /uncaught|unhandled|traceback|stack trace/i,
    () => 'the handler throws an uncaught error (find it in the application’s log)',
  ],
  [/^4/, /middleware/i, () => 'other middleware responds before the handler (log at its start)'],
];

/** Lists the possible causes of a response to a valid webhook; causes that the response names come first. */
export function listSuspects(url: URL, response: Omit<FailedResponse, 'error'>): readonly string[] {
  const { status, headers } = response;
  const body = formatBody(response);
  const isCsrf =
    CSRF_STATUSES.has(status ?? 0) && (CSRF.test(headers.flat().join('\n')) || SPRING_FORBIDDEN.test(body));
  const text = isCsrf ? `${body}\nCSRF` : body;
  const named = SUSPECTS.filter(([, words]) => words.test(text));
  const usual = SUSPECTS.filter((one) => one[0].test(String(status)) && !named.includes(one));
  return [...named, ...usual].map(([, , cause]) => cause(url));
}

/** Formats possible causes as one instruction. */
export function formatSuspects(suspects: readonly string[]): string {
  return `Check the usual causes in this order: ${suspects.join('; ')}.`;
}

/** Explains a failed attempt of a valid webhook. Returns undefined for a 2xx response. */
export function explainResponse(url: URL, response: FailedResponse): ResponseCause | undefined {
  const { status, error } = response;
  if (isAccepted(response)) return undefined;
  if (error !== null && NO_RECEIVER.test(error)) {
    const message = ATTEMPT_ERRORS[error as AttemptError];
    return { message, fix: 'Correct this, then retry the delivery.', suspects: [], isSigning: false };
  }
  const suspects = listSuspects(url, response);
  const isFailing = status !== null && status >= 500;
  return (
    findResponseCause(url, response) ??
    firstMatch([
      [
        status === 404 || status === 409,
        `The application itself responded with ${status}.`,
        'Every response other than 2xx is retried: return 2xx even for an unknown resource or a duplicate.',
      ],
    ]) ?? {
      message: isFailing
        ? `The application failed on a valid webhook (${status}).`
        : `The receiver rejected a valid webhook (${status}).`,
      fix: formatSuspects(suspects),
      suspects,
      isSigning: suspects.some((suspect) => SIGNING_CAUSES.has(suspect)),
    }
  );
}

/** Matches strings in a router's default 404 response: its message, a time, a URL or a trace id. */
const ROUTER_TEXT =
  /^Not Found$|^No message available$|^(?:Cannot POST |Route POST:)\/|^\d{4}-\d\d-\d\dT|^https?:\/\/|^[\da-fA-F:-]{16,}$/;
const PLAIN_TEXT = /^(?:404:? )?(?:page )?not found[.!]?$/i;

/**
 * Returns true for a router's default 404 response: an empty body, HTML, or text or JSON with only a
 * not-found message or the path. Any other body comes from a handler.
 */
export function isRouterNotFound(body: string, path: string): boolean {
  const text = body.trim();
  if (text === '' || text.startsWith('<')) return true;
  // Matches `No route matches [POST] "/hook"` and `No static resource hook.`
  const names = path === '/' ? [] : [path, `route ${path.slice(1)}`, `resource ${path.slice(1)}`];
  const namesPath = (one: string) => one === path || names.some((name) => one.includes(name));
  if (!/^[[{]/.test(text)) return PLAIN_TEXT.test(text) || namesPath(text);
  // A truncated body is not valid JSON, but router responses are never that long.
  const texts = textsIn(parseJson(text, text));
  return texts.length > 0 && texts.every((one) => ROUTER_TEXT.test(one) || namesPath(one));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
