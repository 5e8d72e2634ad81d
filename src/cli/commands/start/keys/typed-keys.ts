/** What arrow keys send, in both modes of a terminal. */
const ARROW = /\u001b[[O]([AB])/g;
/** Fast typing may bring a key, arrows and Enter at once. */
const WITH_ARROWS = /^([^\u001b\r\n]?)((?:\u001b[[O][AB])+)(\r?)$/u;

/** The keys that were typed: single characters, `up` and `down`. Several characters at once are pasted text, which has none. */
export function keysIn(typed: string): readonly string[] {
  if (Array.from(typed).length === 1) return [typed];
  const [, before = '', arrows = '', enter = ''] = WITH_ARROWS.exec(typed) ?? [];
  const moves = Array.from(arrows.matchAll(ARROW), ([, letter]) => (letter === 'A' ? 'up' : 'down'));
  return [before, ...moves, enter].filter((key) => key !== '');
}
