import { performance } from 'node:perf_hooks';
import type { Answer, Restart } from '../check.js';
import { Bench, answerText } from './bench.js';
import { unsignedAnswer } from './refuse.js';

/** The longest that a restart is awaited. */
const MOST_MS = 30_000;
const GAP_MS = 50;

/** The application was not restarted, as far as could be seen. */
export class RestartError extends Error {}

/**
 * Restarts the application and waits until it answers: after its command has ended or, where that goes on because it is the application
 * itself, after a time without answers. Rejects with RestartError.
 */
export async function restarted({ kit }: Bench, restart: Restart): Promise<void> {
  // The requests are no part of the check.
  const bench = new Bench(kit);
  let isOver = false;
  const over = restart(kit.signal).then(() => {
    isOver = true;
  });
  // It may fail when all is over.
  over.catch(() => undefined);
  const until = performance.now() + MOST_MS;
  for (let isDown = false; ;) {
    const isOther = isOver || isDown;
    const answer = await unsignedAnswer(bench);
    if (!isUp(answer)) isDown = true;
    else if (isOther) return;
    if (performance.now() > until) {
      // A receiver may crash on what is unsigned.
      if (isOther && answer.status !== null) return;
      throw new RestartError(problemOf(isOther, answer));
    }
    const gap = bench.pause(GAP_MS);
    await (isOver ? gap : Promise.race([over, gap]));
  }
}

function isUp({ status }: Answer): boolean {
  return status !== null && status < 500;
}

function problemOf(isOther: boolean, answer: Answer): string {
  const seconds = MOST_MS / 1000;
  if (isOther) return `Nothing answered ${seconds} s after the restart: ${answerText(answer)}.`;
  return `The restart command did not end within ${seconds} s, and the application answered all the time.`;
}
