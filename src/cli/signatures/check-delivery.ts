import type { HeaderRecord } from '../../signing/headers.js';
import { verifyWebhook } from '../../signing/webhook.js';

/** A delivery as it arrived. Without a secret it is not verified. */
export interface ArrivedDelivery {
  readonly headers: HeaderRecord;
  readonly body: Buffer;
  readonly secret: string | readonly string[] | null;
  readonly nowS: number;
}

/** Whether a delivery's signature is valid; null if it was not verified. `problem` describes the cause. */
export interface DeliveryCheck {
  readonly verified: boolean | null;
  readonly problem: string | null;
  /** The fault wrong-signature of the sandbox broke it. */
  readonly isInjected?: boolean;
}

/** Verifies a delivery as its receiver will (§5.5), and diagnoses an invalid one. */
export async function checkDelivery(arrived: ArrivedDelivery): Promise<DeliveryCheck> {
  const { headers, body, secret, nowS } = arrived;
  if (secret === null) return { verified: null, problem: null };
  const verdict = verifyWebhook({ headers, body, secrets: secret, nowS });
  if (verdict.ok) return { verified: true, problem: null };
  const { diagnoseWebhook } = await import('../../signing/diagnosis/webhook.js');
  const [finding] = diagnoseWebhook(
    { headers, body },
    { secrets: [secret].flat().map((one) => ({ secret: one })), nowS },
  );
  const problem = `${verdict.cause}: ${finding?.did ?? verdict.message}`;
  return { verified: false, isInjected: finding?.id === 'injected-fault', problem };
}
