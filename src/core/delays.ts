import type { Delay } from '../contract/delay.js';
import { LAST_INSTANT_MS } from '../contract/time.js';
import { computeHash128, type IdKind, type IdSeed } from './ids.js';

/** Standard normal deviate of the 99th percentile. */
const Z_99 = 2.326_347_874;

/**
 * Returns the milliseconds of a delay, at most `maxMs`. Draws a distribution from only the seed, kind and
 * numbers, so that the third charge of a world always waits equally long.
 */
export function drawDelay(
  { seed }: { readonly seed: IdSeed },
  delay: Delay,
  kind: Extract<IdKind, `${string}Delay`>,
  values: readonly number[],
  maxMs = LAST_INSTANT_MS,
): number {
  if (typeof delay === 'number') return delay;
  const [a, b] = computeHash128(seed, kind, ...values);
  // The Box-Muller transform makes two uniform numbers a normal one.
  const z = Math.sqrt(-2 * Math.log((a + 0.5) / 2 ** 32)) * Math.cos((2 * Math.PI * b) / 2 ** 32);
  const { medianMs, p99Ms } = delay;
  return Math.min(Math.round(medianMs * Math.exp((Math.log(p99Ms / medianMs) * z) / Z_99)), maxMs);
}
