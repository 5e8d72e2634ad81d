import { matchesGlob } from '../../text/globs.js';
import { didYouMean } from '../../text/closest.js';
import type { CheckEntry } from '../check.js';
import { ACCEPT } from './accept.js';
import { ANSWERS } from './answers.js';
import { EFFECTS } from './effects.js';
import { REFUSE } from './refuse.js';

/** Every check, in the order of the report. */
export const CATALOGUE: readonly CheckEntry[] = [...ACCEPT, ...REFUSE, ...EFFECTS, ...ANSWERS];

/** What cannot be seen from outside. */
export const REVIEW_BY_HAND = 'that signatures are compared in constant time';

/** The checks of ids, groups such as `refuse`, and patterns such as `dup.*`. Throws TypeError for what fits none. */
export function checksNamed(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap(idsOf));
}

function idsOf(name: string): string[] {
  const ids = CATALOGUE.map(({ id }) => id);
  const found = ids.filter((id) => matchesGlob(name, id) || id.startsWith(`${name}.`));
  if (found.length > 0) return found;
  throw new TypeError(`There is no check ${name}.${didYouMean(name, ids)} \`check --list\` lists them all.`);
}
