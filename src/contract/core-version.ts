import { RETRY_SCHEDULES } from './limits.js';
import { MOVES } from './transitions.js';

/**
 * Version of the core's rules. Increment this version with any rule change that alters the replay of existing
 * journals or invalidates existing states: files from other versions are rejected.
 */
const RULES_VERSION = 4;
/** Fingerprint of the tables released with these rules. */
const RELEASED_TABLES = 421_081;

/** Returns the core version, with a fingerprint appended if the tables changed. Ignores display texts. */
export function computeCoreVersion(...tables: readonly object[]): number {
  const text = JSON.stringify(tables, (key, value: unknown) =>
    key === 'label' || key === 'button' ? undefined : value,
  );
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  const fingerprint = hash % 1_000_000;
  return fingerprint === RELEASED_TABLES ? RULES_VERSION : Number(`${RULES_VERSION}${fingerprint}`);
}

export const CORE_VERSION = computeCoreVersion(RETRY_SCHEDULES, MOVES);

/** Returns the error message and hint for a state written by another core version. */
export function describeOtherCore(core: unknown, version: unknown) {
  return {
    message:
      `The state was written by core version ${String(core)} in pix-sandbox ` +
      `${String(version)}; this is core version ${CORE_VERSION}.`,
    hint: `Use the state with npx pix-sandbox@${String(version)}, or start a new sandbox.`,
  };
}
