import { CONTROL_PREFIX } from '../../text/control-api.js';
import { isConsoleRequest } from '../console/request.js';
import { isPayTarget } from './page-urls.js';

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
