/** `npm run soak` tries whole matrices; `npm test` tries a part of each, and every row of it once. */
const IS_WHOLE = process.env['WHOLE'] !== undefined;

/** How often something is tried, or what. */
export function tries<T>({ part, whole }: { readonly part: T; readonly whole: T }): T {
  return IS_WHOLE ? whole : part;
}

/** One of the choices, each in its turn as `index` grows; in a soak, all of them. */
export function inTurn<T>(choices: readonly T[], index: number): readonly T[] {
  if (IS_WHOLE || choices.length === 0) return choices;
  const at = index % choices.length;
  return choices.slice(at, at + 1);
}
