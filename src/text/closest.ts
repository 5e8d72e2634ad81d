import { distance } from 'fastest-levenshtein';

const MOST_SUGGESTIONS = 3;
/** What is longer than this is nobody's slip of the pen. */
const LONGEST_COMPARED = 200;

/** The nearest choices: those that hold the text, or else those with the fewest mistakes. Case does not count. */
export function closeOnes<Choice extends string>(
  text: string,
  choices: readonly Choice[],
): readonly Choice[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  const holding = choices.filter((choice) => choice.toLowerCase().includes(wanted));
  return holding.length > 0 ? holding.slice(0, MOST_SUGGESTIONS) : withFewestMistakes(wanted, choices);
}

/** ` Did you mean …?` with the known word that is nearest to an unknown one; nothing where none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [nearest] = withFewestMistakes(word.toLowerCase(), known);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

function withFewestMistakes<Choice extends string>(
  wanted: string,
  choices: readonly Choice[],
): readonly Choice[] {
  if (wanted.length > LONGEST_COMPARED) return [];
  const mistakes = choices.map((choice) => ({ choice, count: distance(wanted, choice.toLowerCase()) }));
  const fewest = Math.min(...mistakes.map(({ count }) => count));
  if (fewest > Math.max(2, wanted.length / 3)) return [];
  return mistakes.filter(({ count }) => count === fewest).map(({ choice }) => choice);
}
