import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IdentitySession } from '../../core/world.js';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import { isConsoleRequest, isNavigation } from '../console/request.js';

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
 * The path of a charge's pay page. On loopback the id is enough: with a fixed seed it can be guessed, but a
 * page of another origin can neither read nor post what it opens there. Where other machines reach the page,
 * its address holds a token.
 */
export function payPath(chargeId: string, isExposed: boolean): string {
  return isExposed ? `/pay/${chargeId}/${payToken(chargeId)}` : `/pay/${chargeId}`;
}

export const IDENTITY_PREFIX = '/api/v1/kyc/';
export const DOCUMENT_PATH = '/openapi.json';

const DOCUMENT = /^\/openapi\.json(?:\?|$)/;
const HOSTED = /^\/(?:session\/|(?:start|sdk\.js)(?:[/?]|$))/;
const PAY = /^\/pay(?:[/?]|$)/;

/** Each serves its part of the paths under one origin; `hosted` are the identity pages (§4.12). */
export type Door = 'api' | 'identity' | 'control' | 'document' | 'hosted' | 'pay' | 'console';

/** A request as its line and headers tell it. */
interface Head {
  readonly method: string;
  readonly target: string;
  readonly accept: string | undefined;
  readonly mode: string | undefined;
}

/**
 * Chooses the door of a request. In strict mode the console serves only browsers: `/` is unknown to the
 * service itself.
 */
export function doorOf({ method, target, accept, mode }: Head, isStrict: boolean): Door {
  if (target.startsWith(CONTROL_PREFIX)) return 'control';
  if (target.startsWith(IDENTITY_PREFIX)) return 'identity';
  if (DOCUMENT.test(target) && !isStrict) return 'document';
  if (HOSTED.test(target)) return 'hosted';
  if (PAY.test(target)) return 'pay';
  const asked = { accept, 'sec-fetch-mode': mode };
  if (!isConsoleRequest(target, method, asked)) return 'api';
  return !isStrict || target.startsWith('/console/') || isNavigation(asked) ? 'console' : 'api';
}
