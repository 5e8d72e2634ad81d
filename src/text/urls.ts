/**
 * An absolute URL; undefined for what is none. Not by `URL.canParse`, which refuses host names with letters such as ç once V8 has
 * optimised the call (Node 20).
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
