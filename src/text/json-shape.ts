import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';

/**
 * Refuses (INVALID_REQUEST) a parsed JSON body with too much nesting, or with a key able to change the
 * prototype of its copies.
 */
export function checkJsonShape(value: unknown, depth = 1): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > LIMITS.jsonDepth) {
    throw new Refusal('INVALID_REQUEST', `The body is nested deeper than ${LIMITS.jsonDepth} levels.`);
  }
  if (Array.isArray(value)) {
    for (const item of value) checkJsonShape(item, depth + 1);
    return;
  }
  if (Object.hasOwn(value, '__proto__')) {
    throw new Refusal('INVALID_REQUEST', 'A key must not be named __proto__.');
  }
  for (const member of Object.values(value)) checkJsonShape(member, depth + 1);
}
