import { createHmac, randomBytes } from 'node:crypto';
import type { IdentitySession } from '../../core/world.js';
import { areEqualBytes } from '../../signing/message.js';

/** Builds the browser URL of a session (§4.12). */
export function createSessionUrl(hostedUrl: string, { id }: IdentitySession): string {
  return `${hostedUrl}/session/${id}`;
}

/** Random per process, so that URLs from earlier runs are invalid. */
const SECRET = randomBytes(32);

/** Creates the unguessable part of a payment page URL: 43 letters, digits, hyphens and underscores. */
export function createPayToken(chargeId: string): string {
  return createHmac('sha256', SECRET).update(chargeId).digest('base64url');
}

/** Compares a token with the charge's token in constant time. */
export function isPayToken(chargeId: string, given: string): boolean {
  return areEqualBytes(Buffer.from(createPayToken(chargeId)), Buffer.from(given));
}

/**
 * Returns the path of a charge's payment page. On loopback the id is sufficient: a fixed seed makes the id
 * guessable, but other origins can neither read the page nor post to it. Elsewhere the path contains a token.
 */
export function createPayPath(chargeId: string, isExposed: boolean): string {
  return isExposed ? `/pay/${chargeId}/${createPayToken(chargeId)}` : `/pay/${chargeId}`;
}

/** Path prefixes of the payments API and the identity API. */
export const API_PREFIX = '/api/public/v1';
export const IDENTITY_PREFIX = '/api/v1/kyc/';
export const DOCUMENT_PATH = '/openapi.json';

const CONTROL = /^\/_sandbox(?:[/?]|$)/;
const DOCUMENT = /^\/openapi\.json(?:\?|$)/;
const HOSTED = /^\/(?:session\/|(?:start|sdk\.js)(?:[/?]|$))/;
const PAY = /^\/pay(?:[/?]|$)/;

/** A part of the server with its own paths; `hosted` serves the identity pages (§4.12). */
export type Surface = 'api' | 'identity' | 'control' | 'hosted' | 'pay' | 'console';

/** The request line and relevant headers. */
interface Head {
  readonly method: string;
  readonly target: string;
  readonly accept: string | undefined;
  readonly mode: string | undefined;
}

/**
 * Selects the surface of a request. In strict mode the console serves only browsers, because the service does
 * not serve `/`.
 */
export function selectSurface({ method, target, accept, mode }: Head, isStrict: boolean): Surface {
  if (CONTROL.test(target)) return 'control';
  if (target.startsWith(IDENTITY_PREFIX)) return 'identity';
  if (DOCUMENT.test(target) && !isStrict) return 'console';
  if (HOSTED.test(target)) return 'hosted';
  if (PAY.test(target)) return 'pay';
  const asked = { accept, 'sec-fetch-mode': mode };
  if (!isConsoleRequest(target, method, asked)) return 'api';
  return !isStrict || target.startsWith('/console/') || isNavigation(asked) ? 'console' : 'api';
}

/** Console pages, which all load the same shell. */
const LIST_PAGE =
  /^\/(?:charges|withdrawals|ledger|endpoints|faults|identity|time|saved|scenarios|check|setup)(?:\?|$)/;
const ROW_PAGE = /^\/(?:calls|events|deliveries|charges|withdrawals|endpoints|identity)\/[^/?#]+(?:\?|$)/;
const FRONT_PAGE = /^\/(?:\?|$)/;

/** Returns true for console files, the API index, and browser navigations to console pages. */
export function isConsoleRequest(target: string, method: string, headers: ConsoleHeaders): boolean {
  if (target.startsWith('/console/')) return true;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (FRONT_PAGE.test(target)) return true;
  return (LIST_PAGE.test(target) || ROW_PAGE.test(target)) && isNavigation(headers);
}

/** Headers that identify a navigation. */
interface ConsoleHeaders {
  readonly accept?: string | undefined;
  readonly 'sec-fetch-mode'?: string | undefined;
}

/**
 * Returns true for a browser navigation. A missing mode counts as navigation, because older browsers send
 * none.
 */
export function isNavigation({ accept = '', 'sec-fetch-mode': mode = 'navigate' }: ConsoleHeaders): boolean {
  return mode === 'navigate' && /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept);
}
