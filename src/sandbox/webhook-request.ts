import type { Forgery } from '../contract/fault-kinds.js';
import { validSecrets } from '../core/webhooks/endpoints.js';
import type { AnnouncedEvent, Endpoint } from '../core/world.js';
import type { AttemptRequest } from '../delivery/http-attempt.js';
import { signWebhook } from '../signing/webhook.js';

/** One message on its way to an endpoint. */
export interface WebhookMessage {
  readonly endpoint: Endpoint;
  readonly event: AnnouncedEvent;
  readonly body: Buffer;
  /** Sandbox time, which determines the valid secrets, and the timestamp; in milliseconds. */
  readonly now: number;
  readonly stampMs: number;
}

export const USER_AGENT = `PixSandbox-Webhooks/${__VERSION__}`;
/** The age of the fault `stale-timestamp`, beyond every usual tolerance. */
const STALE_MS = 600_000;
/** A secret that belongs to no endpoint. */
const UNKNOWN_SECRET = `whsec_${Buffer.from('the secret of no endpoint at all').toString('base64')}`;

/** The request for a message: each attempt has a new signature over the same bytes (§5.5, §6). */
export function webhookRequest(message: WebhookMessage, forgery?: Forgery): AttemptRequest {
  const { endpoint, event, body, now, stampMs } = message;
  const secrets = validSecrets(endpoint, now);
  const stampedMs = forgery === 'stale-timestamp' ? stampMs - STALE_MS : stampMs;
  const signed = signWebhook({
    id: event.id,
    timestampS: Math.floor(stampedMs / 1000),
    body,
    secrets: forgedSecrets(secrets, forgery),
  });
  return {
    url: endpoint.url,
    headers: { 'user-agent': USER_AGENT, 'content-type': 'application/json', ...signed },
    body,
    timeoutMs: endpoint.timeoutMs,
  };
}

/** The same JSON in bytes that no library writes by default, so that a receiver cannot restore them from the parsed value. */
export function reserializedBody(body: Buffer): Buffer {
  return Buffer.from(`\n${JSON.stringify(JSON.parse(body.toString()), null, 1)}\n`);
}

function forgedSecrets(secrets: readonly string[], forgery: Forgery | undefined): readonly string[] {
  if (forgery === 'wrong-signature') return [UNKNOWN_SECRET];
  return forgery === 'two-signatures' ? [UNKNOWN_SECRET, ...secrets] : secrets;
}
