import type { AttemptRequest, AttemptResult } from '../../../src/delivery/http-attempt.js';

/** What a receiver that answers this status makes of an attempt. */
export function attemptResult(status: number): AttemptResult {
  return {
    status,
    error: status < 300 ? null : 'HTTP_STATUS',
    detail: null,
    bodyError: null,
    latencyMs: 1,
    response: { headers: [], body: new Uint8Array(), truncated: false },
  };
}

export function attemptRequest(fields: Partial<AttemptRequest> = {}): AttemptRequest {
  return {
    url: 'https://shop.example/',
    headers: { 'webhook-id': 'evt_1' },
    body: Buffer.from('{}'),
    timeoutMs: 10_000,
    ...fields,
  };
}

/** Lets everything that can happen without the outside happen. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
