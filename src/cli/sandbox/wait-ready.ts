import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT, START_ONE } from '../program/errors.js';
import type { Io } from '../program/io.js';
import type { Seeker } from './find-sandbox.js';
import type { Duration } from '../program/options.js';
import { readiness } from './readiness.js';
import { untilAborted } from '../../delivery/abort.js';
import { withSandbox } from './find-sandbox.js';

const POLL_MS = 100;
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Polls until a sandbox answers; it may be started meanwhile. On a timeout in real time, throws a CliError that says what was
 * still missing.
 */
export async function waitUntilReady(invocation: Seeker & { readonly io: Io }, timeout: Duration) {
  const { stopping } = invocation.io;
  const timeUp = AbortSignal.timeout(Math.min(timeout.ms, LONGEST_TIMER_MS));
  const giveUp = AbortSignal.any([stopping, timeUp]);
  let missing = 'nothing answered.';
  try {
    for (;;) {
      const found = await look(invocation, giveUp);
      if (typeof found !== 'string') return found;
      missing = found;
      await sleep(POLL_MS, undefined, { signal: giveUp });
    }
  } catch (error) {
    if (!timeUp.aborted || stopping.aborted) throw error;
    throw new CliError(
      EXIT.timedOut,
      'TIMED_OUT',
      `No sandbox was ready within ${timeout.text}: ${missing}`,
      { hint: START_ONE },
    );
  }
}

/** The sandbox, or the reason why it was not found. */
async function look(invocation: Seeker, giveUp: AbortSignal) {
  try {
    return await withSandbox(invocation, async (client) => {
      const answer = await untilAborted(readiness(client), giveUp);
      return typeof answer === 'string' ? answer : { url: client.url, answer };
    });
  } catch (error) {
    if (error instanceof CliError && error.code === 'NOT_RUNNING') return error.message;
    throw error;
  }
}
