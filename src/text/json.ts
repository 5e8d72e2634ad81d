/** Parses JSON; returns the fallback for any other text. */
export function parseJson(text: string, fallback?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Lays out JSON over several lines; other text, and JSON that this would change, stays as it is. */
export function indentJson(text: string, replacer?: (key: string, value: unknown) => unknown): string {
  try {
    const value: unknown = JSON.parse(text);
    const isSame = JSON.stringify(value) === text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/gu, '$1');
    return isSame ? JSON.stringify(value, replacer, 2) : text;
  } catch {
    // It is no JSON, or nested too deep.
    return text;
  }
}
