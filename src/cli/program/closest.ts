import { closeOnes } from '../../text/closest.js';
import { usageError } from './errors.js';
import { oneLine } from '../terminal/text.js';

const LONGEST_SHOWN = 60;

/** The choice equal to a text; otherwise a usage error with suggestions, by default close choices, and all choices. */
export function oneOfOrUsage<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
  suggest: (text: string, choices: readonly Choice[]) => readonly string[] = closeOnes,
): Choice {
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  const close = suggest(text, choices);
  const suggestion = close.length === 0 ? '' : `Did you mean ${close.join(' or ')}? `;
  const shown = text === '' ? '""' : oneLine(text, LONGEST_SHOWN);
  throw usageError(`There is no ${what} ${shown}.`, `${suggestion}Known: ${choices.join(', ')}.`);
}

/** Parses choices separated by commas; returns each once, in the order of `choices`. */
export function someOfOrUsage<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const named = new Set(text.split(',').map((part) => oneOfOrUsage(what, part.trim(), choices)));
  return choices.filter((choice) => named.has(choice));
}
