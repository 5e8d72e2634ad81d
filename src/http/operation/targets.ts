import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IdentitySession } from '../../core/identity/session.js';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import { isConsoleRequest } from '../console/request.js';

/** Where a browser opens a session (§4.12). */
export function hostedSessionUrl(hostedUrl: string, { id }: IdentitySession): string {
  return `${hostedUrl}/session/${id}`;
}

/** Of this process alone: no address of an earlier run opens anything. */
const SECRET = randomBytes(32);

/** The part of a pay page's address that only this process can tell: 43 letters, digits, hyphens and underscores. */
export function payToken(chargeId: string): string {
  return createHmac('sha256', SECRET).update(chargeId).digest('base64url');
}

/** Compares a token with that of a charge in constant time. */
export function isPayToken(chargeId: string, given: string): boolean {
  const [expected, actual] = [Buffer.from(payToken(chargeId)), Buffer.from(given)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/**
 * The path of a charge's pay page. On loopback the id is enough: with a fixed seed it can be guessed, but a page of another origin can
 * neither read nor post what it opens there. Where other machines reach the page, its address holds a token.
 */
export function payPath(chargeId: string, isExposed: boolean): string {
  return isExposed ? `/pay/${chargeId}/${payToken(chargeId)}` : `/pay/${chargeId}`;
}

/** Whether a request target belongs to the pay pages. */
export function isPayTarget(target: string): boolean {
  return /^\/pay(?:[/?]|$)/.test(target);
}

export const IDENTITY_PREFIX = '/api/v1/kyc/';
export const DOCUMENT_PATH = '/openapi.json';

/** Whether a request target is the description of the service. */
export function isDocumentTarget(target: string): boolean {
  return target === DOCUMENT_PATH || target.startsWith(`${DOCUMENT_PATH}?`);
}

/** Whether a request target belongs to the hosted pages (§4.12). */
export function isHostedTarget(target: string): boolean {
  return /^\/(?:session\/|(?:start|sdk\.js)(?:[/?]|$))/.test(target);
}

/** A request as its line and headers tell it. */
interface Head {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The API that counts a request as one of its calls; undefined for the control API, the console and the pay pages. */
export function callDoorOf({ method, target, headers }: Head): 'api' | 'identity' | 'hosted' | undefined {
  if (target.startsWith(IDENTITY_PREFIX)) return 'identity';
  if (isHostedTarget(target)) return 'hosted';
  const { accept, 'sec-fetch-mode': mode } = headers;
  const asked = { accept: String(accept ?? ''), 'sec-fetch-mode': mode === undefined ? mode : String(mode) };
  const isOther =
    target.startsWith(CONTROL_PREFIX) ||
    isDocumentTarget(target) ||
    isPayTarget(target) ||
    isConsoleRequest(target, method, asked);
  return isOther ? undefined : 'api';
}
