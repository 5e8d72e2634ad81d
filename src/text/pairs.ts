/** Texts parsed as an object, or their problem, worded to follow the field name. */
export type Pairs<Value> =
  | { readonly values: Readonly<Record<string, Value>> }
  | { readonly problem: string; readonly hint?: string | undefined };

/** Reads `key=value` texts. */
export function readPairs(texts: readonly string[], form = 'key=value'): Pairs<string> {
  const wrong = texts.find((text) => text.indexOf('=') < 1);
  if (wrong !== undefined) return { problem: `takes ${form}; got ${wrong}.` };
  const pairs = texts.map((text): [string, string] => {
    const split = text.indexOf('=');
    return [text.slice(0, split), text.slice(split + 1)];
  });
  return { values: Object.fromEntries(pairs) };
}
