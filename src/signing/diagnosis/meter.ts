/** How much one diagnosis may cost: signatures made, and bytes hashed. */
export interface Budget {
  readonly macs: number;
  readonly bytes: number;
}

/** How far a diagnosis goes: mistakes one by one, or also two at a time. */
export type Effort = 'singles' | 'pairs';

/** Budgets that let every mistake be tried on a body of ordinary size, and end early on a large one. */
export const DEFAULT_BUDGETS: Readonly<Record<Effort, Budget>> = {
  singles: { macs: 4_000, bytes: 16 * 1024 * 1024 },
  pairs: { macs: 100_000, bytes: 128 * 1024 * 1024 },
};

/** Counts what a diagnosis spends. Work is counted and not timed, so that the same message always ends the same way. */
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
