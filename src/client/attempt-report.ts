import type { AttemptResult } from '../delivery/http-attempt.js';
import type { DeliveryLine } from '../http/control/exchanges.js';
import { withoutHeaderSecrets } from '../text/redaction.js';
import type { ControlClient } from './control.js';
import { NotReachableError, SandboxError } from './control.js';

/** Reports a listener's attempt; resolves to null if the sandbox has already decided otherwise or is gone. */
export async function reportAttempt(
  client: ControlClient,
  listenerId: string,
  attemptId: string,
  result: AttemptResult,
): Promise<DeliveryLine | null> {
  try {
    const body = { attempt_id: attemptId, ...attemptReport(result) };
    return (await client.post('listeners/:id/results', { id: listenerId, body })).delivery;
  } catch (error) {
    if (error instanceof NotReachableError) return null;
    if (error instanceof SandboxError && (error.status === 409 || error.status === 404)) return null;
    throw error;
  }
}

export function attemptReport({ status, error, detail, bodyError, latencyMs, response }: AttemptResult) {
  return {
    response_status: status,
    error,
    detail,
    body_error: bodyError,
    latency_ms: latencyMs,
    response_headers: response === null ? null : withoutHeaderSecrets(response.headers),
    response_body: response === null ? null : Buffer.from(response.body).toString('base64'),
    truncated: response?.truncated ?? false,
  };
}
