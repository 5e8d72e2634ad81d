import type { CheckEntry, CheckResult } from './check.js';
import { isFailure } from './judge.js';

/** The results, with failures that another failure explains as `gated`. */
export function gated(results: readonly CheckResult[], entries: readonly CheckEntry[]): CheckResult[] {
  const failed = new Set(results.filter(isFailure).map(({ id }) => id));
  const gatesOf = new Map(entries.map(({ id, gates = {} }) => [id, Object.entries(gates)]));
  return results.map((result) => {
    if (!isFailure(result)) return result;
    const gate = (gatesOf.get(result.id) ?? []).find(([id]) => failed.has(id));
    if (gate === undefined) return result;
    const [id, why] = gate;
    return { ...result, verdict: 'gated', reason: `${id} failed: ${why}` };
  });
}
