import type { Effect } from '../core/effects.js';
import { reportBug } from './report-bug.js';

/** Called with the effects of every command and its instant of sandbox time. */
export type Subscriber = (effects: readonly Effect[], at: number) => void;

/** Adds a hook; returns a function that takes it out again. */
export function added<Hook>(hooks: Set<Hook>, hook: Hook): () => void {
  hooks.add(hook);
  return () => hooks.delete(hook);
}

/** The subscribers to all commands. An error in one affects neither the others nor the caller of the command. */
export class Subscribers {
  readonly #all = new Set<Subscriber>();

  /** Returns a function that ends the subscription. */
  add(subscriber: Subscriber): () => void {
    return added(this.#all, subscriber);
  }

  tell(effects: readonly Effect[], at: number): void {
    for (const subscriber of this.#all) {
      try {
        subscriber(effects, at);
      } catch (error) {
        reportBug(error);
      }
    }
  }
}
