/** The cost limit of one diagnosis: signatures made, and bytes hashed. */
export interface Budget {
  readonly macs: number;
  readonly bytes: number;
}

/** The depth of a diagnosis: single mistakes, or also pairs. */
export type Effort = 'singles' | 'pairs';

/** Budgets that cover every mistake for a body of ordinary size, and end early for a large one. */
export const DEFAULT_BUDGETS: Readonly<Record<Effort, Budget>> = {
  singles: { macs: 4_000, bytes: 16 * 1024 * 1024 },
  pairs: { macs: 120_000, bytes: 128 * 1024 * 1024 },
};

/** Counts the work of a diagnosis instead of timing it, so that the same message always gives the same result. @internal */
export class Meter {
  #macs: number;
  #bytes: number;

  constructor(budget: Budget) {
    this.#macs = budget.macs;
    this.#bytes = budget.bytes;
  }

  get exhausted(): boolean {
    return this.#macs < 0 || this.#bytes < 0;
  }

  spendMac(bytes: number): void {
    this.#macs -= 1;
    this.#bytes -= bytes;
  }

  spendBytes(bytes: number): void {
    this.#bytes -= bytes;
  }
}
