import type { Effect } from '../core/effects.js';
import { reportBug } from './report-bug.js';

/** Called with the effects of every command and its instant of sandbox time. */
export type Subscriber = (effects: readonly Effect[], at: number) => void;

/** The subscribers to all commands. An error in one affects neither the others nor the caller of the command. */
export class Subscribers {
  readonly #all = new Set<Subscriber>();

  /** Returns a function that ends the subscription. */
  add(subscriber: Subscriber): () => void {
    this.#all.add(subscriber);
    return () => this.#all.delete(subscriber);
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
