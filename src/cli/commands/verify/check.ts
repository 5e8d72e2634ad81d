import type { Finding } from '../../../signing/diagnosis/finding.js';
import { readHeader } from '../../../signing/headers.js';
import { DEFAULT_TOLERANCE_S } from '../../../signing/timestamp.js';
import type { WebhookVerdict } from '../../../signing/webhook.js';
import { signatureEntries, verifyWebhook } from '../../../signing/webhook.js';
import { verdictView } from '../../../http/control/receiver.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { CapturedWebhook } from '../../signatures/captured-webhook.js';
import type { FoundSecret } from '../../signatures/secrets.js';
import { secretsAround } from '../../signatures/secrets.js';
import { shortened } from '../../../text/redaction.js';
import type { verify } from './command.js';

export type Invocation = InvocationOf<typeof verify>;

/** A webhook, the verdict on it, and what its diagnosis found. */
export interface Checked {
  readonly webhook: CapturedWebhook;
  readonly secrets: readonly FoundSecret[];
  readonly nowS: number;
  readonly toleranceS: number;
  readonly verdict: WebhookVerdict;
  readonly findings: readonly Finding[];
}

/** Verifies a webhook as of `nowS` and, unless `--strict` is given, diagnoses it. */
export async function check(
  invocation: Invocation,
  { webhook, secrets, nowS }: Pick<Checked, 'webhook' | 'secrets' | 'nowS'>,
): Promise<Checked> {
  const { tolerance, strict } = invocation.options;
  const toleranceS = tolerance === undefined ? DEFAULT_TOLERANCE_S : tolerance.ms / 1000;
  const verdict = verifyWebhook({
    ...webhook,
    secrets: secrets.map(({ secret }) => secret),
    nowS,
    toleranceS,
  });
  const around = strict || verdict.ok ? [] : await secretsAround(invocation, secrets);
  const known = [...secrets, ...around];
  const findings = strict ? [] : await diagnose(webhook, known, { nowS, toleranceS });
  return { webhook, secrets, nowS, toleranceS, verdict, findings };
}

async function diagnose(
  webhook: CapturedWebhook,
  secrets: readonly { readonly secret: string }[],
  time: { readonly nowS: number; readonly toleranceS: number },
): Promise<readonly Finding[]> {
  const { diagnoseWebhook } = await import('../../../signing/diagnosis/webhook/diagnose-webhook.js');
  return diagnoseWebhook(webhook, { secrets, ...time, effort: 'pairs' });
}

/** A check as JSON. */
export function checkedJson(
  { webhook, secrets, nowS, toleranceS, verdict, findings }: Checked,
  hint: string | null,
) {
  const { age_s, ...outcome } = verdictView(verdict);
  return {
    ...outcome,
    at: nowS,
    tolerance_s: toleranceS,
    age_s,
    secrets: secrets.map(({ secret, source }, index) => ({
      number: index + 1,
      shown: shortened(secret),
      source,
    })),
    signatures: signatureCount(webhook),
    findings,
    hint,
  };
}

export function signatureCount({ headers }: CapturedWebhook): number {
  return signatureEntries(readHeader(headers, 'webhook-signature') ?? '').length;
}
