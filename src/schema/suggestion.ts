import { distance } from 'fastest-levenshtein';

/** ` Did you mean …?` with the known word that is nearest to an unknown one; nothing where none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const wanted = word.toLowerCase();
  const [nearest] = known
    .map((choice) => ({ choice, mistakes: distance(wanted, choice.toLowerCase()) }))
    .sort((a, b) => a.mistakes - b.mistakes);
  if (nearest === undefined || nearest.mistakes > Math.max(2, wanted.length / 3)) return '';
  return ` Did you mean ${nearest.choice}?`;
}
