/** The yardstick is noisy where its 90th percentile passes its 10th by this factor. */
const NOISY = 1.5;

/**
 * @param {readonly number[]} values
 * @param {number} share 0 to 1
 */
export function percentile(values, share) {
  if (values.length === 0) throw new Error('Expected at least one value.');
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}

/** @param {readonly number[]} values */
export function median(values) {
  return percentile(values, 0.5);
}

/**
 * Two runs made one after the other.
 * @typedef {{ ours: number, yardstick: number }} Pair
 */

/** @param {readonly Pair[]} pairs */
export function compare(pairs) {
  const ratios = pairs.map(({ ours, yardstick }) => ours / yardstick);
  const yardsticks = pairs.map(({ yardstick }) => yardstick);
  return {
    ours: median(pairs.map(({ ours }) => ours)),
    yardstick: median(yardsticks),
    ratio: median(ratios),
    low: percentile(ratios, 0.1),
    high: percentile(ratios, 0.9),
    noisy: percentile(yardsticks, 0.9) > NOISY * percentile(yardsticks, 0.1),
  };
}

/**
 * Runs goal and yardstick by turns, changing who goes first, so that a drift of the machine meets both. The first pair warms up and
 * does not count.
 * @param {number} rounds
 * @param {() => Promise<number>} ours
 * @param {() => Promise<number>} yardstick
 * @returns {Promise<Pair[]>}
 */
export async function inPairs(rounds, ours, yardstick) {
  const pairs = [];
  for (let round = 0; round <= rounds; round += 1) {
    const runs = { ours, yardstick };
    const order = round % 2 === 0 ? ['ours', 'yardstick'] : ['yardstick', 'ours'];
    const pair = { ours: 0, yardstick: 0 };
    for (const side of order) pair[side] = await runs[side]();
    if (round > 0) pairs.push(pair);
  }
  return pairs;
}
