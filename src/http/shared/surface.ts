import { createHmac, randomBytes } from 'node:crypto';
import type { IdentitySession } from '../../core/world.js';
import { areEqualBytes } from '../../signing/message.js';

/** Builds the browser URL of a session (§4.12). */
export function createSessionUrl(hostedUrl: string, { id }: IdentitySession): string {
  return `${hostedUrl}/session/${id}`;
}

/** New in each process: no URL of an earlier run works. */
const SECRET = randomBytes(32);

/** Unguessable part of a payment page's URL: 43 letters, digits, hyphens and underscores. */
export function createPayToken(chargeId: string): string {
  return createHmac('sha256', SECRET).update(chargeId).digest('base64url');
}

/** Compares a token with that of a charge in constant time. */
export function isPayToken(chargeId: string, given: string): boolean {
  return areEqualBytes(Buffer.from(createPayToken(chargeId)), Buffer.from(given));
}

/**
 * The path of a charge's pay page. On loopback the id is enough: with a fixed seed it can be guessed, but a
 * page of another origin can neither read nor post what it opens there. Where other machines reach the page,
 * its address holds a token.
 */
export function createPayPath(chargeId: string, isExposed: boolean): string {
  return isExposed ? `/pay/${chargeId}/${createPayToken(chargeId)}` : `/pay/${chargeId}`;
}

/** The prefixes of every path of the payments API and of the identity API. */
export const API_PREFIX = '/api/public/v1';
export const IDENTITY_PREFIX = '/api/v1/kyc/';
export const DOCUMENT_PATH = '/openapi.json';

const CONTROL = /^\/_sandbox(?:[/?]|$)/;
const DOCUMENT = /^\/openapi\.json(?:\?|$)/;
const HOSTED = /^\/(?:session\/|(?:start|sdk\.js)(?:[/?]|$))/;
const PAY = /^\/pay(?:[/?]|$)/;

/** Each serves its part of the paths under one origin; `hosted` are the identity pages (§4.12). */
export type Surface = 'api' | 'identity' | 'control' | 'hosted' | 'pay' | 'console';

/** A request as its line and headers tell it. */
interface Head {
  readonly method: string;
  readonly target: string;
  readonly accept: string | undefined;
  readonly mode: string | undefined;
}

/**
 * Chooses the API of a request. In strict mode the console serves only browsers: `/` is unknown to the
 * service itself.
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

/** The pages of the console; the browser tells them apart, and gets the same shell for each. */
const LIST_PAGE =
  /^\/(?:charges|withdrawals|ledger|endpoints|faults|identity|time|saved|scenarios|check|setup)(?:\?|$)/;
const ROW_PAGE = /^\/(?:calls|events|deliveries|charges|withdrawals|endpoints|identity)\/[^/?#]+(?:\?|$)/;
const FRONT_PAGE = /^\/(?:\?|$)/;

/**
 * Recognizes requests for the console: its files, the index of APIs, and a person's navigation to its pages.
 */
export function isConsoleRequest(target: string, method: string, headers: ConsoleHeaders): boolean {
  if (target.startsWith('/console/')) return true;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (FRONT_PAGE.test(target)) return true;
  return (LIST_PAGE.test(target) || ROW_PAGE.test(target)) && isNavigation(headers);
}

/** The headers that tell a navigation from other requests. */
interface ConsoleHeaders {
  readonly accept?: string | undefined;
  readonly 'sec-fetch-mode'?: string | undefined;
}

/** A browser that shows a page to a person; older ones do not say the mode. */
export function isNavigation({ accept = '', 'sec-fetch-mode': mode = 'navigate' }: ConsoleHeaders): boolean {
  return mode === 'navigate' && /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept);
}
