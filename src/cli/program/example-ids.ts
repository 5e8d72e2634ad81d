/** Ids for examples: those of the first endpoint, delivery and so on of a sandbox started with `--seed 7`. */
export const EXAMPLE_IDS = {
  endpoint: '4166cf64-0681-47ef-b2c8-3bab673a92c7',
  delivery: 'cab6ca71-fef6-405a-9743-4348dfe07b5d',
  event: 'evt_7f44f1d7f0f405a40954c63ba0e1b749',
  fault: '0f0204f4-efe2-40f9-a18c-baaa75a96c43',
  session: 'kyc_ea92f36b',
} as const;
