import type { DeliveryFaultAction } from '../contract/fault-kinds.js';
import type { FiredFault } from '../core/webhooks/faults.js';
import { onAbort } from './abort-hooks.js';
import { answeredAttempt, failedAttempt } from './attempt-failure.js';
import type { AttemptRequest, AttemptResult } from './http-attempt.js';
import { pause } from './pause.js';

type Fired = FiredFault<DeliveryFaultAction>;

const FORGERIES = [
  'two-signatures',
  'wrong-signature',
  'stale-timestamp',
] as const satisfies DeliveryFaultAction[];

/** How a fault breaks a signature. */
export type Forgery = (typeof FORGERIES)[number];

/** How to break the request of an attempt; undefined leaves it intact. */
export function forgeryOf(fired: readonly Fired[]): Forgery | undefined {
  return FORGERIES.find((forgery) => fired.some(({ action }) => action === forgery));
}

/** What faults need to take effect. */
export interface FaultPorts {
  readonly send: (request: AttemptRequest) => Promise<AttemptResult>;
  /** The stale message that a receiver must ignore; null when there is none. */
  readonly staleMessage: () => AttemptRequest | null;
  /** Resolves when another attempt to the same endpoint has been sent. */
  readonly overtaken: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Real time that a reordered attempt waits for another one to overtake it. */
const OVERTAKING_MS = 2_000;
const DEFAULT_DELAY_MS = 1_000;

/**
 * Makes an attempt under the faults that fired on it. Copies and stale messages are extra sends; only the attempt itself
 * decides the outcome. Rejects when the signal aborts, and passes on errors of its ports.
 */
export async function sendWithFaults(
  request: AttemptRequest,
  fired: readonly Fired[],
  ports: FaultPorts,
): Promise<AttemptResult> {
  const find = (action: DeliveryFaultAction) => fired.find((fault) => fault.action === action);
  const delay = find('delay');
  if (delay !== undefined) await pause(delay.delayMs ?? DEFAULT_DELAY_MS, ports.signal);
  if (find('reorder') !== undefined) await letPass(ports);
  const replaced = instead(fired, request);
  if (replaced !== undefined) return replaced;

  const result = await ports.send(request);
  const duplicate = find('duplicate');
  const copies = duplicate === undefined ? 0 : (duplicate.copies ?? 1);
  for (let copy = 0; copy < copies; copy += 1) await ports.send(request);
  const isStaleDue = find('stale-expired') !== undefined && result.error === null;
  const stale = isStaleDue ? ports.staleMessage() : null;
  if (stale !== null) await ports.send(stale);

  if (find('lose-answer') !== undefined)
    return failedAttempt('CONNECTION_RESET', 'fault lose-answer', result.latencyMs);
  const slow = find('slow');
  return slow === undefined
    ? result
    : slowedDown(result, slow.delayMs ?? DEFAULT_DELAY_MS, request, ports.signal);
}

/** Resolves when another attempt has overtaken this one, or after a while. */
async function letPass({ overtaken, signal }: FaultPorts): Promise<void> {
  const passed = new AbortController();
  const release = onAbort(signal, () => passed.abort());
  const goOn = () => passed.abort();
  void overtaken().then(goOn, goOn);
  await pause(OVERTAKING_MS, passed.signal)
    .catch(() => signal.throwIfAborted())
    .finally(release);
}

/** The simulated outcome that replaces the receiver's. */
function instead(fired: readonly Fired[], request: AttemptRequest): AttemptResult | undefined {
  for (const { action, status } of fired) {
    if (action === 'answer') return answeredAttempt(status ?? 500, 'fault answer');
    if (action === 'timeout') return failedAttempt('TIMEOUT', 'fault timeout', request.timeoutMs);
    if (action === 'drop') return failedAttempt('CONNECTION_RESET', 'fault drop');
  }
  return undefined;
}

async function slowedDown(
  result: AttemptResult,
  delayMs: number,
  { timeoutMs }: AttemptRequest,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const latencyMs = result.latencyMs + delayMs;
  await pause(Math.min(delayMs, Math.max(timeoutMs - result.latencyMs, 0)), signal);
  return latencyMs < timeoutMs ? { ...result, latencyMs } : failedAttempt('TIMEOUT', 'fault slow', timeoutMs);
}
