import type { WebhookVerdict } from '../../signing/webhook.js';

/** Presents a verdict for the control API and `verify`; `secret` and `signature` are 1-based indexes. */
export function presentVerdict(verdict: WebhookVerdict) {
  const outcome = verdict.ok
    ? { cause: null, message: null, secret: verdict.secretIndex + 1, signature: verdict.signatureIndex + 1 }
    : { cause: verdict.cause, message: verdict.message, secret: null, signature: null };
  return { ok: verdict.ok, ...outcome, age_s: 'ageS' in verdict ? verdict.ageS : null };
}
