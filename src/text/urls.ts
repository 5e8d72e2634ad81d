/**
 * An absolute URL, or a reference resolved against `base`; undefined for what is none. Not by `URL.canParse`,
 * which refuses host names with letters such as ç once V8 has optimized the call (Node 20).
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Recognizes the URL of a sandbox: an http origin. */
export function isSandboxUrl(text: string): boolean {
  return /^http:\/\/[^/\s@?#]+\/?$/.test(text);
}

/** Encodes a text as one segment of a path; lone surrogates, which no URL can hold, become U+FFFD. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\u{fffd}'));
}

const LOOPBACK_NAME = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Recognizes host names (lower case, without a port) that always resolve to this machine. */
export function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAME.test(name);
}
