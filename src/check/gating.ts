import type { CheckEntry, CheckResult } from './check.js';
import { isFailure } from './judge.js';

/** The results, with failures that another failure explains as `gated`; those in `crashed` failed by a crash. */
export function gated(
  results: readonly CheckResult[],
  entries: readonly CheckEntry[],
  crashed: ReadonlySet<string> = new Set(),
): CheckResult[] {
  const failed = new Set(results.filter(isFailure).map(({ id }) => id));
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]));
  return results.map((result) => {
    if (!isFailure(result)) return result;
    const { gates = {}, crashGates = {} } = entryOf.get(result.id) ?? {};
    const all = Object.entries({ ...gates, ...(crashed.has(result.id) ? crashGates : {}) });
    const gate = all.find(([id]) => failed.has(id));
    if (gate === undefined) return result;
    const [id, why] = gate;
    return { ...result, verdict: 'gated', reason: `${id} failed: ${why}`, gatedBy: id };
  });
}
