import { parseUrl } from '../../text/urls.js';
import type { Answer } from '../check.js';
import { isTimeout } from '../plan/bench.js';
import { bodyText } from './response-text.js';

/** The response to the first valid webhook, and where it was sent. */
export interface Refused {
  readonly url: URL;
  readonly response: Answer;
}

/** A cause that the response itself shows. */
export interface ResponseCause {
  readonly message: string;
  readonly fix: string;
}

interface Row {
  readonly matches: (response: Answer) => boolean;
  readonly cause: (refused: Refused) => ResponseCause;
}

/** Wordings of Django, Rails, Laravel, Spring, and Express middleware. */
const CSRF = /csrf|xsrf|authenticity ?token|request forgery|page expired/i;
const CSRF_STATUSES = new Set([400, 403, 419, 422]);
const LOGIN = /log-?in|sign-?in|auth|sso/i;

/** Causes by the response, the first that matches. */
const ROWS: readonly Row[] = [
  {
    matches: ({ error }) => error?.startsWith('CONNECTION_REFUSED') === true,
    cause: ({ url }) => ({
      message: `Nothing listens at ${url.host}.`,
      fix: 'Start the application, and check the host and port after --forward-to.',
    }),
  },
  {
    matches: isTimeout,
    cause: ({ response }) => ({
      message: `The receiver did not respond in time (${response.error}).`,
      fix: 'Respond before the work is done, and check that every path of the handler sends a response.',
    }),
  },
  {
    matches: ({ status }) => status === null,
    cause: ({ response }) => ({
      message: `The connection ended without a response (${response.error}).`,
      fix: "Find the error in the application's log: its process may have crashed.",
    }),
  },
  { matches: ({ status }) => isWithin(status, 300, 399), cause: redirected },
  {
    matches: (response) => CSRF_STATUSES.has(response.status ?? 0) && CSRF.test(bodyText(response)),
    cause: ({ url, response }) => ({
      message: `The framework's CSRF protection refuses the webhook (${response.status}); the handler never runs.`,
      fix: `Exempt ${url.pathname} from it: @csrf_exempt in Django, validateCsrfTokens(except: […]) in Laravel, skip_forgery_protection in Rails.`,
    }),
  },
  {
    matches: ({ status }) => status === 405,
    cause: ({ url, response }) => ({
      message: `${url.pathname} does not accept POST (405${headerOf(response, 'allow', '; it allows ')}).`,
      fix: `Register the handler for POST ${url.pathname}, or check the path after --forward-to.`,
    }),
  },
  {
    matches: ({ status }) => status === 413,
    cause: () => ({
      message: 'The body of a webhook is too large for the receiver (413).',
      fix: 'Raise the body limit of this route, and of a proxy in front of it, to at least 1 MB.',
    }),
  },
  {
    matches: ({ status }) => status === 415,
    cause: () => ({
      message: 'The receiver does not accept Content-Type: application/json (415).',
      fix: 'Accept application/json on this route, and read its raw body.',
    }),
  },
  {
    matches: ({ status }) => status === 429,
    cause: () => ({
      message: 'A rate limit refuses the webhook (429).',
      fix: 'Exempt the webhook route from the rate limit, and run the check again.',
    }),
  },
  {
    matches: (response) => response.status === 401 && headerOf(response, 'www-authenticate') !== '',
    cause: ({ url, response }) => ({
      message: `A login protects the route (401, WWW-Authenticate: ${headerOf(response, 'www-authenticate')}).`,
      fix: `Exempt ${url.pathname} from it: the signature authenticates a webhook.`,
    }),
  },
  {
    matches: ({ status }) => status === 502 || status === 504,
    cause: ({ url, response }) => ({
      message: `A proxy at ${url.host} responds instead of the application (${response.status}).`,
      fix: 'Start the application behind the proxy, or pass its own port to --forward-to.',
    }),
  },
];

/** The cause that a response shows by its status; undefined where other responses must be compared with it. */
export function causeByResponse(refused: Refused): ResponseCause | undefined {
  return ROWS.find(({ matches }) => matches(refused.response))?.cause(refused);
}

function redirected({ url, response }: Refused): ResponseCause {
  const location = headerOf(response, 'location');
  const to = parseUrl(location, url);
  const message = `The receiver redirects (${response.status})${location === '' ? '' : ` to ${location}`}, and redirects are not followed.`;
  if (to !== undefined && LOGIN.test(to.pathname))
    return { message, fix: `Exempt ${url.pathname} from the login: the signature authenticates a webhook.` };
  if (to === undefined) return { message, fix: 'Respond 2xx to a webhook.' };
  return { message, fix: `Use the exact URL: --forward-to ${to.href}` };
}

function isWithin(status: number | null, least: number, most: number): boolean {
  return status !== null && status >= least && status <= most;
}

/** The value of a header after a text; empty without the header. */
function headerOf({ headers }: Answer, wanted: string, before = ''): string {
  const value = headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  return value === undefined ? '' : before + value;
}
