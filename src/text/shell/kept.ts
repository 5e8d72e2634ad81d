import { isHidden } from '../exchange/shown.js';
import type { CurlScheme, Script } from './again.js';
import { callScript, webhookScript } from './again.js';

/** A call as the control API shows it. */
interface ShownCall {
  readonly door: string;
  readonly method: string;
  readonly path: string;
  readonly request: {
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body?: string | undefined;
    readonly body_base64?: string | undefined;
    readonly body_bytes: number;
    readonly truncated: boolean;
    readonly redacted: boolean;
  } | null;
}

/** A delivery as the control API shows it. */
interface ShownDelivery {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly endpoint_url: string | null;
  readonly target_url: string | null;
  readonly own_secret: boolean;
}

/** Why there are no commands, and what can be done. */
export interface NoScript {
  readonly problem: string;
  readonly hint: string;
}

/** The commands that send a call to a sandbox at `url` again (§5). */
export function callAgain(call: ShownCall, url: string, scheme: CurlScheme): Script | NoScript {
  const { request, door, method, path } = call;
  if (request === null || (door !== 'api' && door !== 'identity')) {
    return {
      problem:
        request === null
          ? 'The request of this call is not kept.'
          : `Calls to the door ${door} cannot be sent by curl.`,
      hint: 'Those to the payments API and the identity API can be, while the log keeps them.',
    };
  }
  const { headers, body, body_base64: encoded, body_bytes: length, truncated, redacted } = request;
  if (truncated || redacted) {
    return {
      problem: truncated
        ? `Only the beginning of its ${length} bytes of body is kept.`
        : 'The log hides a secret in its body.',
      hint: `Sign the whole body: \`sign request ${method} ${path} body.json --curl\`.`,
    };
  }
  const bytes = encoded === undefined ? new TextEncoder().encode(body) : fromBase64(encoded);
  const origin = url.replace(/\/$/, '');
  const script = callScript({ door, method, path, headers, body: bytes, origin, scheme });
  return (
    script ?? {
      problem: `The log hides a part of the path of this call: ${path}.`,
      hint: 'Sign the request with the whole path: `sign request METHOD PATH body.json --curl`.',
    }
  );
}

/**
 * The commands that send an attempt of a delivery again (§5.5): with the headers of one that was made, if
 * any, and the body of its event.
 */
export function attemptAgain(
  {
    event_id: id,
    endpoint_id: endpoint,
    endpoint_url: url,
    target_url: target,
    own_secret: isOwn,
  }: ShownDelivery,
  headers: Readonly<Record<string, string>> | undefined,
  body: string,
): Script | NoScript {
  if (url === null) {
    return {
      problem: 'The endpoint of this delivery was deleted.',
      hint: 'Send its event with `npx sandbox events resend`.',
    };
  }
  if (target === null || isHidden(target)) {
    return {
      problem:
        target === null
          ? 'The listener of this delivery names no URL.'
          : 'The URL that the listener forwards to holds a secret.',
      hint: 'Sign its body for the URL: `npx sandbox sign webhook body.json --curl URL`.',
    };
  }
  return webhookScript({
    url: target,
    id,
    ownSecretOf: isOwn ? endpoint : undefined,
    headers: Object.entries(headers ?? { 'content-type': 'application/json' }),
    body: new TextEncoder().encode(body),
  });
}

function fromBase64(encoded: string): Uint8Array {
  return Uint8Array.from(atob(encoded), (character) => character.codePointAt(0) ?? 0);
}
