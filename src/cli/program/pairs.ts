import type { OptionSpec } from './declaration.js';
import { usageError } from './errors.js';

/** `key=value` texts as an object. */
export function parsePairs(
  option: string,
  texts: readonly string[],
  form = 'key=value',
): Record<string, string> {
  const pairs = texts.map((text): [string, string] => {
    const split = text.indexOf('=');
    if (split < 1) throw usageError(`${option} takes ${form}; got ${text}.`);
    return [text.slice(0, split), text.slice(split + 1)];
  });
  return Object.fromEntries(pairs);
}

/** A repeatable option that takes `key=value`; undefined if not given. */
export function pairs(
  placeholder: string,
  description: string,
): OptionSpec<Readonly<Record<string, string>> | undefined> {
  return {
    placeholder,
    description,
    repeats: true,
    read: (given, flag) => (Array.isArray(given) ? parsePairs(flag, given.map(String)) : undefined),
  };
}
