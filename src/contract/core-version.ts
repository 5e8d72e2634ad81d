import { RETRY_SCHEDULES } from './limits.js';
import { MOVES } from './transitions.js';

/**
 * The version of the core's rules. Raise it with every change of a rule that makes an earlier journal replay
 * differently, or an earlier state invalid: files of another version are refused.
 */
const RULES_VERSION = 4;
/** The fingerprint of the tables that these rules were released with. */
const RELEASED_TABLES = 421_081;

/** Returns the version of a core with these tables: changed ones add their fingerprint. Texts do not count. */
export function coreVersionWith(...tables: readonly object[]): number {
  const text = JSON.stringify(tables, (key, value: unknown) =>
    key === 'label' || key === 'button' ? undefined : value,
  );
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  const fingerprint = hash % 1_000_000;
  return fingerprint === RELEASED_TABLES ? RULES_VERSION : Number(`${RULES_VERSION}${fingerprint}`);
}

export const CORE_VERSION = coreVersionWith(RETRY_SCHEDULES, MOVES);

/** Refuses a state that another version of the core wrote: its problem, and what to do with it. */
export function describeOtherCore(core: unknown, version: unknown) {
  return {
    message:
      `The state was written by version ${String(core)} of the core, in pix-sandbox ` +
      `${String(version)}; this is version ${CORE_VERSION}.`,
    hint: `Use it with npx pix-sandbox@${String(version)}, or start over with a new sandbox.`,
  };
}
