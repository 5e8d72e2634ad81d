import type { Effect } from '../core/effects.js';
import { isError } from '../text/errors.js';

/** Reports an unexpected error, with its trace, on our own output only. */
export function reportBug(error: unknown): void {
  process.emitWarning(isError(error) ? (error.stack ?? error.message) : String(error), 'SandboxBug');
}

/** Called with the effects of every command and its instant of sandbox time. */
export type Subscriber = (effects: readonly Effect[], at: number) => void;

/** Adds a hook; returns a function that takes it out again. */
export function added<Hook>(hooks: Set<Hook>, hook: Hook): () => void {
  hooks.add(hook);
  return () => hooks.delete(hook);
}

/** Those who are told of something. An error in one affects neither the others nor the caller. */
export class Subscribers<Told extends readonly unknown[]> {
  readonly #all = new Set<(...told: Told) => void>();

  /** Returns a function that ends the subscription. */
  add(subscriber: (...told: Told) => void): () => void {
    return added(this.#all, subscriber);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  tell(...told: Told): void {
    for (const subscriber of this.#all) {
      try {
        subscriber(...told);
      } catch (error) {
        reportBug(error);
      }
    }
  }
}
