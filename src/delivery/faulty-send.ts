import type { DeliveryFaultAction } from '../contract/fault-kinds.js';
import type { FiredFault } from '../core/world.js';
import { pause } from './abort.js';
import { answeredAttempt, failedAttempt } from './attempt-failure.js';
import type { AttemptRequest, AttemptResult } from './http-attempt.js';
import { messageOf } from '../text/errors.js';

type Fired = FiredFault<DeliveryFaultAction>;

/** An attempt that lets others pass. */
export interface Aside {
  readonly overtaken: Promise<void>;
  /** Whether no other attempt to it is in flight or can start now. */
  readonly isAlone: () => boolean;
  readonly comeBack: () => void;
}

/** What faults need to take effect. */
export interface FaultPorts {
  readonly send: (request: AttemptRequest) => Promise<AttemptResult>;
  /** Sends the stale message that a receiver must ignore, if there is one. */
  readonly sendStale: () => Promise<void>;
  readonly sendExpiry: () => Promise<void>;
  readonly sendUnknown: () => Promise<void>;
  /** Lets other attempts to the same endpoint pass. */
  readonly stepAside: () => Aside;
  readonly restart: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Real time that a reordered attempt waits for another one to overtake it, at most, and while none is on its way. */
const OVERTAKING_MS = 2_000;
const ALONE_MS = 100;
const DEFAULT_DELAY_MS = 1_000;

/**
 * Makes an attempt under the faults that fired on it. Copies and stale messages are extra sends; only the
 * attempt itself decides the outcome. Rejects when the signal aborts, and passes on errors of its ports.
 */
export async function sendWithFaults(
  request: AttemptRequest,
  fired: readonly Fired[],
  ports: FaultPorts,
): Promise<AttemptResult> {
  const find = (action: DeliveryFaultAction) => fired.find((fault) => fault.action === action);
  const { signal } = ports;
  const restart = find('restart');
  const restartNow = async () => {
    await ports.restart().catch((error: unknown) => {
      signal.throwIfAborted();
      throw new RestartError(`The fault restart could not restart the application: ${messageOf(error)}`);
    });
  };
  const answered = async () => {
    if (restart !== undefined && restart.when !== 'before') await restartNow();
  };
  try {
    const delay = find('delay');
    if (delay !== undefined) await pause(delay.delayMs ?? DEFAULT_DELAY_MS, signal);
    if (find('reorder') !== undefined) await letPass(ports);
    if (restart?.when === 'before') await restartNow();
    const simulated = simulatedOutcome(fired, request);
    if (simulated !== undefined) {
      await answered();
      return simulated;
    }
    if (find('late-payment') !== undefined) await ports.sendExpiry();
    const result = await sendCopies(request, find('duplicate'), ports, answered);
    if (find('stale-expired') !== undefined && result.error === null) await ports.sendStale();
    if (find('unknown-type') !== undefined) await ports.sendUnknown();
    if (find('lose-answer') !== undefined && result.error !== 'CONNECTION_REFUSED')
      return failedAttempt('CONNECTION_RESET', 'fault lose-answer', result.latencyMs);
    const slow = find('slow');
    return slow === undefined
      ? result
      : slowedDown(result, slow.delayMs ?? DEFAULT_DELAY_MS, request, signal);
  } catch (error) {
    if (error instanceof RestartError) return failedAttempt('SANDBOX_FAILED', error.message);
    throw error;
  }
}

class RestartError extends Error {}

/** Sends the attempt and its copies, one after the other or all at once; resolves with the outcome of the attempt. */
async function sendCopies(
  request: AttemptRequest,
  duplicate: Fired | undefined,
  { send }: FaultPorts,
  answered: () => Promise<void>,
): Promise<AttemptResult> {
  const copies = duplicate === undefined ? 0 : (duplicate.copies ?? 1);
  const first = async () => {
    const result = await send(request);
    await answered();
    return result;
  };
  if (duplicate?.parallel) {
    const [result] = await Promise.all([first(), ...Array.from({ length: copies }, () => send(request))]);
    return result;
  }
  const result = await first();
  for (let copy = 0; copy < copies; copy += 1) await send(request);
  return result;
}

/**
 * Resolves when another attempt has overtaken this one, when for a while none was on its way, or after a
 * longer while.
 */
async function letPass({ stepAside, signal }: FaultPorts): Promise<void> {
  const { overtaken, isAlone, comeBack } = stepAside();
  const passed = overtaken.then(() => true);
  try {
    for (let waited = 0; waited < OVERTAKING_MS; waited += ALONE_MS) {
      const isOvertaken = await Promise.race([passed, pause(ALONE_MS, signal)]);
      if (isOvertaken === true || isAlone()) break;
    }
  } finally {
    comeBack();
  }
}

/** The simulated outcome that replaces the receiver's. */
function simulatedOutcome(fired: readonly Fired[], request: AttemptRequest): AttemptResult | undefined {
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
