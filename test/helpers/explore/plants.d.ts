/** A mistake: what the shop does, what it should do instead, and how it gets there. */
export interface Plant {
  readonly id: string;
  readonly what: string;
  readonly fix: string;
  /** The names of the tests by which it can be found. */
  readonly tests: readonly string[];
  /** How many faults bring it to light. */
  readonly size: 1 | 2;
  /** The whole suite finds it without faults. */
  readonly isCovered?: true;
  readonly plant: (parts: never) => object;
}

export const PLANTS: readonly Plant[];
