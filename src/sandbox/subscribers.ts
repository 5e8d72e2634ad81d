import type { Effect } from '../core/effects.js';
import { reportBug } from './report-bug.js';

/** Hears what every command brought about, at which instant of sandbox time. */
export type Subscriber = (effects: readonly Effect[], at: number) => void;

/** Those who hear of every command. One that throws takes nothing from the others, nor from whoever gave the command. */
export class Subscribers {
  readonly #all = new Set<Subscriber>();

  /** Returns what ends the subscription. */
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
