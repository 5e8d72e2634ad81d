/** A mistake, and how it gets into a shop. */
export interface Plant {
  readonly id: string;
  readonly what: string;
  readonly plant: (parts: never) => object;
}

export const PLANTS: readonly Plant[];
export const PLANT_FOR_TWO: Plant;
