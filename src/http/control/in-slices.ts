import { performance } from 'node:perf_hooks';
import { ownTurn } from './own-turn.js';

/** How long a turn of the event loop may work before others get theirs; real time. */
const SLICE_MS = 10;

/** Calls `step` until it returns true, which ends the work, or until the slice is over. Returns whether the work has ended. */
function slice(step: () => boolean): boolean {
  const endsAt = performance.now() + SLICE_MS;
  do {
    if (step()) return true;
  } while (performance.now() < endsAt);
  return false;
}

/** A body that is written while its client reads, in short turns of the event loop; the first pieces are taken at once. */
export function slicedBody(pieces: Generator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  /** Returns whether there was something to write, or nothing more. */
  const write = (controller: ReadableStreamDefaultController<Uint8Array>): boolean => {
    let text = '';
    const isWhole = slice(() => {
      const next = pieces.next();
      if (next.done) return true;
      text += next.value;
      return false;
    });
    if (text !== '') controller.enqueue(encoder.encode(text));
    if (isWhole) controller.close();
    return isWhole || text !== '';
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
