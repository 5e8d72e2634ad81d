/** The path of a value in a document, from the outside in. */
export type Path = readonly (string | number)[];

/** A place in a text, both counted from 1; columns count UTF-16 units, as editors do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Compares two places in one text. */
export function byPlace(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column;
}

/** Mistakes with the places of their paths, in the order of the text. */
export function placed<Mistake extends { readonly path: Path }>(
  mistakes: readonly Mistake[],
  placeOf: (path: Path) => Place,
): (Mistake & Place)[] {
  return mistakes.map((mistake) => ({ ...mistake, ...placeOf(mistake.path) })).sort(byPlace);
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** A path as people write it: `steps[2].expect.events[0].type`. */
export function pathText(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!PLAIN_KEY.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}
