const ESCAPE = '\u001b';
const ENTER = '\r';
/** What arrow keys send after ESC, in both modes of a terminal. */
const ARROWS = new Map([
  ['[A', 'up'],
  ['OA', 'up'],
  ['[B', 'down'],
  ['OB', 'down'],
]);

/**
 * The keys that were typed: single characters, `up` and `down`. Fast typing may bring a key, arrows and Enter at once; other
 * characters that come at once are pasted text, which has no keys.
 */
export function keysIn(typed: string): readonly string[] {
  if (Array.from(typed).length === 1) return [typed];
  const enter = typed.endsWith(ENTER) ? ENTER : '';
  const [before = '', ...sequences] = typed.slice(0, typed.length - enter.length).split(ESCAPE);
  const moves = sequences.map((sequence) => ARROWS.get(sequence) ?? '');
  const isText = moves.length === 0 || moves.includes('') || Array.from(before).length > 1;
  return isText ? [] : [before, ...moves, enter].filter((key) => key !== '');
}
