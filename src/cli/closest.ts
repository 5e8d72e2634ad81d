import { distance } from 'fastest-levenshtein';
import { usageError } from './errors.js';
import { oneLine } from './text.js';

const MOST_SUGGESTIONS = 3;
const LONGEST_SHOWN = 60;

/** The choice that a text is; anything else is a usage error that names the close ones and all of them. */
export function oneOfOrUsage<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  const close = closeOnes(text, choices);
  const suggestion = close.length === 0 ? '' : `Did you mean ${close.join(' or ')}? `;
  const shown = text === '' ? '""' : oneLine(text, LONGEST_SHOWN);
  throw usageError(`There is no ${what} ${shown}.`, `${suggestion}Known: ${choices.join(', ')}.`);
}

/** Choices of a list separated by commas, each once, in the order of the choices. */
export function someOfOrUsage<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const named = new Set(text.split(',').map((part) => oneOfOrUsage(what, part.trim(), choices)));
  return choices.filter((choice) => named.has(choice));
}

/** The nearest choices: those that hold the text, or else those with the fewest mistakes. Case does not count. */
export function closeOnes<Choice extends string>(
  text: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  const holding = choices.filter((choice) => choice.toLowerCase().includes(wanted));
  if (holding.length > 0) return holding.slice(0, MOST_SUGGESTIONS);
  const mistakes = choices.map((choice) => ({ choice, count: distance(wanted, choice.toLowerCase()) }));
  const fewest = Math.min(...mistakes.map(({ count }) => count));
  if (fewest > Math.max(2, wanted.length / 3)) return [];
  return mistakes.filter(({ count }) => count === fewest).map(({ choice }) => choice);
}
