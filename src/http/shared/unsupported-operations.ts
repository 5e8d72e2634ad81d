import type { Context } from 'hono';
import { Refusal } from '../../contract/refusals.js';
import { isSuggestible, editDistance, findNearest } from '../../text/closest.js';
import {
  createErrorResponse,
  type SurfaceContext,
  createRequestId,
  sendResponse,
  serializeResponse,
} from './response.js';

const V1 = '/api/public/v1';
const TRANSACTIONS = `GET ${V1}/accounts/{id}/transactions`;
const EDIT = '(?:POST|PUT|PATCH)';
const CHANGE = '(?:POST|PUT|PATCH|DELETE)';
/** The names people use for each resource, as patterns for the list and for one item. */
const CHARGES = '/(?:pix|charges?|payments?)';
const WITHDRAWALS = '/(?:withdrawals?|payouts?|transfers?)';
const ACCOUNTS = '/accounts?';
const ENDPOINTS = '/(?:webhook-?endpoints?|webhooks?|endpoints?)';
const SESSIONS = '/kyc/sessions';
const ONE = '/[^/]+';
const OTHER_TRANSACTIONS = `(?:/transactions(?:${ONE})?|${ACCOUNTS}${ONE}/transactions${ONE})`;

/**
 * Operations that people expect but the contract lacks, as patterns of the method and the path below the
 * prefix of the API, each with its alternative. The first match applies.
 */
const ABSENT: Readonly<Record<string, string>> = {
  [`GET ${CHARGES}`]:
    'The contract has no operation to list charges: store the response to creating one, take ' +
    'its webhooks, and reconcile ' +
    `by ${TRANSACTIONS}. Here, \`npx sandbox charges list\` shows them.`,
  [`GET ${CHARGES}${ONE}/qr[^/]*`]:
    'The QR code is in the response to creating the charge, as qr_code and qr_code_base64.',
  [`GET ${CHARGES}${ONE}(?:/status)?`]:
    'The contract has no operation that reads a charge: its webhook says what became of it, and ' +
    `${TRANSACTIONS} lists what was paid. Here, \`npx sandbox charges show <id>\` shows it, by id or code.`,
  [`${EDIT} (?:${CHARGES}${ONE})?/(?:refunds?|returns?|reversals?|chargebacks?)`]:
    'The contract has no refund: a settled charge stays SETTLED. Money leaves an account by withdrawals; here, ' +
    '`npx sandbox withdrawals create` makes one.',
  [`${EDIT} ${CHARGES}${ONE}/(?:pay|settle|confirm|complete|simulate)`]:
    'Paying is up to the payer, so the contract has no operation for it. Here, `npx sandbox charges settle <id>` pays.',
  [`${CHANGE} ${CHARGES}${ONE}(?:${ONE})?`]:
    'The contract has no operation to change or cancel a charge: it expires automatically. Here, ' +
    '`npx sandbox charges expire <id>` has it expire now, and `npx sandbox charges fail <id>` has its payment fail.',
  [`POST ${WITHDRAWALS}`]:
    'The contract lists withdrawals and has no operation that creates one. Here, `npx ' +
    'sandbox withdrawals create` does.',
  [`GET ${WITHDRAWALS}${ONE}(?:/status)?`]:
    `The contract has no operation that reads one withdrawal: find it by id or code in GET ${V1}/withdrawals. Here, ` +
    '`npx sandbox withdrawals show <id>` shows it.',
  [`${CHANGE} ${WITHDRAWALS}${ONE}(?:${ONE})?`]:
    'The contract has no operation that changes a withdrawal: the bank decides. Here, ' +
    '`npx sandbox withdrawals settle <id>`, `npx sandbox withdrawals fail <id>` and ' +
    '`npx sandbox withdrawals return <id>` do as the bank does.',
  [`GET (?:${ACCOUNTS}${ONE})?/balances?`]:
    `The contract has no operation that reads a balance: it is the sum of ${TRANSACTIONS}, CREDIT less DEBIT. Here, ` +
    '`npx sandbox status` shows it.',
  [`GET ${ACCOUNTS}(?:${ONE})?`]:
    `The contract has no operation that reads accounts, only ${TRANSACTIONS}. Here, \`npx sandbox env\` shows the id ` +
    'of the account as SANDBOX_ACCOUNT_ID.',
  [`GET ${OTHER_TRANSACTIONS}`]: `Transactions are read as the list of an account: ${TRANSACTIONS}.`,
  [`DELETE ${ENDPOINTS}${ONE}`]:
    'The contract has no operation that deletes an endpoint. Here, `npx sandbox endpoints delete <id>` does.',
  [`(?:PUT|PATCH) ${ENDPOINTS}(?:${ONE})?`]:
    `The contract has no operation that changes an endpoint: POST ${V1}/webhook-endpoints registers another URL, and ` +
    `POST ${V1}/webhook-endpoints/{id}/rotate-secret gives a new secret. Here, \`npx sandbox ` +
    `endpoints disable <id>\` ` +
    'takes one out of service.',
  [`${EDIT} ${ENDPOINTS}${ONE}/(?:(?:de)?activate|disable|enable|pause|resume)`]:
    'The contract has no operation that switches an endpoint. Here, `npx sandbox endpoints disable <id>` and ' +
    '`npx sandbox endpoints enable <id>` do.',
  [`POST ${ENDPOINTS}${ONE}/(?:test|ping|trigger|send)`]:
    'The contract has no operation that sends a test event. Here, `npx sandbox trigger pix.settled` makes a real one.',
  [`GET ${ENDPOINTS}${ONE}/secrets?`]:
    'A secret is shown only where an endpoint is created and where its secret is rotated: ' +
    `POST ${V1}/webhook-endpoints/{id}/rotate-secret.`,
  [`GET (?:${ENDPOINTS}${ONE}/deliveries${ONE}|/deliveries(?:${ONE})?)`]:
    `Deliveries are read as the list of an endpoint: GET ${V1}/webhook-endpoints/{id}/deliveries. Here, ` +
    '`npx sandbox deliveries show <id>` shows one with its attempts.',
  [`GET (?:${ENDPOINTS}${ONE})?/events(?:${ONE})?`]:
    'The contract has no operation that reads events: they come by webhook. Here, `npx ' +
    'sandbox events list` shows them.',
  'POST /(?:oauth2?/|auth/)?(?:tokens?|login|auth)':
    'The contract leaves open how tokens are issued. Here, `npx sandbox env` shows the token as SANDBOX_TOKEN.',
  [`GET ${SESSIONS}`]:
    'The contract has no operation that lists sessions. Here, `npx sandbox kyc list` shows them.',
  [`GET /kyc/(?:sessions${ONE}(?:/status)?|results?${ONE})`]:
    'The contract has no operation that reads a session, only GET /api/v1/kyc/sessions/{sessionId}/result. Here, ' +
    '`npx sandbox kyc show <id>` shows it.',
  [`${CHANGE} ${SESSIONS}${ONE}(?:/(?!result$)[^/]+)?`]:
    'The contract has no operation that changes or decides a session: its hosted page does. Here, ' +
    '`npx sandbox kyc decide <id> approved` decides it.',
};

/** The path prefixes of each API, as documented and as people remember them. */
const PREFIX = /^(?:\/api)?(?:\/public)?(?:\/v\d+)?(?=\/)/;

const PATTERNS = Object.entries(ABSENT).map(([pattern, hint]) => ({
  pattern: new RegExp(`^${pattern}$`),
  hint,
}));

/** Suggests an alternative to an operation missing from the contract; undefined for unlikely operations. */
export function hintForUnsupported({ method, path }: RoutePath): string | undefined {
  const asked = `${method} ${path.toLowerCase().replace(PREFIX, '').replace(/\/$/, '')}`;
  return PATTERNS.find(({ pattern }) => pattern.test(asked))?.hint;
}

/** All hints. */
export const UNSUPPORTED_HINTS: readonly string[] = Object.values(ABSENT);

/** A route: its method and its whole path, with `:name` for a part that varies. */
interface RoutePath {
  readonly method: string;
  readonly path: string;
}

/** Compared characters of a path; longer paths carry no meaning. */
const COMPARED_LENGTH = 200;

/**
 * Finds the route probably intended by an unmatched request, as `POST /api/public/v1/pix`; undefined if none
 * is near and non-destructive. Variable parts match everything, and a path may lack its prefix.
 */
export function findNearestRoute(
  { method, path }: RoutePath,
  routes: readonly RoutePath[],
  max?: number,
): string | undefined {
  const asked = path.slice(0, COMPARED_LENGTH).split('/');
  const mistakesAgainst = (own: readonly string[]) => {
    const filled = own.map((part, at) => (part.startsWith(':') && asked[at] ? asked[at] : part));
    return editDistance(asked.join('/'), filled.join('/'));
  };
  const mistakesTo = (route: RoutePath) => {
    const whole = route.path.split('/');
    const end = whole.slice(1 - asked.length);
    const isEnd = asked.length < whole.length && end[0]?.startsWith(':') === false;
    const wanted = isEnd ? [whole, ['', ...end]] : [whole];
    return editDistance(method, route.method) + Math.min(...wanted.map(mistakesAgainst));
  };
  const [meant] = findNearest(path, routes, mistakesTo, max);
  return meant === undefined || !isSuggestible(meant.path) ? undefined : formatRoute(meant);
}

/** A route as people read it: `GET /accounts/{id}/transactions`. */
export function formatRoute({ method, path }: RoutePath): string {
  return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/** Reason for a missing route, and the methods of the path. */
export interface UnmatchedRequest {
  readonly refusal: Refusal;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Refuses an unmatched request: METHOD_NOT_ALLOWED if the path has other methods, else NOT_FOUND. The hint is
 * the alternative to a missing operation, or the nearest route, and the document of all routes, if available.
 * API paths begin with one of the prefixes.
 */
export function createFallback(
  prefix: string,
  routes: readonly RoutePath[],
  { otherPrefix = prefix, document }: { readonly otherPrefix?: string; readonly document?: string } = {},
) {
  const known = routes.map(({ method, path }) => ({
    method,
    path,
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
  return ({ req: { method, path } }: Context): UnmatchedRequest => {
    const absent = hintForUnsupported({ method, path });
    const here = known.filter(({ pattern }) => pattern.test(path));
    if (here.length > 0) {
      const methods = here.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
      const allowed = [...new Set(methods)];
      const allow = allowed.join(', ');
      const hint = absent ?? `Did you mean ${here.map(formatRoute).join(' or ')}?`;
      const message = `${method} is not possible here; ${allow} ${allowed.length === 1 ? 'is' : 'are'}.`;
      return { refusal: new Refusal('METHOD_NOT_ALLOWED', message, { hint }), headers: { allow } };
    }
    // With a document of all routes, only a likely one is worth suggesting: the prefix is no evidence.
    const max = document === undefined ? undefined : Math.max(2, (path.length - prefix.length) / 3);
    const meant = findNearestRoute({ method, path }, routes, max);
    const isBelow = path.startsWith(prefix) || path.startsWith(otherPrefix);
    const begin = isBelow ? undefined : `The paths of this API begin with ${prefix}.`;
    const near = absent ?? (meant === undefined ? begin : `Did you mean ${meant}?`);
    const all = document === undefined ? undefined : `GET ${document} describes every route.`;
    const hint = [near, all].filter((text) => text !== undefined).join(' ') || undefined;
    return { refusal: new Refusal('NOT_FOUND', `There is no ${method} ${path}.`, { hint }), headers: {} };
  };
}

/** Responds to an unmatched request of an API without a request log. */
export function sendUnmatched(c: SurfaceContext, { refusal, headers }: UnmatchedRequest): Response {
  const requestId = createRequestId();
  return sendResponse(
    c,
    serializeResponse(requestId, { ...createErrorResponse(refusal, requestId), headers }),
  );
}
