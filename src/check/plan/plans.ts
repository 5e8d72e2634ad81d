import { ACCEPT } from './accept.js';
import { ANSWERS } from './answers.js';
import { AMOUNT } from './amount.js';
import { DUPLICATES } from './duplicates.js';
import { ORDER } from './order.js';
import { REFUSE } from './refuse.js';
import type { Plan } from './variants.js';

/** How each check of the catalogue is tried. */
export const PLANS: Readonly<Record<string, Plan>> = {
  ...ACCEPT,
  ...REFUSE,
  ...AMOUNT,
  ...DUPLICATES,
  ...ORDER,
  ...ANSWERS,
};
