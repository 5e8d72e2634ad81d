import { promises } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** One address that a host name resolves to; `family` is 4 or 6. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

const LOOPBACK: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const inFlight = new Map<string, Promise<ResolvedAddress[]>>();

/**
 * Every address of a name, as the system resolves it (hosts file included). Concurrent calls for a name share one lookup,
 * because the system runs few lookups at a time and a slow name must not use them all.
 */
export function lookupAll(hostname: string): Promise<ResolvedAddress[]> {
  const running = inFlight.get(hostname);
  if (running !== undefined) return running;
  const started = promises.lookup(hostname, { all: true }).finally(() => inFlight.delete(hostname));
  inFlight.set(hostname, started);
  return started;
}

/** The addresses of `localhost` and of names under it, which need no lookup; null for any other name. */
export function loopbackAddresses(hostname: string): readonly ResolvedAddress[] | null {
  return /^(?:.+\.)?localhost\.?$/.test(hostname) ? LOOPBACK : null;
}

/** A `lookup` for `node:net` that answers with addresses found before, so that the connection goes to one of these. */
export function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (hostname, options, callback) => {
    const first = addresses[0];
    // Asynchronous, because node:net adds its error listeners only after the call.
    process.nextTick(() => {
      if (first === undefined) callback(new Error(`There is no known address for ${hostname}.`), '', 0);
      else if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
}
