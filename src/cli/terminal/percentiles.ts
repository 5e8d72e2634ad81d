/** The percentile of the numbers by nearest rank; undefined if there are none. */
export function percentile(numbers: readonly number[], percent: number): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil((percent / 100) * sorted.length) - 1, 0)];
}
