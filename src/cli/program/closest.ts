import { closeOnes, isSuggestible, mistakesBetween, nearest } from '../../text/closest.js';
import { oneLine } from '../terminal/text.js';
import { usageError } from './errors.js';

/** More close commands would not be read. */
const MOST = 3;

/**
 * The commands that unknown words probably mean: every command with that word as its last one, otherwise
 * those that begin like it, otherwise close ones. Only a word typed in full suggests a command that destroys
 * something.
 */
export function meantCommands(text: string, names: readonly string[]): readonly string[] {
  const exact = names.filter((name) => name.endsWith(` ${text}`));
  if (exact.length > 0) return exact;
  const groups = names.filter((name) => !name.includes(' '));
  const ways = [
    () => groups.filter((name) => name.startsWith(text)).filter(isSuggestible),
    () => names.filter((name) => lastWord(name).startsWith(text)).filter(isSuggestible),
    () => nearest(text, names, (name) => mistakesIn(text, name)).filter(isSuggestible),
    () => closeOnes(text, names),
  ];
  for (const way of text === '' ? [] : ways) {
    const meant = way();
    if (meant.length > 0) return meant.slice(0, MOST);
  }
  return [];
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1);
}

/** In the whole name or in its last word, which may be typed alone. */
function mistakesIn(text: string, name: string): number {
  return Math.min(mistakesBetween(text, name), mistakesBetween(text, lastWord(name)));
}

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
