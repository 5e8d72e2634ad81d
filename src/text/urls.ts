/**
 * Parses an absolute URL, or a reference resolved against `base`. Returns undefined for an invalid URL.
 * Avoids `URL.canParse`, which rejects hostnames with letters such as ç once V8 has optimized the call (Node
 * 20).
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Returns true for a sandbox URL, which is an http origin. */
export function isSandboxUrl(text: string): boolean {
  return /^http:\/\/[^/\s@?#]+\/?$/.test(text);
}

/** Encodes text as one path segment. Lone surrogates, which URLs cannot contain, become U+FFFD. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\u{fffd}'));
}

const LOOPBACK_NAME = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Returns true for hostnames (lowercase, without a port) that always resolve to this machine. */
export function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAME.test(name);
}
