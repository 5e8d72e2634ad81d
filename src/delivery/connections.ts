import http from 'node:http';
import https from 'node:https';
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

/**
 * Makes the connections of one sender, without a cap on their number: a slow host delays no other. A kept connection goes to an
 * address that was checked when it was made, and is used again although the name may have moved on since.
 */
export function createConnections(ca: string | string[] | undefined): Connections {
  const reach = { autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS, ...(ca === undefined ? {} : { ca }) };
  const keep = { ...reach, keepAlive: true, timeout: IDLE_CONNECTION_MS };
  const agents = {
    kept: { http: new http.Agent(keep), https: new https.Agent(keep) },
    fresh: { http: new http.Agent(reach), https: new https.Agent(reach) },
  };
  return {
    open({ target, addresses }, headers, kind) {
      const secure = target.protocol === 'https:';
      // One literal, and no URL object: each spread or conversion here costs a tenth of the rate.
      const options = {
        agent: secure ? agents[kind].https : agents[kind].http,
        method: 'POST',
        hostname: target.hostname,
        port: target.port,
        path: target.path,
        headers,
        maxHeaderSize: MAX_HEADER_BYTES,
        lookup: addresses === null ? undefined : pinnedLookup(addresses),
      };
      return secure ? https.request(options) : http.request(options);
    },
    destroy() {
      for (const pair of Object.values(agents)) {
        pair.http.destroy();
        pair.https.destroy();
      }
    },
  };
}
