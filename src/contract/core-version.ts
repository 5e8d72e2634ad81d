import { RETRY_SCHEDULES } from './limits.js';
import { type Move, MOVES } from './transitions.js';

/**
 * The version of the core's rules. Raise it with every change of a rule that makes an earlier journal replay
 * differently, or an earlier state invalid: files of another version are refused.
 */
const RULES_VERSION = 3;
/** The fingerprint of the tables that these rules were released with. */
const RELEASED_TABLES = 560_464;
const FINGERPRINTS = 1_000_000;

/** Hashes the tables that a replay follows; their texts may change. */
function fingerprintOf(
  schedules: object,
  moves: Readonly<Record<string, Readonly<Record<string, Move>>>>,
): number {
  const rules = Object.values(moves).map((own) =>
    Object.entries(own).map(([name, { from, to, event }]) => [name, from.toSorted(), to, event]),
  );
  let hash = 0;
  for (const character of JSON.stringify([schedules, rules]))
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % FINGERPRINTS;
}

/** Returns the version of a core with these tables: changed ones add their fingerprint to that of the rules. */
export function coreVersionWith(...tables: Parameters<typeof fingerprintOf>): number {
  const fingerprint = fingerprintOf(...tables);
  return fingerprint === RELEASED_TABLES ? RULES_VERSION : RULES_VERSION * FINGERPRINTS + fingerprint;
}

/** The version of the core's behavior. */
export const CORE_VERSION = coreVersionWith(RETRY_SCHEDULES, MOVES);

/** Refuses a state that another version of the core wrote: its problem, and what to do with it. */
export function otherCoreState(core: unknown, version: unknown) {
  return {
    message:
      `The state was written by version ${String(core)} of the core, in pix-sandbox ` +
      `${String(version)}; this is version ${CORE_VERSION}.`,
    hint: `Use it with npx pix-sandbox@${String(version)}, or start over with a new sandbox.`,
  };
}
