/** A mistake: what the shop does, what it should do instead, and how it gets there. */
export interface Plant {
  readonly id: string;
  readonly what: string;
  readonly mend: string;
  readonly plant: (parts: never) => object;
}

export const PLANTS: readonly Plant[];
export const PLANT_FOR_TWO: Plant;
