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
  /**
   * Maps an endpoint's origin (`https://shop.example`) to the origin that receives its deliveries
   * (`http://localhost:3000`).
   */
  routes: ReadonlyMap<string, string>;
  allowLocalEndpoints: boolean;
  /**
   * Looks up all addresses of a host name; rejects if there are none. Uses the system resolver by default.
   */
  resolve?: (hostname: string) => Promise<ResolvedAddress[]>;
}

interface EndpointUrl {
  /** Normalized URL (WHATWG) without the fragment. */
  href: string;
  origin: string;
  /** Includes the colon: `https:`. */
  protocol: string;
  /** Host name or IP address; IPv6 addresses have no brackets. */
  hostname: string;
  /** Empty for the scheme's default port. */
  port: string;
  /** Path and query. */
  path: string;
  hasCredentials: boolean;
}

/** Result of validating an endpoint URL; `reason` is a sentence for the 422 response. */
type DestinationCheck = { ok: true; url: string } | { ok: false; reason: string };

/**
 * An attempt's destination: `url` is the endpoint URL, `target` the URL to connect to. Connects only to
 * `addresses`; if null, the connection looks up the host name.
 */
export type Destination =
  | { ok: true; url: EndpointUrl; target: EndpointUrl; addresses: readonly ResolvedAddress[] | null }
  | { ok: false; error: AttemptError; reason: string };

/** Time limit for resolving a host name at registration. Attempts have a separate limit. */
const REGISTRATION_LOOKUP_MS = 5_000;

/** Validates an endpoint URL (§4.4, §8). Rejects host names that do not resolve within 5 s. */
export async function checkDestination(url: string, policy: DestinationPolicy): Promise<DestinationCheck> {
  const timeUp = createTimeout(REGISTRATION_LOOKUP_MS);
  try {
    const found = await raceAbort(Promise.resolve(findDestination(url, policy)), timeUp);
    return found.ok ? { ok: true, url: found.url.href } : { ok: false, reason: found.reason };
  } catch (error) {
    if (!timeUp.aborted) throw error;
    const limit = `${REGISTRATION_LOOKUP_MS / 1000} s`;
    return { ok: false, reason: `The URL host name did not resolve within ${limit}.` };
  }
}

/**
 * Finds an attempt's destination. Host names are resolved for every attempt, so the result can be a promise.
 */
export function findDestination(text: string, policy: DestinationPolicy): Destination | Promise<Destination> {
  const url = parseEndpointUrl(text);
  if (url === null) {
    return refused('The URL is not valid; expected an absolute URL like https://shop.example/webhooks.');
  }
  if (url.protocol !== 'https:' && !(policy.allowLocalEndpoints && url.protocol === 'http:')) {
    return refused(`The URL must start with https://; got ${url.protocol}`);
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

/** Applies the routes to an endpoint URL and returns the URL to connect to. */
export function applyRoutes(text: string, { routes }: Pick<DestinationPolicy, 'routes'>): string {
  const url = parseEndpointUrl(text);
  const route = url === null ? undefined : routes.get(url.origin);
  return url === null || route === undefined ? text : joined(route, url);
}

/** Concatenates strings, because resolving a path that starts with `//` would change the host. */
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
 * Parses a route `FROM=TO` into two origins. FROM without a scheme means https. In TO, `3000` means
 * `http://localhost:3000`, and `host:port` means http.
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
 * Parses routes (`FROM=TO`). Rejects routes that can never match: from an http origin while local endpoints
 * are not allowed, or from the same origin as an earlier route.
 * @throws {Error} with the expected format.
 */
export function parseRoutes(texts: readonly string[], allowLocalEndpoints: boolean): Map<string, string> {
  const routes = new Map<string, string>();
  for (const text of texts) {
    const [from, to] = parseRoute(text);
    if (from.startsWith('http:') && !allowLocalEndpoints) {
      throw new Error(
        `The route "${text}" can never match: endpoints use https unless local endpoints are allowed. ` +
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
