import { messageOf } from '../input/body.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import type { Schema } from '../../schema/schema.js';
import { read } from '../../schema/schema.js';
import { isWholeJson, isWholeText } from '../input/text-kinds.js';

/** Reads a JSON value as a `Value`; one that is not is refused (INVALID_REQUEST) with the place where it stands. */
export type Shape<Value> = (value: unknown, place: string) => Value;

function refuse(place: string, expected: string, value: unknown): never {
  const got = (JSON.stringify(value) ?? 'nothing').slice(0, 60);
  throw new Refusal('INVALID_REQUEST', `${place}: expected ${expected}; got ${got}.`);
}

function simple<Value>(expected: string, is: (value: unknown) => value is Value): Shape<Value> {
  return (value, place) => (is(value) ? value : refuse(place, expected, value));
}

/** A string in which no half of a surrogate pair stands alone. */
export const text = textThat('a string', () => true);
export const flag = simple('true or false', (value) => typeof value === 'boolean');
export const number = simple('a number', (value): value is number => Number.isFinite(value));
/** Any JSON at all, but there. */
export const anything = simple('a value', (value): value is unknown => value !== undefined);
/** Any JSON that a door would take. */
export const json = simple(
  `a JSON value of whole characters, at most ${LIMITS.jsonDepth} levels deep`,
  (value): value is unknown => value !== undefined && isWholeJson(value),
);

/** A whole number, the ends included. */
export function between(least: number, most: number): Shape<number> {
  return simple(
    `a whole number from ${least} to ${most}`,
    (value): value is number =>
      Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  );
}

/** A string of whole characters for which `is` holds. */
export function textThat(expected: string, is: (value: string) => boolean): Shape<string> {
  return simple(
    expected,
    (value): value is string => typeof value === 'string' && isWholeText(value) && is(value),
  );
}

/** The same of a string that no message may repeat. */
export function secretThat(expected: string, is: (value: string) => boolean): Shape<string> {
  const shape = textThat(expected, is);
  return (value, place) => {
    must(
      typeof value !== 'string' || (isWholeText(value) && is(value)),
      place,
      `${expected}; got another text`,
    );
    return shape(value, place);
  };
}

/** What the doors take for this, as it is kept. */
export function ofKind<Value>(schema: Schema<Value>): Shape<Value> {
  return (value, place) => {
    const found = read(schema, value, { most: 1 });
    const [mistake] = found.mistakes;
    if (mistake !== undefined) throw new Refusal('INVALID_REQUEST', `${place}: ${messageOf(mistake)}`);
    return found.value as Value;
  };
}

/** Refuses (INVALID_REQUEST) what does not hold of the thing at a place. */
export function must(holds: boolean, place: string, expected: string): asserts holds {
  if (!holds) throw new Refusal('INVALID_REQUEST', `${place}: expected ${expected}.`);
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
      Object.entries(members(value, place)).map(([key, item]) => [
        text(key, `${place}, a key`),
        shape(item, `${place}.${key}`),
      ]),
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
