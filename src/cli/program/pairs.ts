import type { Pairs } from '../../text/pairs.js';
import { readPairs } from '../../text/pairs.js';
import type { OptionSpec } from './declaration.js';
import { usageError } from './errors.js';

/** What the texts of an option say; a usage error where they cannot be read. */
export function valuesOf<Value>(option: string, read: Pairs<Value>): Readonly<Record<string, Value>> {
  if ('problem' in read) throw usageError(`${option} ${read.problem}`, read.hint);
  return read.values;
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
    read: (given, flag) => (Array.isArray(given) ? valuesOf(flag, readPairs(given.map(String))) : undefined),
  };
}
