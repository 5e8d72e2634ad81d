import { LIMITS } from '../contract/limits.js';
import { withoutUrlSecrets } from '../text/redaction.js';
import type { OpenCall } from './timeline/timeline.js';
import { shortenSessionIds } from '../core/identity/session.js';

/** A request of the integrator's code to a door, and the answer. */
export interface Call {
  readonly requestId: string;
  /** Sandbox time and real time, in milliseconds. */
  readonly at: number;
  readonly realAt: number;
  readonly door: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Whether the door has a route for its method and path. */
  readonly matched: boolean;
  readonly appId: string | null;
  /** The resource in the answer, if it was a single one. */
  readonly resourceId: string | null;
  /** The error code of the answer, and what to do about it. */
  readonly error: string | null;
  readonly hint: string | null;
  /** What was accepted but is probably a mistake. */
  readonly warnings: readonly string[];
  /** The faults that fired on it. */
  readonly faults: readonly { readonly id: string; readonly action: string }[];
}

/** Gets a call, and the one that the timeline opened for it. */
type CallListener = (call: Call, open: OpenCall | undefined) => void;

/** Parameters of the doors; their values are never secret, even long ones. */
const PARAMETERS = new Set(['limit', 'after', 'before', 'status', 'event_type']);

/** A request target without credentials. */
export function shownPath(path: string): string {
  const shortened = shortenSessionIds(path);
  return shortened.includes('?') ? withoutUrlSecrets(shortened, PARAMETERS) : shortened;
}

/** The newest calls, in a ring buffer: the next one replaces the oldest. */
export class CallLog {
  readonly #hide: (text: string) => string;
  readonly #ring: Call[] = [];
  readonly #listeners = new Set<CallListener>();
  #count = 0;

  /** `hide` removes known secrets from a text. */
  constructor(hide: (text: string) => string = (text) => text) {
    this.#hide = hide;
  }

  /** Keeps a call without known secrets; shortens a session id in its path, which is a credential, and possible ones in its query. */
  add(made: Call, open?: OpenCall): void {
    const call = {
      ...made,
      path: shownPath(this.#hide(made.path)),
      hint: made.hint === null ? null : this.#hide(made.hint),
      warnings: made.warnings.map(this.#hide),
    };
    this.#ring[this.#count % LIMITS.callsKept] = call;
    this.#count += 1;
    for (const listener of this.#listeners) listener(call, open);
  }

  /** The total number of calls. */
  get count(): number {
    return this.#count;
  }

  /** Newest first. */
  newest(): Call[] {
    const split = this.#count % LIMITS.callsKept;
    return [...this.#ring.slice(split), ...this.#ring.slice(0, split)].reverse();
  }

  /** Calls back for each new call; returns a function that stops it. */
  subscribe(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  clear(): void {
    this.#ring.length = 0;
    this.#count = 0;
  }
}
