import { exactNumber } from '../../../text/exact-number.js';
import type { OptionSpec } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { parsePairs } from '../../program/pairs.js';

const FORM = 'path=value or path:=json';
/** A JSON number, as far as its first characters tell. */
const NUMERIC = /^-?\d/;

/** A repeatable option that takes `path=value` and `path:=json`: the body of `override`, as the control API reads it. */
export function overrides(
  placeholder: string,
  description: string,
): OptionSpec<Readonly<Record<string, unknown>> | undefined> {
  return {
    placeholder,
    description,
    repeats: true,
    read: (given, flag) => (Array.isArray(given) ? overridesOf(flag, given.map(String)) : undefined),
  };
}

function overridesOf(flag: string, texts: readonly string[]): Record<string, unknown> {
  const nameless = texts.find((text) => text.startsWith(':='));
  if (nameless !== undefined) throw usageError(`${flag} takes ${FORM}; got ${nameless}.`);
  const pairs = Object.entries(parsePairs(flag, texts, FORM));
  return Object.fromEntries(
    pairs.map(([path, text]) => [path, path.endsWith(':') ? jsonOf(flag, path, text) : text]),
  );
}

function jsonOf(flag: string, path: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'number' || exactNumber(text.trim()) !== undefined) return value;
  } catch {
    // The error below says what was expected.
  }
  const name = path.slice(0, -1);
  throw NUMERIC.test(text)
    ? usageError(`${flag} ${path}= takes a JSON number that can be kept exactly; got ${text}.`)
    : usageError(
        `${flag} ${path}= takes JSON; got ${text}.`,
        `For a text, write ${name}=${text}, or quote it as JSON: '${path}=${JSON.stringify(text)}'.`,
      );
}
