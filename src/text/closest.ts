import { distance } from 'fastest-levenshtein';

const MOST_SUGGESTIONS = 3;
/** Destructive words, never suggested for a typo. */
const DESTRUCTIVE = new Set([
  'clear',
  'delete',
  'disable',
  'drop',
  'force',
  'fresh',
  'import',
  'remove',
  'reset',
  'restore',
  'stop',
]);
/** Maximum text length for typo suggestions. */
const LONGEST_COMPARED = 200;

/** Returns true if a command, option, value or path contains no destructive word. */
export function isSuggestible(name: string): boolean {
  return name.split(/[^a-z]+/i).every((word) => !DESTRUCTIVE.has(word.toLowerCase()));
}

/** Finds the closest non-destructive choices, first by substring, then by edit distance. Ignores case. */
export function closestMatches<Choice extends string>(
  text: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  const holding = choices.filter((choice) => choice.toLowerCase().includes(wanted));
  const close = holding.length > 0 ? holding : findNearest(text, choices);
  return close.filter(isSuggestible).slice(0, MOST_SUGGESTIONS);
}

/** Returns ` Did you mean …?` with the closest known word, or an empty string if none is close enough. */
export function suggest(word: string, known: readonly string[]): string {
  const meant = findNearest(word, known).find(isSuggestible);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}

/** Computes the edit distance between two texts. Ignores case and counts a transposition as one edit. */
export function editDistance(one: string, other: string): number {
  const [left, right] = [one.toLowerCase(), other.toLowerCase()];
  const count = distance(left, right);
  return count === 2 && letters(left) === letters(right) ? 1 : count;
}

function letters(text: string): string {
  return Array.from(text).sort().join('');
}

/** Returns the choices with the smallest edit distance, or none if the distance exceeds `max`. */
export function findNearest<Choice>(
  text: string,
  choices: readonly Choice[],
  mistakesIn = (choice: Choice): number => editDistance(text, String(choice)),
  max = Math.max(2, text.length / 3),
): readonly Choice[] {
  if (text.length > LONGEST_COMPARED) return [];
  const counted = choices.map((choice) => ({ choice, count: mistakesIn(choice) }));
  const fewest = Math.min(...counted.map(({ count }) => count));
  if (fewest > max) return [];
  return counted.filter(({ count }) => count === fewest).map(({ choice }) => choice);
}
