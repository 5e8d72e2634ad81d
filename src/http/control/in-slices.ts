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

/** A body that is written while its client reads, in short turns of the event loop; the first pieces are taken at once. */
export function slicedBody(pieces: Generator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  /** Returns whether there was something to write, or nothing more. */
  const write = (controller: ReadableStreamDefaultController<Uint8Array>): boolean => {
    let text = '';
    const end = slice(pieces, (piece) => (text += piece));
    if (text !== '') controller.enqueue(encoder.encode(text));
    if (end !== undefined) controller.close();
    return end !== undefined || text !== '';
  };
  return new ReadableStream({
    start: (controller) => void write(controller),
    // A pull that writes nothing is not followed by another.
    pull: async (controller) => {
      do await ownTurn();
      while (!write(controller));
    },
    cancel: () => void pieces.return(),
  });
}
