/** Parses JSON; returns the fallback for any other text. */
export function parseJson(text: string, fallback?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}
