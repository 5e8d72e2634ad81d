import { closeOnes, isSuggestible, mistakesBetween, nearest } from '../../text/closest.js';

/** More close commands would not be read. */
const MOST = 3;

/**
 * The commands that unknown words probably mean: every command with that word as its last one, otherwise those that begin
 * like it, otherwise close ones. Only a word typed in full suggests a command that destroys something.
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
