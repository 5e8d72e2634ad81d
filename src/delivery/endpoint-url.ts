import { parseUrl } from '../text/urls.js';

/** The parts of a URL that a connection and the guard need. */
export interface EndpointUrl {
  /** As WHATWG normalises it, without its fragment. */
  href: string;
  origin: string;
  /** With its colon: `https:`. */
  protocol: string;
  /** An IPv6 address has no brackets here. */
  hostname: string;
  /** Empty for the scheme's default port. */
  port: string;
  /** Path and query. */
  path: string;
  hasCredentials: boolean;
}

/** More than the endpoints of any sandbox; parsing again only costs an attempt a few microseconds. */
const MAX_KEPT = 1_000;
const kept = new Map<string, EndpointUrl | null>();

/** Parses a URL; null when it is not absolute. Results are cached, because every attempt parses its URL. */
export function parseEndpointUrl(text: string): EndpointUrl | null {
  const known = kept.get(text);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const url = parseUrl(text);
  const parsed = url === undefined ? null : takeApart(url);
  kept.set(text, parsed);
  return parsed;
}

function takeApart(url: URL): EndpointUrl {
  url.hash = '';
  const { href, origin, protocol, hostname, port } = url;
  return {
    href,
    origin,
    protocol,
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port,
    path: url.pathname + url.search,
    hasCredentials: url.username !== '' || url.password !== '',
  };
}
