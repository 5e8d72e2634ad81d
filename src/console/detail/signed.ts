import type { Forgery } from '../../contract/fault-kinds.js';
import { forgeryOf } from '../../contract/fault-kinds.js';
import type { AttemptView } from '../../http/control/schema.js';

/** How the sandbox signed an attempt, and what (§6). */
export interface Signed {
  /** `rotated`: by both secrets of the endpoint, which was given a new one. */
  readonly by: Forgery | 'secret' | 'rotated';
  /** The bytes under the signature, as text: id, timestamp and body, with points between them. */
  readonly content: string;
}

/** Undefined where the request is no longer kept, or was never made. */
export function signedOf(
  { request_headers: headers, faults }: AttemptView,
  body: string | undefined,
): Signed | undefined {
  const signatures = headers?.['webhook-signature']?.split(' ');
  if (headers === undefined || signatures === undefined || body === undefined) return undefined;
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return { by: forgeryOf(faults) ?? (signatures.length > 1 ? 'rotated' : 'secret'), content };
}
