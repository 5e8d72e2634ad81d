import type { ControlClient } from '../../client/control.js';
import type { ResponseOf, RouteParameters, PathOf, ControlApi } from '../../client/routes.js';

/** A request's last response and the newest error. */
export interface LoadState<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
}

interface Shown {
  value: unknown;
  error: unknown;
  readonly load: (client: ControlClient) => Promise<unknown>;
  /** Changes only when the sandbox's state is replaced. */
  readonly isFixed: boolean;
  isStale: boolean;
  isUsed: boolean;
  /** Number of the newest request. Responses to older requests are ignored. */
  newest: number;
}

const FIXED: ReadonlySet<string> = new Set(['assumptions', 'env', 'scenarios']);

/** Entries arrive in bursts; each burst causes one refresh. */
const PAUSE_MS = 60;

/**
 * Caches control API responses. Loads each response when first shown, and reloads all responses after new
 * entries.
 */
export class Resources {
  readonly #client: ControlClient;
  readonly #onChange: () => void;
  readonly #shown = new Map<string, Shown>();
  #loading = 0;
  #isRefreshing = false;

  constructor(client: ControlClient, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  get isLoading(): boolean {
    return this.#loading > 0 || this.#isRefreshing;
  }

  /** Returns a route's response during rendering. */
  get<Path extends PathOf<'GET'>>(
    path: Path,
    ...input: RouteParameters<ControlApi, `GET ${Path}`>
  ): LoadState<ResponseOf<ControlApi, `GET ${Path}`>> {
    const key = `${path} ${JSON.stringify(input)}`;
    return this.read(key, (client) => client.get(path, ...input), FIXED.has(path));
  }

  read<Value>(
    key: string,
    load: (client: ControlClient) => Promise<Value>,
    isFixed = false,
  ): LoadState<Value> {
    let shown = this.#shown.get(key);
    if (shown === undefined) {
      const state = { isStale: true, isUsed: true, newest: 0 };
      shown = { value: undefined, error: undefined, load, isFixed, ...state };
      this.#shown.set(key, shown);
      void this.#load(shown).then(this.#onChange);
    }
    shown.isUsed = true;
    return shown as LoadState<Value>;
  }

  /** Drops responses not read since the last call. Called after each render. */
  removeUnused(): void {
    for (const [key, shown] of this.#shown) {
      if (!shown.isUsed) this.#shown.delete(key);
      shown.isUsed = false;
    }
  }

  /**
   * Reloads everything shown. `isWhole` includes responses that change only when the sandbox's state is
   * replaced.
   */
  refresh(isWhole = false): void {
    for (const shown of this.#shown.values()) shown.isStale ||= isWhole || !shown.isFixed;
    if (!this.#isRefreshing) void this.#refresh();
  }

  async #refresh(): Promise<void> {
    this.#isRefreshing = true;
    const stale = () => [...this.#shown.values()].filter(({ isStale }) => isStale);
    while (stale().length > 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, PAUSE_MS);
      });
      await Promise.all(stale().map((shown) => this.#load(shown)));
      this.#onChange();
    }
    this.#isRefreshing = false;
  }

  async #load(shown: Shown): Promise<void> {
    shown.isStale = false;
    shown.newest += 1;
    this.#loading += 1;
    const number = shown.newest;
    const set = (value: unknown, error: unknown) => {
      if (number === shown.newest) Object.assign(shown, { value, error });
    };
    await shown.load(this.#client).then(
      (value) => set(value, undefined),
      (error: unknown) => set(shown.value, error),
    );
    this.#loading -= 1;
  }
}
