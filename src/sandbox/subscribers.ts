import type { Effect } from '../core/effects.js';
import { BUG_HINT } from '../text/bug-report.js';
import { isError } from '../text/errors.js';

/** Records endpoint URLs by id from now on, so that the URL of a deleted endpoint remains known. */
export function trackEndpointUrls(sandbox: {
  readonly subscribe: (subscriber: Subscriber) => void;
}): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  sandbox.subscribe((effects) => {
    for (const effect of effects) {
      if (effect.type === 'endpoint') urls.set(effect.endpoint.id, effect.endpoint.url);
    }
  });
  return urls;
}

/** A map that drops its oldest entry when full. */
export class RecentMap<Value> {
  readonly #max: number;
  readonly #entries = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      break;
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

/** Emits an unexpected error, with its stack trace and where to report it, as a process warning. */
export function reportBug(error: unknown): void {
  const stack = isError(error) ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`${stack}\n${BUG_HINT}`, 'SandboxBug');
}

/** Called with the effects and the sandbox time of every command. */
export type Subscriber = (effects: readonly Effect[], at: number) => void;

/** Adds a hook. Returns a function that removes the hook. */
export function addHook<Hook>(hooks: Set<Hook>, hook: Hook): () => void {
  hooks.add(hook);
  return () => hooks.delete(hook);
}

/** A set of subscribers. An error in one subscriber affects neither other subscribers nor the caller. */
export class Subscribers<Update extends readonly unknown[]> {
  readonly #all = new Set<(...update: Update) => void>();

  /** Adds a subscriber. Returns a function that unsubscribes. */
  add(subscriber: (...update: Update) => void): () => void {
    return addHook(this.#all, subscriber);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  notify(...update: Update): void {
    for (const subscriber of this.#all) {
      try {
        subscriber(...update);
      } catch (error) {
        reportBug(error);
      }
    }
  }
}
