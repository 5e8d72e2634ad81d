import { isIPv4 } from 'node:net';
import { loopbackAddresses } from '../../delivery/addresses.js';

export function isLoopback({ hostname }: URL): boolean {
  if (isIPv4(hostname)) return hostname.startsWith('127.');
  return hostname === '[::1]' || loopbackAddresses(hostname) !== null;
}
