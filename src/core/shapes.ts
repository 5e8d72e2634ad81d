import { Refusal } from './refusal.js';

/** Reads a JSON value as a `Value`; one that is not is refused (INVALID_REQUEST) with the place where it stands. */
export type Shape<Value> = (value: unknown, place: string) => Value;

function refuse(place: string, expected: string, value: unknown): never {
  const got = (JSON.stringify(value) ?? 'nothing').slice(0, 60);
  throw new Refusal('INVALID_REQUEST', `${place}: expected ${expected}; got ${got}.`);
}

function simple<Value>(expected: string, is: (value: unknown) => value is Value): Shape<Value> {
  return (value, place) => (is(value) ? value : refuse(place, expected, value));
}

export const text = simple('a string', (value) => typeof value === 'string');
export const flag = simple('true or false', (value) => typeof value === 'boolean');
export const number = simple('a number', (value) => typeof value === 'number');
export const whole = simple(
  'a whole number from 0 up',
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Any JSON at all, but there. */
export const anything = simple('a value', (value): value is unknown => value !== undefined);

/** A string for which `is` holds. */
export function textThat(expected: string, is: (value: string) => boolean): Shape<string> {
  return simple(expected, (value): value is string => typeof value === 'string' && is(value));
}

/** A number for which `is` holds. */
export function numberThat(expected: string, is: (value: number) => boolean): Shape<number> {
  return simple(expected, (value): value is number => typeof value === 'number' && is(value));
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]): Shape<Choice> {
  return (value, place) =>
    choices.find((choice) => choice === value) ?? refuse(place, `one of ${choices.join(', ')}`, value);
}

/** A key of a table of words. */
export function keyOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Shape<Key> {
  return oneOf(Object.keys(table) as Key[]);
}

export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value, place) => (value === null ? null : shape(value, place));
}

export function list<Value>(shape: Shape<Value>): Shape<Value[]> {
  return (value, place) =>
    Array.isArray(value)
      ? value.map((item, index) => shape(item, `${place}[${index}]`))
      : refuse(place, 'a list', value);
}

/** A value under each of any keys. */
export function record<Value>(shape: Shape<Value>): Shape<Record<string, Value>> {
  return (value, place) =>
    Object.fromEntries(
      Object.entries(members(value, place)).map(([key, item]) => [key, shape(item, `${place}.${key}`)]),
    );
}

type ShapesOf<Value> = { readonly [Key in keyof Value]-?: Shape<Value[Key]> };

/** Exactly these fields. One whose shape takes nothing at all may be absent. */
export function object<Value extends object>(shapes: ShapesOf<Value>): Shape<Value> {
  const fields = Object.entries<Shape<unknown>>(shapes);
  return (value, place) => {
    const given = members(value, place);
    const read: Record<string, unknown> = {};
    for (const [field, shape] of fields) {
      const item = shape(given[field], `${place}.${field}`);
      if (item !== undefined) read[field] = item;
    }
    for (const field of Object.keys(given)) {
      if (!Object.hasOwn(shapes, field)) refuse(`${place}.${field}`, 'no such field', given[field]);
    }
    return read as Value;
  };
}

export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value, place) => (value === undefined ? undefined : shape(value, place));
}

function members(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  return refuse(place, 'an object', value);
}
