import { LIMITS } from '../../contract/limits.js';
import { isObject } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import type { Found } from '../../schema/values.js';
import { HALVES, isWholeText, number, refine, whole } from '../../schema/values.js';
import { describe } from '../../text/describe.js';
import type { Metadata } from '../world.js';
import { isWholeJson, lengthOf, RAW } from './text-kinds.js';

export const METADATA = refine(RAW, parseMetadata, {
  type: 'object',
  maxProperties: LIMITS.metadataKeys,
  propertyNames: { minLength: 1, maxLength: LIMITS.metadataKeyLength },
  additionalProperties: { type: 'string', maxLength: LIMITS.metadataValueLength },
});

/** The metadata when none was given. */
export const NO_METADATA: Metadata = Object.freeze({});

function parseMetadata(value: unknown): Found<Metadata> {
  if (!isObject(value)) return { expected: 'an object of strings' };
  const entries = Object.entries(value);
  if (entries.length > LIMITS.metadataKeys) {
    return { problem: `Must have at most ${LIMITS.metadataKeys} keys.` };
  }
  const texts: [string, string][] = [];
  for (const [key, item] of entries) {
    if (key === '' || lengthOf(key) > LIMITS.metadataKeyLength) {
      return {
        problem: `Keys must have 1 to ${LIMITS.metadataKeyLength} characters; got ${lengthOf(key)}.`,
      };
    }
    if (typeof item !== 'string') {
      return { problem: `The value of ${key} must be a string; got ${describe(item)}.` };
    }
    if (lengthOf(item) > LIMITS.metadataValueLength) {
      return {
        problem: `The value of ${key} must have at most ${LIMITS.metadataValueLength} characters.`,
      };
    }
    if (!isWholeText(key) || !isWholeText(item)) return HALVES;
    texts.push([key, item]);
  }
  return { value: Object.fromEntries(texts) };
}

/** At least `least` of a closed set, in the set's order and each once. */
export function choices<const Choice extends string>(
  known: readonly Choice[],
  least: 0 | 1 = 1,
): Schema<Choice[]> {
  const words = known.join(', ');
  const wanted = least === 0 ? 'a list of any' : 'a list of one or more';
  const parse = (value: unknown): Found<Choice[]> => {
    if (!Array.isArray(value) || value.length < least) {
      return { problem: `Must be ${wanted} of ${words}.` };
    }
    const strangers = value.filter((item) => !known.some((one) => one === item));
    if (strangers.length === 0) return { value: known.filter((one) => value.includes(one)) };
    return { problem: `Must hold only ${words}; got ${strangers.map(describe).join(', ')}.` };
  };
  const json = { type: 'array', minItems: least, items: { type: 'string', enum: known } };
  return { ...refine(RAW, parse, json), what: `a list of ${words}` };
}

export function wholeNumber(least: number, most: number): Schema<number> {
  return whole(`a whole number from ${least} to ${most}`, { least, most });
}

/** A number above `above` and up to `most`. */
export function numberAbove(above: number, most: number): Schema<number> {
  return number(`a number above ${above} and up to ${most}`, { above, most });
}

/** A list of texts, which may be empty. */
export const TEXTS = refine(
  RAW,
  (value): Found<string[]> => (isTexts(value) ? { value } : { expected: 'a list of strings' }),
  { type: 'array', items: { type: 'string' } },
);

/** A list of pairs of texts, such as headers. */
export const PAIRS = refine(
  RAW,
  (value): Found<[string, string][]> =>
    Array.isArray(value) && value.every(isPair)
      ? { value }
      : { problem: 'Must be a list of pairs [name, value].' },
  { type: 'array', items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 } },
);

/** An object with values of any kind. */
export function valuesByName(example: object): Schema<Readonly<Record<string, unknown>>> {
  const parse = (value: unknown): Found<Readonly<Record<string, unknown>>> => {
    if (!isObject(value)) return { expected: `an object, such as ${JSON.stringify(example)}` };
    return isWholeJson(value) ? { value: Object.fromEntries(Object.entries(value)) } : HALVES;
  };
  return refine(RAW, parse, { type: 'object', examples: [example] });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isPair(value: unknown): value is [string, string] {
  return isTexts(value) && value.length === 2;
}
