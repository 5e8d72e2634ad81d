import { promises } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

export function isLoopback({ hostname }: URL): boolean {
  if (isIPv4(hostname)) return hostname.startsWith('127.');
  return hostname === '[::1]' || getLoopbackAddresses(hostname) !== null;
}

/** A resolved IP address; `family` is 4 or 6. */
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
 * Looks up all addresses of a host name with the system resolver, including the hosts file. Concurrent calls
 * for the same name share one lookup: the system runs few lookups at a time, and a slow name must not block
 * other names.
 */
export function resolveAllAddresses(hostname: string): Promise<ResolvedAddress[]> {
  const running = inFlight.get(hostname);
  if (running !== undefined) return running;
  const started = promises.lookup(hostname, { all: true }).finally(() => inFlight.delete(hostname));
  inFlight.set(hostname, started);
  return started;
}

/** Returns loopback addresses for `localhost` and its subdomains, or null for any other name. */
export function getLoopbackAddresses(hostname: string): readonly ResolvedAddress[] | null {
  return /^(?:.+\.)?localhost\.?$/.test(hostname) ? LOOPBACK : null;
}

/** Creates a `node:net` lookup function that returns only these addresses. */
export function createPinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (hostname, options, callback) => {
    const first = addresses[0];
    // Call back asynchronously: `node:net` adds its error listeners after calling `lookup`.
    process.nextTick(() => {
      if (first === undefined) callback(new Error(`No address is known for ${hostname}.`), '', 0);
      else if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * IPv4 blocks from the IANA special-purpose registry, plus multicast. Includes the few globally reachable
 * blocks (anycast services such as AS112), because they never contain a receiver.
 */
const SPECIAL_IPV4: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8], // this network, unspecified
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // multicast tunneling
  ['192.88.99.0', 24], // 6to4 relay
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, limited broadcast
];

/**
 * Special-purpose IPv6 blocks within global unicast (`2000::/3`). `isPublicAddress` rejects all other
 * addresses: loopback, unspecified, IPv4-mapped, NAT64, discard-only, segment routing, unique local,
 * link-local, multicast and unassigned.
 */
const SPECIAL_IPV6: readonly [network: string, prefix: number][] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID, drone remote id
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
];

const specialIpv4 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) specialIpv4.addSubnet(network, prefix, 'ipv4');
const specialIpv6 = new BlockList();
for (const [network, prefix] of SPECIAL_IPV6) specialIpv6.addSubnet(network, prefix, 'ipv6');
const globalUnicastIpv6 = new BlockList();
globalUnicastIpv6.addSubnet('2000::', 3, 'ipv6');

/** Returns true for public IP addresses (§2.3) without a zone identifier, and false for any other text. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, 'ipv4');
    case 6:
      return (
        !address.includes('%') &&
        globalUnicastIpv6.check(address, 'ipv6') &&
        !specialIpv6.check(address, 'ipv6')
      );
    default:
      return false;
  }
}
