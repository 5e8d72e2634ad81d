/** A URL taken apart: what a connection needs, and what the guard looks at. */
export interface EndpointUrl {
  /** As WHATWG normalises it, without its fragment. */
  href: string;
  origin: string;
  /** With its colon: `https:`. */
  protocol: string;
  /** An IPv6 address stands without brackets. */
  hostname: string;
  /** Empty for the scheme's own port. */
  port: string;
  /** Path and query. */
  path: string;
  hasCredentials: boolean;
}

/** More than the endpoints of any sandbox; parsing anew costs an attempt some microseconds and nothing else. */
const MAX_KEPT = 1_000;
const kept = new Map<string, EndpointUrl | null>();

/** Takes a URL apart; null when it is not an absolute URL. The answers are kept, because each URL comes with every attempt. */
export function parseEndpointUrl(text: string): EndpointUrl | null {
  const known = kept.get(text);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const parsed = URL.canParse(text) ? takeApart(new URL(text)) : null;
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
