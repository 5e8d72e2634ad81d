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
/** Common names for each resource, as patterns for the list and for one item. */
const CHARGES = '/(?:pix|charges?|payments?)';
const WITHDRAWALS = '/(?:withdrawals?|payouts?|transfers?)';
const ACCOUNTS = '/accounts?';
const ENDPOINTS = '/(?:webhook-?endpoints?|webhooks?|endpoints?)';
const SESSIONS = '/kyc/sessions';
const ONE = '/[^/]+';
const OTHER_TRANSACTIONS = `(?:/transactions(?:${ONE})?|${ACCOUNTS}${ONE}/transactions${ONE})`;

/**
 * Common operations missing from the contract, as patterns of the method and the path below the API prefix,
 * each with an alternative. The first match applies.
 */
const ABSENT: Readonly<Record<string, string>> = {
  [`GET ${CHARGES}`]:
    'The contract has no operation that lists charges. Store every created charge, process ' +
    'its webhooks, and reconcile with ' +
    `${TRANSACTIONS}. In the sandbox, \`npx sandbox charges list\` shows charges.`,
  [`GET ${CHARGES}${ONE}/qr[^/]*`]:
    'The response to creating a charge contains the QR code as qr_code and qr_code_base64.',
  [`GET ${CHARGES}${ONE}(?:/status)?`]:
    'The contract has no operation that reads a charge. Webhooks report status changes, and ' +
    `${TRANSACTIONS} lists payments. In the sandbox, \`npx sandbox charges show <id>\` shows a charge by id or code.`,
  [`${EDIT} (?:${CHARGES}${ONE})?/(?:refunds?|returns?|reversals?|chargebacks?)`]:
    'The contract has no refunds: a settled charge stays SETTLED. In the sandbox, create payouts with ' +
    '`npx sandbox withdrawals create`.',
  [`${EDIT} ${CHARGES}${ONE}/(?:pay|settle|confirm|complete|simulate)`]:
    'The contract has no operation that pays a charge. In the sandbox, `npx sandbox charges settle <id>` pays it.',
  [`${CHANGE} ${CHARGES}${ONE}(?:${ONE})?`]:
    'The contract has no operation that changes or cancels a charge: charges expire. In the sandbox, ' +
    '`npx sandbox charges expire <id>` expires a charge now, and `npx sandbox charges fail <id>` fails its payment.',
  [`POST ${WITHDRAWALS}`]:
    'The contract has no operation that creates a withdrawal. In the sandbox, use `npx ' +
    'sandbox withdrawals create`.',
  [`GET ${WITHDRAWALS}${ONE}(?:/status)?`]:
    `The contract has no operation that reads a single withdrawal; use GET ${V1}/withdrawals. In the sandbox, ` +
    '`npx sandbox withdrawals show <id>` shows a withdrawal by id or code.',
  [`${CHANGE} ${WITHDRAWALS}${ONE}(?:${ONE})?`]:
    'The contract has no operation that changes a withdrawal: the bank decides. In the sandbox, ' +
    '`npx sandbox withdrawals settle <id>`, `npx sandbox withdrawals fail <id>` and ' +
    '`npx sandbox withdrawals return <id>` act as the bank.',
  [`GET (?:${ACCOUNTS}${ONE})?/balances?`]:
    `The contract has no operation that reads a balance: sum ${TRANSACTIONS}, CREDIT minus DEBIT. In the sandbox, ` +
    '`npx sandbox status` shows balances.',
  [`GET ${ACCOUNTS}(?:${ONE})?`]:
    `The contract has no operation that reads accounts, only ${TRANSACTIONS}. In the sandbox, ` +
    '`npx sandbox env` shows the account id as SANDBOX_ACCOUNT_ID.',
  [`GET ${OTHER_TRANSACTIONS}`]: `Transactions can be listed only per account: ${TRANSACTIONS}.`,
  [`DELETE ${ENDPOINTS}${ONE}`]:
    'The contract has no operation that deletes an endpoint. In the sandbox, use `npx sandbox endpoints delete <id>`.',
  [`(?:PUT|PATCH) ${ENDPOINTS}(?:${ONE})?`]:
    `The contract has no operation that changes an endpoint: POST ${V1}/webhook-endpoints registers another URL, and ` +
    `POST ${V1}/webhook-endpoints/{id}/rotate-secret rotates the secret. In the sandbox, \`npx sandbox ` +
    `endpoints disable <id>\` ` +
    'disables an endpoint.',
  [`${EDIT} ${ENDPOINTS}${ONE}/(?:(?:de)?activate|disable|enable|pause|resume)`]:
    'The contract has no operation that enables or disables an endpoint. In the sandbox, use ' +
    '`npx sandbox endpoints disable <id>` and `npx sandbox endpoints enable <id>`.',
  [`POST ${ENDPOINTS}${ONE}/(?:test|ping|trigger|send)`]:
    'The contract has no operation that sends a test event. In the sandbox, `npx sandbox trigger pix.settled` ' +
    'triggers a real event.',
  [`GET ${ENDPOINTS}${ONE}/secrets?`]:
    'A secret is returned only when an endpoint is created or its secret is rotated: ' +
    `POST ${V1}/webhook-endpoints/{id}/rotate-secret.`,
  [`GET (?:${ENDPOINTS}${ONE}/deliveries${ONE}|/deliveries(?:${ONE})?)`]:
    `Deliveries can be listed only per endpoint: GET ${V1}/webhook-endpoints/{id}/deliveries. In the sandbox, ` +
    '`npx sandbox deliveries show <id>` shows a delivery with its attempts.',
  [`GET (?:${ENDPOINTS}${ONE})?/events(?:${ONE})?`]:
    'The contract has no operation that reads events: they are sent as webhooks. In the sandbox, `npx ' +
    'sandbox events list` shows events.',
  'POST /(?:oauth2?/|auth/)?(?:tokens?|login|auth)':
    'The contract does not define how tokens are issued. In the sandbox, `npx sandbox env` shows the token ' +
    'as SANDBOX_TOKEN.',
  [`GET ${SESSIONS}`]:
    'The contract has no operation that lists sessions. In the sandbox, `npx sandbox kyc list` shows sessions.',
  [`GET /kyc/(?:sessions${ONE}(?:/status)?|results?${ONE})`]:
    'The contract has no operation that reads a session, only GET /api/v1/kyc/sessions/{sessionId}/result. ' +
    'In the sandbox, `npx sandbox kyc show <id>` shows a session.',
  [`${CHANGE} ${SESSIONS}${ONE}(?:/(?!result$)[^/]+)?`]:
    'The contract has no operation that changes or decides a session; the hosted page decides. In the sandbox, ' +
    'use `npx sandbox kyc decide <id> approved`.',
};

/** Complete and partial path prefixes of the APIs. */
const PREFIX = /^(?:\/api)?(?:\/public)?(?:\/v\d+)?(?=\/)/;

const PATTERNS = Object.entries(ABSENT).map(([pattern, hint]) => ({
  pattern: new RegExp(`^${pattern}$`),
  hint,
}));

/**
 * Suggests an alternative to a common operation missing from the contract; undefined for other operations.
 */
export function hintForUnsupported({ method, path }: RoutePath): string | undefined {
  const asked = `${method} ${path.toLowerCase().replace(PREFIX, '').replace(/\/$/, '')}`;
  return PATTERNS.find(({ pattern }) => pattern.test(asked))?.hint;
}

export const UNSUPPORTED_HINTS: readonly string[] = Object.values(ABSENT);

/** A route: its method and its full path, with `:name` for parameters. */
interface RoutePath {
  readonly method: string;
  readonly path: string;
}

/** Maximum number of compared path characters. */
const COMPARED_LENGTH = 200;

/**
 * Finds the most similar route for an unmatched request, e.g. `POST /api/public/v1/pix`; undefined if no
 * similar route is non-destructive. Parameters match any value, and the path can omit its prefix.
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

/** Formats a route, e.g. `GET /accounts/{id}/transactions`. */
export function formatRoute({ method, path }: RoutePath): string {
  return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

/** The error for an unmatched request, and its Allow header. */
export interface UnmatchedRequest {
  readonly refusal: Refusal;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Creates a handler for unmatched requests: METHOD_NOT_ALLOWED if the path has other methods, otherwise
 * NOT_FOUND. The hint suggests an alternative or the most similar route, and the OpenAPI document, if any.
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
      const allow = [...new Set(methods)].join(', ');
      const hint = absent ?? `Did you mean ${here.map(formatRoute).join(' or ')}?`;
      const message = `Method ${method} is not allowed; use ${allow}.`;
      return { refusal: new Refusal('METHOD_NOT_ALLOWED', message, { hint }), headers: { allow } };
    }
    // If a document exists, suggest only close matches, because routes share the prefix.
    const max = document === undefined ? undefined : Math.max(2, (path.length - prefix.length) / 3);
    const meant = findNearestRoute({ method, path }, routes, max);
    const isBelow = path.startsWith(prefix) || path.startsWith(otherPrefix);
    const begin = isBelow ? undefined : `The paths of this API begin with ${prefix}.`;
    const near = absent ?? (meant === undefined ? begin : `Did you mean ${meant}?`);
    const all = document === undefined ? undefined : `GET ${document} describes every route.`;
    const hint = [near, all].filter((text) => text !== undefined).join(' ') || undefined;
    return {
      refusal: new Refusal('NOT_FOUND', `There is no operation ${method} ${path}.`, { hint }),
      headers: {},
    };
  };
}

/** Responds to an unmatched request without logging it. */
export function sendUnmatched(c: SurfaceContext, { refusal, headers }: UnmatchedRequest): Response {
  const requestId = createRequestId();
  return sendResponse(
    c,
    serializeResponse(requestId, { ...createErrorResponse(refusal, requestId), headers }),
  );
}
