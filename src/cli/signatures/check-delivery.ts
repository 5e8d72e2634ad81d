import type { HeaderRecord } from '../../signing/headers.js';
import { verifyWebhook } from '../../signing/webhook.js';

/** A delivery as it arrived. Without a secret it is not verified. */
export interface ArrivedDelivery {
  readonly headers: HeaderRecord;
  readonly body: Buffer;
  /** Several where any of them may hold. */
  readonly secret: string | readonly string[] | null;
  readonly nowS: number;
}

/** Whether a delivery's signature holds: null where it was not verified. `problem` is the cause in words. */
export interface DeliveryCheck {
  readonly verified: boolean | null;
  readonly problem: string | null;
}

/** Verifies a delivery as its receiver will (§5.5), and asks the doctor where it does not hold. */
export async function checkDelivery({
  headers,
  body,
  secret,
  nowS,
}: ArrivedDelivery): Promise<DeliveryCheck> {
  if (secret === null) return { verified: null, problem: null };
  const verdict = verifyWebhook({ headers, body, secrets: secret, nowS });
  if (verdict.ok) return { verified: true, problem: null };
  const { diagnoseWebhook } = await import('../../signing/diagnosis/webhook/diagnose-webhook.js');
  const [finding] = diagnoseWebhook(
    { headers, body },
    { secrets: [secret].flat().map((one) => ({ secret: one })), nowS },
  );
  return { verified: false, problem: `${verdict.cause}: ${finding?.did ?? verdict.message}` };
}
