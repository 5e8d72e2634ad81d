import { setImmediate } from 'node:timers';

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller gets, in the order of the calls: whole lists that are asked for together
 * are then written one at a time, and other requests are answered between them.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
