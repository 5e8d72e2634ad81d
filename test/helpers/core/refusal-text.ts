import { Refusal } from '../../../src/contract/refusals.js';
import type { Command } from '../../../src/core/apply.js';
import { thrownBy } from '../thrown-by.js';
import type { TestWorld } from './world.js';

/** A refusal in one line: `CODE message (field: problem) → hint`. */
export function refusalText({ code, message, details, hint }: Refusal): string {
  const problems = details.map((problem) => ` (${problem.field}: ${problem.message})`).join('');
  return `${code} ${message}${problems}${hint === undefined ? '' : ` → ${hint}`}`;
}

/** The refusal that a function throws, in one line. */
export function refusalTextOf(act: () => unknown): string {
  return refusalText(thrownBy(act, Refusal));
}

/** Commands that a world refuses, each with the refusal. */
export function refusalsOf(life: TestWorld, commands: readonly Command[]): string {
  return commands
    .map((command) => `${JSON.stringify(command)}\n  ${refusalText(life.refuse(command))}\n`)
    .join('');
}
