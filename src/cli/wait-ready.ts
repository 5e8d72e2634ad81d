import { setTimeout as sleep } from 'node:timers/promises';
import { ControlError, NotReachableError } from '../client/control-client.js';
import { CliError, EXIT } from './errors.js';
import type { Invocation } from './io.js';
import { withSandbox } from './with-sandbox.js';

/** What `readyz` answers. */
export interface Ready {
  readonly ready: boolean;
  readonly version: string;
  readonly instance_id: string;
}

export interface ReadyAt extends Ready {
  readonly url: string;
}

const POLL_MS = 100;
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Asks again and again until a sandbox answers; it may be started meanwhile. Throws a CliError that says what was still
 * missing when the real time is up.
 */
export async function waitUntilReady(
  invocation: Invocation,
  timeout: { ms: number; text: string },
): Promise<ReadyAt> {
  const { stopping } = invocation.io;
  const timeUp = AbortSignal.timeout(Math.min(timeout.ms, LONGEST_TIMER_MS));
  const giveUp = AbortSignal.any([stopping, timeUp]);
  let missing = 'it was not asked';
  while (!giveUp.aborted) {
    const asked = await askOnce(invocation, giveUp);
    if (typeof asked !== 'string') return asked;
    missing = asked;
    await sleep(POLL_MS, undefined, { signal: giveUp }).catch(() => undefined);
  }
  stopping.throwIfAborted();
  throw new CliError(EXIT.timedOut, 'TIMED_OUT', `No sandbox was ready within ${timeout.text}: ${missing}`, {
    hint: 'Start one with `npx pix-sandbox start`.',
  });
}

/** The answer, or what kept it from coming. */
async function askOnce(invocation: Invocation, giveUp: AbortSignal): Promise<ReadyAt | string> {
  try {
    return await withSandbox(invocation, async (client) => {
      const hangUp = () => client.close();
      giveUp.addEventListener('abort', hangUp, { once: true });
      try {
        return { ...(await client.get<Ready>('readyz')), url: client.url };
      } finally {
        giveUp.removeEventListener('abort', hangUp);
      }
    });
  } catch (error) {
    const isPassing =
      error instanceof NotReachableError ||
      (error instanceof CliError && error.code === 'NOT_RUNNING') ||
      (error instanceof ControlError && error.body.code === 'NOT_A_SANDBOX');
    if (isPassing) return error.message;
    throw error;
  }
}
