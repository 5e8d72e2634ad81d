import http from 'node:http';
import type { Destination } from './destination.js';
import { pinnedLookup } from './lookup.js';

/** Where a request may connect to. */
export type FoundDestination = Extract<Destination, { ok: true }>;

/** Opens POST requests, over a kept connection or over one made for the request alone. */
export interface Connections {
  open(
    destination: FoundDestination,
    headers: Record<string, string>,
    kind: 'kept' | 'fresh',
  ): http.ClientRequest;
  /** Closes all of them, also those in use. */
  destroy(): void;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** Below the 5 s after which many servers close an idle connection. */
const IDLE_CONNECTION_MS = 4_000;
/** How long one of several addresses may take before the next is tried; a busy moment of ours must not cost an attempt. */
const NEXT_ADDRESS_MS = 2_000;

/** What node:http and node:https have alike. */
type Protocol = Pick<typeof http, 'Agent' | 'request'>;

/**
 * Makes the connections of one sender, without a cap on their number: a slow host delays no other. A kept connection goes to an
 * address that was checked when it was made, and is used again although the name may have moved on since.
 */
export function createConnections(ca: string | string[] | undefined): Connections {
  const plain = createClient(http, ca);
  let secure: ReturnType<typeof createClient> | undefined;
  const clientFor = (protocol: string) => {
    if (protocol !== 'https:') return plain;
    // Loading TLS would be a twentieth of a start, and many a sandbox never needs it.
    secure ??= createClient(process.getBuiltinModule('node:https'), ca);
    return secure;
  };
  return {
    open({ target, addresses }, headers, kind) {
      const client = clientFor(target.protocol);
      // One literal, and no URL object: each spread or conversion here costs a tenth of the rate.
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

function createClient({ Agent, request }: Protocol, ca: string | string[] | undefined) {
  const reach = { autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS, ...(ca === undefined ? {} : { ca }) };
  return {
    request,
    kept: new Agent({ ...reach, keepAlive: true, timeout: IDLE_CONNECTION_MS }),
    fresh: new Agent(reach),
  };
}
