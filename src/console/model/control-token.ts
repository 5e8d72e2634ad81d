import { decoded } from './routes.js';

const STORED = 'pix-sandbox-control-token';

/** What this tab stores; `sessionStorage` in a browser. */
interface TabStorage {
  readonly getItem: (name: string) => string | null;
  readonly setItem: (name: string, value: string) => void;
}

/**
 * The control token in the fragment of an address, which is never sent; undefined for one that no header
 * can hold.
 */
export function tokenIn({ hash }: { readonly hash: string }): string | undefined {
  const token = decoded(/^#token=(.+)$/.exec(hash)?.[1] ?? '');
  return /^[!-~]+$/.test(token) ? token : undefined;
}

/**
 * The control token of this tab, and the one that a link brought. Anyone can make a link, so its token is
 * used unasked only when the sandbox refuses the tab's, or asks for one and the tab has none.
 */
export class ControlToken {
  readonly #storage: TabStorage;
  #offered: string | undefined;

  constructor(storage: TabStorage) {
    this.#storage = storage;
  }

  get current(): string | undefined {
    return this.#storage.getItem(STORED) ?? undefined;
  }

  store(token: string): void {
    this.#storage.setItem(STORED, token);
  }

  offer(token: string | undefined): void {
    this.#offered = token === this.current ? undefined : token;
  }

  /** Uses the link's token from now on; false where there is none. */
  takeOffered(): boolean {
    const offered = this.withdrawOffer();
    if (offered !== undefined) this.store(offered);
    return offered !== undefined;
  }

  /** Forgets the link's token, and returns it. */
  withdrawOffer(): string | undefined {
    const offered = this.#offered;
    this.#offered = undefined;
    return offered;
  }
}
