import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../../../client/control.js';
import type { AdvancedView, ClockView, NextView } from '../../../http/control/schema.js';
import { EXIT, notRunning, passedOn } from '../../program/errors.js';

export type StepTaken = NonNullable<NextView['did']>;

const POLL_MS = 100;

/**
 * Advances the clock and reports each step. When the signal aborts, the sandbox stops between two steps, and the result has the
 * time it reached.
 */
export async function advanceClock(
  client: ControlClient,
  by: string,
  { stopping, onStep }: { stopping: AbortSignal; onStep: (step: StepTaken, ordinal: number) => void },
): Promise<AdvancedView> {
  const { now: from } = await client.get('clock');
  let steps = 0;
  try {
    for await (const line of client.stream('POST clock/advance', { body: { by }, signal: stopping })) {
      if (line.type === 'error') {
        throw passedOn(line.error.code === 'INVALID_REQUEST' ? EXIT.usage : EXIT.no, line.error);
      }
      if (line.type === 'done') return withoutType(line);
      steps += 1;
      onStep(line, steps);
    }
  } catch (error) {
    if (!stopping.aborted) throw error;
  }
  if (!stopping.aborted) throw notRunning(`The sandbox at ${client.url} stopped on the way.`);
  const clock = await standingClock(client);
  return { from, to: clock.now, steps, finished: false, clock };
}

function withoutType({ from, to, steps, finished, clock }: AdvancedView): AdvancedView {
  return { from, to, steps, finished, clock };
}

/** The clock after the current step has ended; attempts have a time limit, so this always resolves. */
async function standingClock(client: ControlClient): Promise<ClockView> {
  for (;;) {
    const clock = await client.get('clock');
    if (!clock.advancing) return clock;
    await sleep(POLL_MS);
  }
}
