import type { ControlClient } from '../../client/control.js';
import type { EntryView } from '../../http/control/schema.js';

/** What is known of something that was asked for: the last answer, and why the last try failed. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
}

interface Kept {
  value: unknown;
  error: unknown;
  readonly load: (client: ControlClient) => Promise<unknown>;
  readonly touches: (entry: EntryView) => boolean;
  isLoading: boolean;
  isStale: boolean;
  isUsed: boolean;
}

/** The pause between two requests for the same, however fast entries come. */
const PAUSE_MS = 100;

/**
 * Answers of the control API that the screen shows: fetched when first shown, and again when the timeline
 * says that they changed.
 */
export class Resources {
  readonly #client: ControlClient;
  readonly #onChange: () => void;
  #loading = 0;
  readonly #kept = new Map<string, Kept>();

  constructor(client: ControlClient, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  /** Whether an answer is on its way. */
  get isLoading(): boolean {
    return this.#loading > 0;
  }

  /** Called while the screen is drawn. `touches` says which entries change the answer. */
  read<Value>(
    key: string,
    load: (client: ControlClient) => Promise<Value>,
    touches: (entry: EntryView) => boolean,
  ): Loaded<Value> {
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = {
        value: undefined,
        error: undefined,
        load,
        touches,
        isLoading: false,
        isStale: true,
        isUsed: true,
      };
      this.#kept.set(key, kept);
      void this.#load(kept);
    }
    kept.isUsed = true;
    return kept as Loaded<Value>;
  }

  /** Forgets what was not read since the last call; called after the screen was drawn. */
  sweep(): void {
    for (const [key, kept] of this.#kept) {
      if (kept.isUsed) kept.isUsed = false;
      else this.#kept.delete(key);
    }
  }

  touch(entries: readonly EntryView[]): void {
    for (const kept of this.#kept.values()) {
      if (entries.some(kept.touches)) this.#stale(kept);
    }
  }

  /** One answer is fetched again, if it is shown. */
  again(key: string): void {
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#stale(kept);
  }

  /** Everything is fetched again, because the world was replaced or entries were missed. */
  refresh(): void {
    for (const kept of this.#kept.values()) this.#stale(kept);
  }

  #stale(kept: Kept): void {
    kept.isStale = true;
    if (!kept.isLoading) void this.#load(kept);
  }

  /** One request at a time for each, and one more when it became stale meanwhile. */
  async #load(kept: Kept): Promise<void> {
    kept.isLoading = true;
    this.#loading += 1;
    while (kept.isStale) {
      kept.isStale = false;
      try {
        kept.value = await kept.load(this.#client);
        kept.error = undefined;
      } catch (error) {
        kept.error = error;
      }
      if (kept.isStale) {
        this.#onChange();
        await new Promise((resolve) => {
          setTimeout(resolve, PAUSE_MS);
        });
      }
    }
    kept.isLoading = false;
    this.#loading -= 1;
    this.#onChange();
  }
}
