import { assume, type Assumed, ASSUMPTION_IDS, describeAssumption } from './assumptions.js';
import { FIXED_ASSUMPTIONS } from './fixed-assumptions.js';

/** One line of the register, as people read it. */
export interface RegisterLine {
  readonly id: string;
  readonly section: string;
  readonly question: string;
  readonly value: string;
  readonly default: string;
  /** The choices; null if there are none. */
  readonly choices: string | null;
  readonly reason: string;
}

/** Everything that the contract leaves open, with our assumption; the ones with a choice come first. */
export function assumptionRegister(assumed: Assumed): RegisterLine[] {
  const defaults = assume();
  const switched = ASSUMPTION_IDS.map((id): RegisterLine => {
    const { value } = describeAssumption(id, defaults);
    return Object.assign(describeAssumption(id, assumed), { default: value });
  });
  const fixed = Object.entries(FIXED_ASSUMPTIONS).map(([id, { section, question, value, reason }]) => {
    return { id, section, question, value, default: value, choices: null, reason };
  });
  return [...switched, ...fixed];
}
