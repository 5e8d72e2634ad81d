import {
  type ExtraMessage,
  type DeliveryFaultAction,
  listFiredKinds,
  type FaultMechanic,
} from '../contract/fault-kinds.js';
import type { FiredFault } from '../core/world.js';
import { sleep } from './abort.js';
import { createCompletedAttempt, createFailedAttempt } from './attempt-failure.js';
import type { AttemptRequest, AttemptResult } from './http-attempt.js';
import { getErrorMessage } from '../text/errors.js';

type Fired = FiredFault<DeliveryFaultAction>;

/** An attempt that other attempts can overtake. */
export interface OvertakenAttempt {
  readonly overtaken: Promise<void>;
  /** Returns true if no other attempt to the endpoint is in flight or could start now. */
  readonly isEndpointIdle: () => boolean;
  readonly stopOvertaking: () => void;
}

/** Dependencies for applying faults. */
export interface FaultPorts {
  readonly send: (request: AttemptRequest) => Promise<AttemptResult>;
  /** Sends the event's extra message of this type, if any. */
  readonly sendExtraMessage: (message: ExtraMessage) => Promise<void>;
  /** Lets other attempts to the same endpoint overtake this attempt. */
  readonly allowOvertaking: () => OvertakenAttempt;
  readonly restart: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Maximum real time to wait for an overtaking attempt: in total, and while no other attempt is in flight. */
const OVERTAKING_MS = 2_000;
const ALONE_MS = 100;

/**
 * Sends an attempt and applies its fired faults. Copies and extra messages do not affect the outcome. Rejects
 * when the signal aborts or a port throws.
 */
export async function attemptWithFaults(
  request: AttemptRequest,
  fired: readonly Fired[],
  ports: FaultPorts,
): Promise<AttemptResult> {
  const find = (mechanic: FaultMechanic) => listFiredKinds('delivery', fired, mechanic)[0];
  const sendExtraMessages = async (mechanic: FaultMechanic) => {
    const messages = listFiredKinds('delivery', fired, mechanic).flatMap(({ message = [] }) => message);
    for (const message of new Set(messages)) await ports.sendExtraMessage(message);
  };
  const { signal } = ports;
  const restart = find('restart');
  const restartNow = async () => {
    await ports.restart().catch((error: unknown) => {
      signal.throwIfAborted();
      throw new RestartError(
        `The restart fault could not restart the application: ${getErrorMessage(error)}`,
      );
    });
  };
  const answered = async () => {
    if (restart !== undefined && restart.when !== 'before') await restartNow();
  };
  try {
    const delay = find('wait');
    if (delay !== undefined) await sleep(delay.delayMs, signal);
    if (find('step-aside') !== undefined) await waitToBeOvertaken(ports);
    if (restart?.when === 'before') await restartNow();
    const simulated = simulatedOutcome(fired, request);
    if (simulated !== undefined) {
      await answered();
      return simulated;
    }
    if (find('send-before') !== undefined) await sendExtraMessages('send-before');
    const result = await sendCopies(request, find('repeat'), ports, answered);
    if (result.error === null) await sendExtraMessages('send-if-accepted');
    await sendExtraMessages('send-after');
    if (find('lose-response') !== undefined && result.error !== 'CONNECTION_REFUSED')
      return createFailedAttempt('CONNECTION_RESET', 'fault lose-answer', result.latencyMs);
    const slow = find('slow-down');
    return slow === undefined ? result : slowedDown(result, slow.delayMs, request, signal);
  } catch (error) {
    if (error instanceof RestartError) return createFailedAttempt('SANDBOX_FAILED', error.message);
    throw error;
  }
}

class RestartError extends Error {}

/** Sends the attempt and its copies, sequentially or concurrently. Resolves to the attempt's outcome. */
async function sendCopies(
  request: AttemptRequest,
  duplicate: { readonly copies: number; readonly parallel: boolean } | undefined,
  { send }: FaultPorts,
  answered: () => Promise<void>,
): Promise<AttemptResult> {
  const copies = duplicate?.copies ?? 0;
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
 * Waits until another attempt overtakes this attempt: at most `OVERTAKING_MS`, or `ALONE_MS` while the
 * endpoint is idle.
 */
async function waitToBeOvertaken({ allowOvertaking, signal }: FaultPorts): Promise<void> {
  const { overtaken, isEndpointIdle, stopOvertaking } = allowOvertaking();
  const passed = overtaken.then(() => true);
  try {
    for (let waited = 0; waited < OVERTAKING_MS; waited += ALONE_MS) {
      const isOvertaken = await Promise.race([passed, sleep(ALONE_MS, signal)]);
      if (isOvertaken === true || isEndpointIdle()) break;
    }
  } finally {
    stopOvertaking();
  }
}

/** Returns the outcome simulated by a fault, or undefined if the attempt must be sent. */
function simulatedOutcome(fired: readonly Fired[], request: AttemptRequest): AttemptResult | undefined {
  for (const { action, mechanic, status, error } of listFiredKinds('delivery', fired, 'respond', 'fail')) {
    const detail = `fault ${action}`;
    if (mechanic === 'respond') return createCompletedAttempt(status, detail);
    if (error === 'TIMEOUT') return createFailedAttempt(error, detail, request.timeoutMs);
    return createFailedAttempt('CONNECTION_RESET', detail);
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
  await sleep(Math.min(delayMs, Math.max(timeoutMs - result.latencyMs, 0)), signal);
  return latencyMs < timeoutMs
    ? { ...result, latencyMs }
    : createFailedAttempt('TIMEOUT', 'fault slow', timeoutMs);
}
