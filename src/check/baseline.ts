import { DAY_MS, isoTime } from '../contract/time.js';
import { list } from '../schema/compound.js';
import { object } from '../schema/object.js';
import type { Infer } from '../schema/schema.js';
import type { Found } from '../schema/values.js';
import { refine, text } from '../schema/values.js';
import { didYouMean } from '../text/closest.js';
import { CATALOGUE } from './catalogue/catalogue.js';
import type { Report } from './check.js';
import { decisiveIn, isFailure, policyOf } from './judge.js';

const DAY = text('a date such as 2026-12-31', /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/);
const ID = refine(text('the id of a check'), (id): Found<string> => {
  const ids = CATALOGUE.map((entry) => entry.id);
  return ids.includes(id) ? { value: id } : { problem: `There is no check ${id}.${didYouMean(id, ids)}` };
});
const REASON = text('a reason', /\S/);

/** Known failures and unobserved checks: the reason for each, and its last day. */
export const BASELINE = object('a baseline', {
  checks: list(
    object('an entry', {
      id: ID,
      reason: REASON,
      expires: DAY,
    }),
  ),
});
export type Baseline = Infer<typeof BASELINE>;

const LIFETIME_DAYS = 90;

/** A run against a baseline: the known checks, and the outdated entries, as sentences. */
export interface Compared {
  readonly known: ReadonlySet<string>;
  readonly stale: readonly string[];
}

/** Returns the known checks of a run; an entry is stale after its day, and when its check passes. */
export function compared({ checks }: Pick<Report, 'checks'>, baseline: Baseline, nowMs: number): Compared {
  const today = isoTime(nowMs).slice(0, 10);
  const known = new Set<string>();
  const stale: string[] = [];
  for (const { id, expires } of baseline.checks) {
    const result = checks.find((check) => check.id === id);
    if (expires < today) stale.push(`The entry of ${id} expired on ${expires}.`);
    else if (result?.verdict === 'pass') stale.push(`${id} passes; take its entry out.`);
    else known.add(id);
  }
  return { known, stale };
}

/** Returns a baseline of all that fails or is not observed now, except for what another failure gates. */
export function baselineOf({ checks }: Pick<Report, 'checks'>, nowMs: number): Baseline {
  const expires = isoTime(nowMs + LIFETIME_DAYS * DAY_MS).slice(0, 10);
  const decisive = decisiveIn(checks, policyOf({ strict: true }));
  return {
    checks: decisive.map((result) => {
      const { id, likely, reason } = result;
      const why = isFailure(result) ? `To fix: ${likely}.` : `Not observed: ${reason ?? ''}`;
      return { id, reason: why, expires };
    }),
  };
}
