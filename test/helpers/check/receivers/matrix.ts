import { CHECK_CATALOG } from '../../../../src/check/catalog.js';
import type { CheckOptions, CheckReport } from '../../../../src/check/check.js';
import { runChecks } from '../../../../src/check/engine.js';
import type { ShopOptions } from './shop.js';
import { Stage } from './stage.js';
import type { CheckVerdict } from '../../../../src/check/public.js';

/** Every mistake: one for each check. */
export const MISTAKES: readonly string[] = CHECK_CATALOG.map(({ id }) => id);

/** What cannot be seen of a shop with a mistake. */
const UNKNOWN: Readonly<Record<string, readonly string[]>> = {
  // It refuses no signature, so there is no answer that could reveal one.
  'refuse.secret': ['refuse.leak'],
};

/** Bugs that leave nothing, or no effects, to compare. */
const GATES_ALL = new Set(['answer.redirect', 'answer.alive', 'effect.paid', 'dup.type']);

/** Shorter than the ten seconds of the contract, so that a test need not wait for them. */
const SHORT_LIMIT_MS = 1_000;
const BEYOND_LIMIT_MS = 1_500;
const BEYOND_ADVICE_MS = 2_200;
const PATIENCE_MS = 180_000;

/** Checks a shop with some mistakes in this process. */
export async function checkShop(
  issues: readonly string[],
  options: { readonly shop?: Partial<ShopOptions>; readonly check?: Partial<CheckOptions> } = {},
): Promise<CheckReport> {
  await using stage = await Stage.open();
  const isLimit = issues.includes('time.limit');
  const stallMs = isLimit ? BEYOND_LIMIT_MS : BEYOND_ADVICE_MS;
  const shop = stage.shop({ issues, stallMs, ...options.shop });
  const limit = isLimit ? { attemptTimeoutMs: SHORT_LIMIT_MS } : {};
  return await runChecks({ ...stage.checkOptions(shop), budgetMs: PATIENCE_MS, ...limit, ...options.check });
}

/** The ids of each verdict. */
export function idsOf({ checks }: CheckReport): Readonly<Record<CheckVerdict, string[]>> {
  const ids = (wanted: CheckVerdict) =>
    checks.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  return {
    pass: ids('pass'),
    fail: ids('fail'),
    warn: ids('warn'),
    unknown: ids('unknown'),
    gated: ids('gated'),
  };
}

/** What is not as it must be in the report on a shop with one mistake: only that check fails, and what is gated is gated by it. */
export function surprises(mistake: string, report: CheckReport): string[] {
  const unknown = UNKNOWN[mistake] ?? [];
  return report.checks.flatMap(({ id, verdict, got, reason }) => {
    const isFailed = verdict === 'fail' || verdict === 'warn';
    const isRight =
      id === mistake
        ? isFailed
        : verdict === (unknown.includes(id) ? 'unknown' : 'pass') ||
          (verdict === 'gated' && isGatedBy(mistake, id, reason));
    return isRight ? [] : [`${id}: ${verdict} (${reason ?? got})`];
  });
}

/** Whether a gate of the catalog, or an event that the mistake refused beforehand, says why a check has no verdict of its own. */
function isGatedBy(mistake: string, id: string, reason: string | null): boolean {
  const gates = CHECK_CATALOG.find((entry) => entry.id === id)?.gates ?? {};
  if (reason?.startsWith(`${mistake} failed: `) === true) return mistake in gates || GATES_ALL.has(mistake);
  if (reason?.startsWith('effect.paid did not pass') === true) return GATES_ALL.has(mistake);
  return /was not accepted|were accepted/.test(reason ?? '');
}
