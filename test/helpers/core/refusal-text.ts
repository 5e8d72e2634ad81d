import { Refusal } from '../../../src/contract/refusals.js';
import { thrownBy } from '../thrown-by.js';

/** A refusal in one line: `CODE message (field: problem) → hint`. */
export function refusalText({ code, message, details, hint }: Refusal): string {
  const problems = details.map((problem) => ` (${problem.field}: ${problem.message})`).join('');
  return `${code} ${message}${problems}${hint === undefined ? '' : ` → ${hint}`}`;
}

/** The refusal that a function throws, in one line. */
export function refusalTextOf(act: () => unknown): string {
  return refusalText(thrownBy(act, Refusal));
}
