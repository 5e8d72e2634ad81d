import { suggest } from '../text/closest.js';
import { matchesGlob } from '../text/globs.js';
import type { Check } from './bench.js';
import type { CheckEntry, CheckOptions, CheckRequirement } from './check.js';
import { ACCEPT_CHECKS, RESPONSE_CHECKS } from './checks/accept.js';
import { EFFECT_CHECKS } from './checks/effects.js';
import { REFUSAL_CHECKS } from './checks/refuse.js';
import type { CheckPart, CheckScope } from './public.js';

export const CHECK_CATALOG: readonly Check[] = [
  ...ACCEPT_CHECKS,
  ...REFUSAL_CHECKS,
  ...EFFECT_CHECKS,
  ...RESPONSE_CHECKS,
];

/** A requirement that no external test can verify. */
export const MANUAL_REVIEW = 'signatures are compared in constant time';

const CHECKS_OF: Readonly<Record<CheckPart, readonly string[]>> = {
  withdrawals: ['order.returned', 'order.returned-late'],
};
const FLAGS: Readonly<Record<CheckRequirement, string>> = {
  probe: '--probe',
  order: '--order',
  restart: '--restart',
  amount: '{amount} to --order',
};
const BASIC: readonly CheckRequirement[] = ['probe', 'order'];
/** Matches an id, a group such as `dup`, or `dup.*`. */
const NAME = /^[a-z]+(?:\.(?:[a-z-]+|\*))?$/;

type Provided = Pick<CheckOptions, 'probe' | 'order' | 'sandbox' | 'restart' | 'takesAmount'>;

/** Resolves ids, groups such as `refuse` and patterns such as `dup.*`. Throws TypeError for unknown names. */
export function resolveCheckIds(names: readonly string[]): ReadonlySet<string> {
  const ids = CHECK_CATALOG.map(({ id }) => id);
  return new Set(
    names.flatMap((name) => {
      const found = ids.filter((id) => matchesGlob(name, id) || id.startsWith(`${name}.`));
      if (found.length > 0) return found;
      throw new TypeError(
        `Unknown check ${name}.${suggest(name, ids)} Run \`check --list\` to list all checks.`,
      );
    }),
  );
}

/** Resolves ids and groups. Throws TypeError for unknown names, for patterns, and for a full catalog. */
export function resolveAllowedIds(names: readonly string[]): ReadonlySet<string> {
  const pattern = names.find((name) => !NAME.test(name));
  if (pattern !== undefined)
    throw new TypeError(
      `${pattern} is not a check or group of checks. Use a name such as dup.restart or dup.`,
    );
  const ids = resolveCheckIds(names);
  if (ids.size === CHECK_CATALOG.length)
    throw new TypeError('At least one check must be observed. List only the checks you cannot observe.');
  return ids;
}

/** Selects the checks in `only`, except `skip` and excluded parts. Throws TypeError for unknown names. */
export function selectChecks({
  only = [],
  skip = [],
  without = [],
}: Pick<CheckOptions, 'only' | 'skip' | 'without'>): readonly Check[] {
  const wanted = only.length === 0 ? undefined : resolveCheckIds(only);
  const unwanted = new Set([...resolveCheckIds(skip), ...without.flatMap((part) => CHECKS_OF[part])]);
  return CHECK_CATALOG.filter(({ id }) => (wanted?.has(id) ?? true) && !unwanted.has(id));
}

export function findMissingRequirements(
  { needs = [] }: Pick<CheckEntry, 'needs'>,
  options: Provided,
): CheckRequirement[] {
  const { probe, order, sandbox, restart, takesAmount = false } = options;
  const isOrdered = order !== undefined && sandbox !== undefined;
  const has: Readonly<Record<CheckRequirement, boolean>> = {
    probe: probe !== undefined,
    order: isOrdered,
    restart: restart !== undefined,
    amount: isOrdered && takesAmount,
  };
  return needs.filter((need) => !has[need]);
}

/** Returns the unmet requirements of these checks and of the `effects` scope. */
export function collectMissingRequirements(
  entries: readonly CheckEntry[],
  options: Provided,
): CheckRequirement[] {
  const needs = [...BASIC, ...entries.flatMap((entry) => entry.needs ?? [])];
  return findMissingRequirements({ needs: [...new Set(needs)] }, options);
}

export function resolveScope(options: Provided): CheckScope {
  return findMissingRequirements({ needs: BASIC }, options).length === 0 ? 'effects' : 'wire';
}

/** Returns true if a check covers effects rather than signatures or transport. */
export function isEffectCheck(id: string): boolean {
  return CHECK_CATALOG.some((entry) => entry.id === id && entry.needs?.includes('probe') === true);
}

/** Describes the options to add. While basic options are missing, lists only those options. */
export function describeMissingRequirements(missing: readonly CheckRequirement[]): string {
  const basic = BASIC.filter((need) => missing.includes(need));
  const flags = (basic.length > 0 ? basic : [...new Set(missing)]).map((need) => FLAGS[need]);
  return `add ${flags.join(' and ')}`;
}
