import type { WebhookVerdict } from '../../signing/webhook.js';

/** A verdict as the control API and `verify` show it; secrets and signatures count from 1. */
export function presentVerdict(verdict: WebhookVerdict) {
  const outcome = verdict.ok
    ? { cause: null, message: null, secret: verdict.secretIndex + 1, signature: verdict.signatureIndex + 1 }
    : { cause: verdict.cause, message: verdict.message, secret: null, signature: null };
  return { ok: verdict.ok, ...outcome, age_s: 'ageS' in verdict ? verdict.ageS : null };
}
