/** Parses JSON. Returns the fallback if the text is invalid. */
export function parseJson(text: string, fallback?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Indents JSON text. Returns the text unmodified if it is invalid or if indenting would change a value. */
export function indentJson(text: string, replacer?: (key: string, value: unknown) => unknown): string {
  try {
    const value: unknown = JSON.parse(text);
    const isSame = JSON.stringify(value) === text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/gu, '$1');
    return isSame ? JSON.stringify(value, replacer, 2) : text;
  } catch {
    // The text is not JSON, or is nested too deeply.
    return text;
  }
}
