import type { Plan } from '../bench.js';
import { ACCEPT } from './accept.js';
import { AMOUNT } from './amount.js';
import { ANSWERS } from './answers.js';
import { DUPLICATES } from './duplicates.js';
import { ORDER } from './order.js';
import { REFUSE } from './refuse.js';

/** How each check of the catalogue is tried. */
export const PLANS: Readonly<Record<string, Plan>> = {
  ...ACCEPT,
  ...REFUSE,
  ...AMOUNT,
  ...DUPLICATES,
  ...ORDER,
  ...ANSWERS,
};
