import { LIMITS } from '../contract/limits.js';
import type { FieldProblem } from '../contract/refusals.js';
import { withoutUrlSecrets } from '../text/redaction.js';
import type { Exchange, KeptExchange } from './call-exchange.js';
import { keptExchange, sizeOf, withoutBodies } from './call-exchange.js';
import type { OpenCall } from './timeline/cause.js';
import { shortenSessionIds, shortenSessionIdsOf } from '../core/identity/session.js';

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
  /** The code of a payment in the answer. */
  readonly resourceCode?: string | undefined;
  /** The error code of the answer, and what to do about it. */
  readonly error: string | null;
  readonly hint: string | null;
  /** What a refusal said. */
  readonly message?: string | undefined;
  readonly details?: readonly FieldProblem[] | undefined;
  /** What was accepted but is probably a mistake. */
  readonly warnings: readonly string[];
  /** The faults that fired on it. */
  readonly faults: readonly { readonly id: string; readonly action: string }[];
  /** The request and its answer, at the doors that keep them. */
  readonly exchange?: KeptExchange | undefined;
}

/** A call as a door saw it. */
export type MadeCall = Omit<Call, 'exchange'> & { readonly exchange?: Exchange | undefined };

/** Gets a call, and the one that the timeline opened for it. */
type CallListener = (call: Call, open: OpenCall | undefined) => void;

/** Parameters of the doors; their values are never secret, even long ones. */
const PARAMETERS = new Set(['limit', 'after', 'before', 'status', 'event_type']);

/** A request target without credentials. */
export function shownPath(path: string): string {
  const shortened = shortenSessionIds(path);
  return shortened.includes('?') ? withoutUrlSecrets(shortened, PARAMETERS) : shortened;
}

/** The newest calls, in a ring buffer: the next one replaces the oldest. Bodies go earlier, if they are over their limit together. */
export class CallLog {
  readonly #hide: (text: string) => string;
  readonly #ring: Call[] = [];
  readonly #listeners = new Set<CallListener>();
  #count = 0;
  /** The bytes of all bodies, and the number of the oldest call that may have one. */
  #bodiesBytes = 0;
  #firstBody = 0;

  /** `hide` removes known secrets from a text. */
  constructor(hide: (text: string) => string = (text) => text) {
    this.#hide = hide;
  }

  /**
   * Keeps a call without known secrets; shortens session ids, which are credentials, and possible ones in its query. The path of a
   * call that was opened is so already.
   */
  add(made: MadeCall, open?: OpenCall): void {
    const { exchange, details } = made;
    const shown = (text: string) => shortenSessionIdsOf(this.#hide(text));
    const call: Call = {
      ...made,
      message: made.message && shown(made.message),
      details: details?.map(({ field, message }) => ({
        field: shown(field),
        message: shown(message),
      })),
      exchange: exchange && keptExchange(exchange, this.#hide),
      path: open === undefined ? shownPath(this.#hide(made.path)) : made.path,
      resourceCode: made.resourceCode && this.#hide(made.resourceCode),
      hint: made.hint === null ? null : this.#hide(made.hint),
      warnings: made.warnings.map(this.#hide),
    };
    this.#keep(call);
    for (const listener of this.#listeners) listener(call, open);
  }

  /** The total number of calls. */
  get count(): number {
    return this.#count;
  }

  /** A call that is kept, by the id of its request. */
  get(requestId: string): Call | undefined {
    return this.newest().find((call) => call.requestId === requestId);
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
    this.#bodiesBytes = 0;
    this.#firstBody = 0;
  }

  #keep(call: Call): void {
    const place = this.#count % LIMITS.callsKept;
    const dropped = this.#ring[place];
    if (dropped !== undefined) this.#forget(dropped);
    this.#ring[place] = call;
    this.#count += 1;
    this.#bodiesBytes += sizeOfBodies(call);
    while (this.#bodiesBytes > LIMITS.callBodiesBytes) this.#dropBodies();
  }

  /** Forgets the call that makes room, with its bodies if it still has them. */
  #forget(oldest: Call): void {
    if (this.#count - this.#firstBody < LIMITS.callsKept) return;
    this.#bodiesBytes -= sizeOfBodies(oldest);
    this.#firstBody += 1;
  }

  /** Drops the bodies of the oldest call that may have some. */
  #dropBodies(): void {
    const place = this.#firstBody % LIMITS.callsKept;
    const call = this.#ring[place];
    this.#firstBody += 1;
    if (call?.exchange === undefined) return;
    this.#bodiesBytes -= sizeOfBodies(call);
    this.#ring[place] = { ...call, exchange: withoutBodies(call.exchange) };
  }
}

function sizeOfBodies({ exchange }: Call): number {
  return exchange === undefined ? 0 : sizeOf(exchange);
}
