import { ownTurn } from './own-turn.js';
import { performance } from 'node:perf_hooks';

/** How long a turn of the event loop may work before others get theirs; real time. */
const SLICE_MS = 10;

/** Takes steps until the slice is over; returns their end when it was among them. */
function slice<Step, Result>(
  steps: Generator<Step, Result>,
  take: (step: Step) => void,
): IteratorReturnResult<Result> | undefined {
  const endsAt = performance.now() + SLICE_MS;
  do {
    const next = steps.next();
    if (next.done) return next;
    take(next.value);
  } while (performance.now() < endsAt);
  return undefined;
}

/**
 * Takes the steps of some work in short turns of the event loop, the first ones at once, and resolves to its result. `during` runs
 * each turn, such as a request's `because`.
 */
export async function inSlices<Result>(
  steps: Generator<unknown, Result>,
  during: <Value>(turn: () => Value) => Value = (turn) => turn(),
): Promise<Result> {
  for (;;) {
    const end = during(() => slice(steps, () => undefined));
    if (end !== undefined) return end.value;
    await ownTurn();
  }
}

/** Takes all steps of some work at once, and returns its result. */
export function finished<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
