import { isIP } from 'node:net';
import type { AttemptError } from '../contract/enums.js';
import { parseUrl } from '../text/urls.js';
import {
  isPublicAddress,
  getLoopbackAddresses,
  resolveAllAddresses,
  type ResolvedAddress,
} from './addresses.js';
import { createTimeout, raceAbort } from './abort.js';

/** Allowed destinations (§2.3, §8): public https addresses, with two exceptions for local development. */
export interface DestinationPolicy {
  /** Maps an origin (`https://shop.example`) to a replacement for deliveries (`http://localhost:3000`). */
  routes: ReadonlyMap<string, string>;
  allowLocalEndpoints: boolean;
  /** Resolves all addresses of a host name; rejects if none exist. Uses the system's lookup by default. */
  resolve?: (hostname: string) => Promise<ResolvedAddress[]>;
}

interface EndpointUrl {
  /** Normalized by WHATWG rules, without the fragment. */
  href: string;
  origin: string;
  /** Includes the colon: `https:`. */
  protocol: string;
  /** IPv6 addresses have no brackets here. */
  hostname: string;
  /** Empty for the scheme's default port. */
  port: string;
  /** Path and query. */
  path: string;
  hasCredentials: boolean;
}

/** Result of checking a URL to register; `reason` is one sentence for the 422. */
type DestinationCheck = { ok: true; url: string } | { ok: false; reason: string };

/**
 * Destination of one attempt. `url` is the endpoint's URL, `target` the URL to connect to. The connection may
 * use only `addresses`; null leaves the lookup to the connection.
 */
export type Destination =
  | { ok: true; url: EndpointUrl; target: EndpointUrl; addresses: readonly ResolvedAddress[] | null }
  | { ok: false; error: AttemptError; reason: string };

/** Time limit for resolving a name at registration. Attempts have their own limit. */
const REGISTRATION_LOOKUP_MS = 5_000;

/** Checks a URL for registration (§4.4, §8). Rejects a name that does not resolve within 5 s. */
export async function checkDestination(url: string, policy: DestinationPolicy): Promise<DestinationCheck> {
  const timeUp = createTimeout(REGISTRATION_LOOKUP_MS);
  try {
    const found = await raceAbort(Promise.resolve(findDestination(url, policy)), timeUp);
    return found.ok ? { ok: true, url: found.url.href } : { ok: false, reason: found.reason };
  } catch (error) {
    if (!timeUp.aborted) throw error;
    const limit = `${REGISTRATION_LOOKUP_MS / 1000} s`;
    return { ok: false, reason: `The host name of the URL did not resolve within ${limit}.` };
  }
}

/** Finds an attempt's destination. Returns a promise for host names, which are resolved every time. */
export function findDestination(text: string, policy: DestinationPolicy): Destination | Promise<Destination> {
  const url = parseEndpointUrl(text);
  if (url === null) {
    return refused('The URL is not valid; expected an absolute URL like https://shop.example/webhooks.');
  }
  if (url.protocol !== 'https:' && !(policy.allowLocalEndpoints && url.protocol === 'http:')) {
    return refused(`The URL must start with https://; this one starts with ${url.protocol}`);
  }
  if (url.hasCredentials) return refused('The URL must not contain a user name or a password.');
  const route = policy.routes.get(url.origin);
  if (route !== undefined) {
    const target = parseEndpointUrl(joined(route, url));
    return target === null ? refused(`The route target ${route} is not an origin.`) : unchecked(url, target);
  }
  return policy.allowLocalEndpoints
    ? unchecked(url, url)
    : findPublic(url, policy.resolve ?? resolveAllAddresses);
}

/** Returns the URL to connect to for an endpoint's URL. */
export function applyRoutes(text: string, { routes }: Pick<DestinationPolicy, 'routes'>): string {
  const url = parseEndpointUrl(text);
  const route = url === null ? undefined : routes.get(url.origin);
  return url === null || route === undefined ? text : joined(route, url);
}

/** Concatenates text, because resolving a path that starts with `//` would change the host. */
function joined(route: string, { path }: EndpointUrl): string {
  return route + path;
}

async function findPublic(
  url: EndpointUrl,
  resolve: (hostname: string) => Promise<ResolvedAddress[]>,
): Promise<Destination> {
  const { hostname } = url;
  const family = isIP(hostname);
  if (family !== 0) {
    if (isPublicAddress(hostname))
      return { ok: true, url, target: url, addresses: [{ address: hostname, family }] };
    return refused(`The URL contains ${hostname}, which is not a public address.`);
  }
  if (getLoopbackAddresses(hostname) !== null) {
    return refused(`The host name ${hostname} refers to this machine, which is not a public address.`);
  }
  const addresses = await resolve(hostname).catch((): ResolvedAddress[] => []);
  if (addresses.length === 0) {
    return { ok: false, error: 'DNS_FAILED', reason: `The host name ${hostname} does not resolve.` };
  }
  const refusedAddress = addresses.find(({ address }) => !isPublicAddress(address));
  if (refusedAddress !== undefined) {
    return refused(
      `The host name ${hostname} resolves to ${refusedAddress.address}, which is not a public address.`,
    );
  }
  return { ok: true, url, target: url, addresses };
}

function unchecked(url: EndpointUrl, target: EndpointUrl): Destination {
  return { ok: true, url, target, addresses: getLoopbackAddresses(target.hostname) };
}

function refused(reason: string): { ok: false; error: AttemptError; reason: string } {
  return { ok: false, error: 'DESTINATION_NOT_ALLOWED', reason };
}

export function parseEndpointUrl(text: string): EndpointUrl | null {
  const url = parseUrl(text);
  if (url === undefined) return null;
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

const ROUTE_EXAMPLE = 'https://shop.example=http://localhost:3000';

/**
 * Parses two origins. On the left, a bare name means https. On the right, `3000` means
 * `http://localhost:3000` and `host:port` means http.
 */
function parseRoute(text: string): [from: string, to: string] {
  const cut = text.indexOf('=');
  if (cut === -1) {
    throw new Error(`Expected a route like ${ROUTE_EXAMPLE}, got "${text}", which has no "=".`);
  }
  const to = text.slice(cut + 1).trim();
  return [
    readOrigin(text.slice(0, cut).trim(), 'https://', 'left'),
    readOrigin(/^\d+$/.test(to) ? `localhost:${to}` : to, 'http://', 'right'),
  ];
}

/**
 * Parses routes from one origin to another. Rejects routes that can never match: from http unless local
 * endpoints are allowed, or from the origin of an earlier route.
 * @throws {Error} with the expected format.
 */
export function parseRoutes(texts: readonly string[], allowLocalEndpoints: boolean): Map<string, string> {
  const routes = new Map<string, string>();
  for (const text of texts) {
    const [from, to] = parseRoute(text);
    if (from.startsWith('http:') && !allowLocalEndpoints) {
      throw new Error(
        `The route "${text}" can never match: endpoints are https unless local ones are allowed. ` +
          `Expected one like ${ROUTE_EXAMPLE}.`,
      );
    }
    if (routes.has(from))
      throw new Error(`There is already a route from ${from}: "${text}" can never match.`);
    routes.set(from, to);
  }
  return routes;
}

function readOrigin(text: string, defaultScheme: string, side: string): string {
  const full = text.includes('://') ? text : defaultScheme + text;
  const url = /^https?:\/\/[^/?#@\\]+\/?$/i.test(full) ? parseUrl(full) : undefined;
  if (url !== undefined) return url.origin;
  throw new Error(
    `Expected an http(s) origin without path, query or credentials on the ${side} of the route, ` +
      `as in ${ROUTE_EXAMPLE}, got "${text}".`,
  );
}
