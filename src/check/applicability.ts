import { CATALOGUE, checksNamed } from './catalogue/catalogue.js';
import type { CheckEntry, CheckOptions, Need, Part, Scope } from './check.js';

/** The checks of each part. */
const CHECKS_OF: Readonly<Record<Part, readonly string[]>> = {
  withdrawals: ['order.returned', 'order.returned-late'],
};
export const PARTS = Object.keys(CHECKS_OF) as readonly Part[];

const FLAGS: Readonly<Record<Need, string>> = {
  probe: '--probe',
  order: '--order',
  restart: '--restart',
  amount: '{amount} to --order',
};
/** Needed by all checks of effects. */
const BASIC: readonly Need[] = ['probe', 'order'];
const EFFECTS = new Set(CATALOGUE.filter(({ needs = [] }) => needs.includes('probe')).map(({ id }) => id));
/** An id, a group such as `dup`, or `dup.*`. */
const NAME = /^[a-z]+(?:\.(?:[a-z-]+|\*))?$/;

type Provided = Pick<CheckOptions, 'probe' | 'order' | 'sandbox' | 'restart' | 'takesAmount'>;

/** Returns what a check needs and the options do not provide. */
export function missingNeeds({ needs = [] }: Pick<CheckEntry, 'needs'>, options: Provided): Need[] {
  const { probe, order, sandbox, restart, takesAmount = false } = options;
  const isOrdered = order !== undefined && sandbox !== undefined;
  const has: Readonly<Record<Need, boolean>> = {
    probe: probe !== undefined,
    order: isOrdered,
    restart: restart !== undefined,
    amount: isOrdered && takesAmount,
  };
  return needs.filter((need) => !has[need]);
}

/** Returns the needs of these checks, and of effects at all, that the options do not provide. */
export function missingOf(entries: readonly CheckEntry[], options: Provided): Need[] {
  const needs = [BASIC, ...entries.map((entry) => entry.needs ?? [])].flat();
  return missingNeeds({ needs: [...new Set(needs)] }, options);
}

/** Returns `effects` where both a probe and an order are provided. */
export function scopeOf(options: Provided): Scope {
  return missingNeeds({ needs: BASIC }, options).length === 0 ? 'effects' : 'wire';
}

/** Returns whether a check is about what events change, not about signatures or transport. */
export function isEffect(id: string): boolean {
  return EFFECTS.has(id);
}

/** Returns whether a check belongs to a part that the application does without. */
export function isExcluded(id: string, without: readonly Part[] = []): boolean {
  return without.some((part) => CHECKS_OF[part].includes(id));
}

/** Names the options that provide these needs: first those without which there are no effects at all. */
export function advice(missing: readonly Need[]): string {
  const basic = BASIC.filter((need) => missing.includes(need));
  const flags = (basic.length > 0 ? basic : [...new Set(missing)]).map((need) => FLAGS[need]);
  return `add ${flags.join(' and ')}`;
}

/** Returns the checks of ids and groups. Throws TypeError for unknown names, for patterns, and for all checks. */
export function allowedIds(names: readonly string[]): ReadonlySet<string> {
  const pattern = names.find((name) => !NAME.test(name));
  if (pattern !== undefined)
    throw new TypeError(`${pattern} is neither a check nor a group of checks, such as dup.restart or dup.`);
  const ids = checksNamed(names);
  if (ids.size === CATALOGUE.length)
    throw new TypeError('Not every check may stay unobserved. Name the checks that cannot be observed.');
  return ids;
}
