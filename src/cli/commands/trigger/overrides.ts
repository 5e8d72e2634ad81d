import { readOverrides } from '../../../text/overrides.js';
import type { OptionSpec } from '../../program/declaration.js';
import { valuesOf } from '../../program/pairs.js';

/** A repeatable option that takes `path=value` and `path:=json`: the body of `override`, as the control API reads it. */
export function overrides(
  placeholder: string,
  description: string,
): OptionSpec<Readonly<Record<string, unknown>> | undefined> {
  return {
    placeholder,
    description,
    repeats: true,
    read: (given, flag) =>
      Array.isArray(given) ? valuesOf(flag, readOverrides(given.map(String))) : undefined,
  };
}
