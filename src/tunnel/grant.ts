import { parseUrl } from '../text/urls.js';
import { isIP } from 'node:net';

/** A relay's answer to a request for a tunnel. */
export interface Grant {
  /** The relay's name for the tunnel, for requesting it again. */
  readonly id: string;
  /** The public origin, without a path. */
  readonly url: string;
  /** Where the relay waits for our connections. */
  readonly host: string;
  readonly ip: string | undefined;
  readonly port: number;
  /** How many connections should wait there. */
  readonly connections: number;
}

/** More than relays ask for; a relay that asks for a million gets no more. */
const CONNECTIONS_MAX = 16;
const ID = /^[\w-]{1,100}$/;

/** Reads a relay's answer, which is untrusted; undefined if it is not a grant. */
export function readGrant(text: string, relay: URL): Grant | undefined {
  const { id, url, port, ip, max_conn_count: count } = parseObject(text);
  const origin = typeof url === 'string' ? publicOrigin(url) : undefined;
  if (typeof id !== 'string' || !ID.test(id) || origin === undefined || !isPort(port)) return undefined;
  return {
    id,
    url: origin,
    host: relay.hostname.replaceAll(/^\[|\]$/g, ''),
    ip: typeof ip === 'string' && isIP(ip) !== 0 ? ip : undefined,
    port,
    connections: Number.isInteger(count) ? Math.min(Math.max(Number(count), 1), CONNECTIONS_MAX) : 1,
  };
}

function publicOrigin(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  const { protocol, origin, pathname, username, password } = url;
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && pathname === '/' && `${username}${password}` === '' ? origin : undefined;
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 65_535;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
