import { readFileSync } from 'node:fs';

const NS_PER_MS = 1_000_000;

/** How long this thread has waited for a processor, in milliseconds; always 0 where the system does not say (all but Linux). */
export function waitedMs(): number {
  try {
    const [, waitedNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return Number(waitedNs ?? 0) / NS_PER_MS;
  } catch {
    return 0;
  }
}
