import { fileURLToPath } from 'node:url';
import { AGE_REGEX, LOCAL_TIME_REGEX } from '../../../src/check/probe.js';
import { DELAY_PATTERN } from '../../../src/contract/delay.js';
import { isNode, readSources, treeOf, walk } from './sources.js';

/** Code of the constructed regular expressions of `src`, each with one result. */
export const CONSTRUCTED: Readonly<Record<string, RegExp>> = {
  "new RegExp(`^(?:${text.replaceAll('x', '\\\\d').replaceAll(',', '|')})$`)": /^(?:4\d\d|5\d\d|401)$/,
  "new RegExp(`^${path.replaceAll(/:\\w+/g, '[^/]+')}$`)":
    /^\/api\/public\/v1\/webhook-endpoints\/[^/]+\/deliveries\/[^/]+\/retry$/,
  'new RegExp(`^[ -~]{${KEY_MIN},${KEY_MAX}}$`)': /^[ -~]{16,255}$/,
  "new RegExp(`^(?:${PARTS}(?:~${PARTS})?|${NAMES.join('|')})$`)": DELAY_PATTERN,
  'new RegExp(`^${pattern}$`)': /^(?:POST|PUT|PATCH|DELETE) \/(?:pix|charges?|payments?)\/[^/]+(?:\/[^/]+)?$/,
  'new RegExp(`^[\\\\x20-\\\\x7e]{1,${LIMITS.idempotencyKeyLengthMax}}$`)': /^[\x20-\x7e]{1,255}$/,
  "new RegExp(Array.from(secret, createCharacterPattern).join(''), 'g')":
    /(?:a|%[6][1]|\\u[0][0][6][1])(?:\/|\\\/|%[2][fF])/g,
  "new RegExp(AGE_PATTERN, 'gi')": AGE_REGEX,
  "new RegExp(LOCAL_TIME_PATTERN, 'gi')": LOCAL_TIME_REGEX,
  'new RegExp(`^[\\\\x21-\\\\x7e]{1,${LIMITS.nonceLengthMax}}$`)': /^[\x21-\x7e]{1,128}$/,
};

const literals = new Map<string, RegExp>();
/** Code of every `RegExp(…)` in `src`. */
export const constructorCalls = new Set<string>();

for (const text of readSources(fileURLToPath(new URL('../../../src', import.meta.url))).values()) {
  walk(treeOf(text), ({ regex, callee, start, end }) => {
    if (typeof regex === 'object' && regex !== null) {
      const { pattern, flags } = regex as { readonly pattern: string; readonly flags: string };
      literals.set(`/${pattern}/${flags}`, new RegExp(pattern, flags));
    }
    if (isNode(callee) && callee['name'] === 'RegExp')
      constructorCalls.add(text.slice(Number(start), Number(end)));
  });
}

/** Every regular expression of `src`. */
export const regularExpressions: readonly RegExp[] = [...literals.values(), ...Object.values(CONSTRUCTED)];
