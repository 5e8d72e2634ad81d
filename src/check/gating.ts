import type { CheckEntry, CheckResult } from './check.js';
import { isFailure } from './judge.js';
import { isTimeout } from './plan/bench.js';

const TIME_LIMIT = 'time.limit';
const IGNORED = 'forgeries get a 2xx, although they are not applied';

function isIgnored(result: CheckResult | undefined): boolean {
  return result?.isApplied === false;
}

/** Returns the results, with failures that another failure explains as `gated`; those in `crashed` failed by a crash. */
export function gated(
  results: readonly CheckResult[],
  entries: readonly CheckEntry[],
  crashed: ReadonlySet<string> = new Set(),
): CheckResult[] {
  const failed = new Map(results.filter(isFailure).map((result) => [result.id, result]));
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]));
  return results.map((result) => {
    if (!isFailure(result)) return result;
    const isLate = result.exchanges.some(({ answer }) => isTimeout(answer));
    const lateGates = isLate && !result.id.startsWith('time.') ? { [TIME_LIMIT]: 'a request timed out' } : {};
    const { gates = {}, crashGates = {} } = entryOf.get(result.id) ?? {};
    const all = Object.entries({ ...lateGates, ...gates, ...(crashed.has(result.id) ? crashGates : {}) });
    // A forgery without an effect explains no forgery with one.
    const gate = all.find(
      ([id]) => failed.has(id) && !(isIgnored(failed.get(id)) && result.isApplied === true),
    );
    if (gate === undefined) return result;
    const [id, why] = gate;
    const reason = `${id} failed: ${isIgnored(failed.get(id)) ? IGNORED : why}`;
    return { ...result, verdict: 'gated', reason, gatedBy: id };
  });
}
