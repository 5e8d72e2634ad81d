import { Refusal } from '../../../src/contract/refusals.js';

type Key = string | number;
/** Anything that no field takes: neither a text, a number, a truth value, a list nor an object with fields. */
const WRONG = Number.NaN;

/**
 * What a reader expects at each place of a whole example, in the first item alone of a list, in lines such as `.metadata?: an object or null`: `?` marks what may be
 * missing. `read` refuses with `<place>: expected <words>; got …`.
 */
export function fieldForms(example: object, read: (value: unknown) => unknown): string[] {
  const refusalOf = (value: unknown): string | undefined => {
    try {
      read(value);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  };
  return placesIn(example).map((place) => {
    const message = refusalOf(changed(example, place, WRONG)) ?? 'anything';
    const words = /expected (.*); got/.exec(message)?.[1] ?? message;
    const name = place.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    const isOptional = typeof place.at(-1) === 'string' && refusalOf(changed(example, place)) === undefined;
    const isNullable = words !== 'anything' && refusalOf(changed(example, place, null)) === undefined;
    return `${name}${isOptional ? '?' : ''}: ${words}${isNullable ? ' or null' : ''}`;
  });
}

function placesIn(value: unknown, place: readonly Key[] = []): (readonly Key[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: (readonly [Key, unknown])[] = Array.isArray(value)
    ? [...value.slice(0, 1).entries()]
    : Object.entries(value);
  return entries.flatMap(([key, item]) => {
    const found: (readonly Key[])[] = [[...place, key]];
    return found.concat(placesIn(item, [...place, key]));
  });
}

/** A copy with another value at a place, or without it. */
function changed(value: unknown, [key, ...rest]: readonly Key[], ...other: readonly [unknown?]): unknown {
  if (key === undefined) return other[0];
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<Key, unknown>;
  if (rest.length === 0 && other.length === 0) delete copy[key];
  else copy[key] = changed(copy[key], rest, ...other);
  return copy;
}
