import http from 'node:http';
import type { AgentOptions } from 'node:https';
import type { Destination } from './destination.js';
import { IDLE_CONNECTION_MS, KeptConnections } from './kept-connections.js';
import { pinnedLookup } from './lookup.js';

/** The address for a request. */
export type FoundDestination = Extract<Destination, { ok: true }>;

/** Opens POST requests, over a kept connection or a new one for this request only. */
export interface Connections {
  open(
    destination: FoundDestination,
    headers: Record<string, string>,
    kind: 'kept' | 'fresh',
  ): http.ClientRequest;
  /** Closes all connections, even those in use. */
  destroy(): void;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** How long one of several addresses may take before the next is tried; long enough that our own load fails no attempt. */
const NEXT_ADDRESS_MS = 2_000;

/** What opens requests by one protocol. */
interface Client extends Record<'kept' | 'fresh', http.Agent> {
  readonly request: typeof http.request;
}

/**
 * Makes the connections of one sender, without a limit, so that a slow host delays no other. The address of a kept connection was
 * checked when it was opened; it is reused even if the name has changed since.
 */
export function createConnections(ca: string | string[] | undefined): Connections {
  const reach = { autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS };
  const plain: Client = {
    request: http.request,
    kept: new KeptConnections(reach),
    fresh: new http.Agent(reach),
  };
  let secure: Client | undefined;
  const clientFor = (protocol: string) => {
    if (protocol !== 'https:') return plain;
    secure ??= secureClient(ca === undefined ? reach : { ...reach, ca });
    return secure;
  };
  return {
    open({ target, addresses }, headers, kind) {
      const client = clientFor(target.protocol);
      // One literal and no URL object: each spread or conversion here costs 10 % of the throughput.
      return client.request({
        agent: client[kind],
        method: 'POST',
        hostname: target.hostname,
        port: target.port,
        path: target.path,
        headers,
        maxHeaderSize: MAX_HEADER_BYTES,
        lookup: addresses === null ? undefined : pinnedLookup(addresses),
      });
    },
    destroy() {
      for (const client of [plain, secure]) {
        client?.kept.destroy();
        client?.fresh.destroy();
      }
    },
  };
}

function secureClient(reach: AgentOptions): Client {
  // Loading TLS takes 5 % of the start time, and many sandboxes never need it.
  const { Agent, request } = process.getBuiltinModule('node:https');
  return {
    request,
    kept: new Agent({ ...reach, keepAlive: true, timeout: IDLE_CONNECTION_MS }),
    fresh: new Agent(reach),
  };
}
