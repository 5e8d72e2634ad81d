import type { Found, Kind } from './kind.js';
import { describe, isObject } from './kind.js';
import { LIMITS } from '../../contract/limits.js';
import { isWholeJson, isWholeText, lengthOf } from './text-kinds.js';
import type { Metadata } from '../world.js';

const HALVES = { problem: 'Must not hold half of a surrogate pair.' };

export const METADATA: Kind<Metadata> = {
  schema: {
    type: 'object',
    maxProperties: LIMITS.metadataKeys,
    propertyNames: { minLength: 1, maxLength: LIMITS.metadataKeyLength },
    additionalProperties: { type: 'string', maxLength: LIMITS.metadataValueLength },
  },
  parse: parseMetadata,
  standIn: Object.freeze({}),
};

function parseMetadata(value: unknown): Found<Metadata> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: `Must be an object of strings; got ${describe(value)}.` };
  }
  const entries: [string, unknown][] = Object.entries(value);
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

/** One of a closed set; the first one stands in. */
export function choice<Choice extends string>(choices: readonly Choice[]): Kind<Choice> {
  const [first] = choices;
  if (first === undefined) throw new RangeError('Expected one choice or more.');
  return {
    schema: { type: 'string', enum: choices },
    parse: (value) => {
      const chosen = choices.find((known) => known === value);
      if (chosen !== undefined) return { value: chosen };
      return { problem: `Must be one of ${choices.join(', ')}; got ${describe(value)}.` };
    },
    standIn: first,
    wanted: `one of ${choices.join(', ')}`,
  };
}

/** One or more of a closed set, in the set's order and each once. */
export function choices<Choice extends string>(known: readonly Choice[]): Kind<readonly Choice[]> {
  return {
    schema: { type: 'array', minItems: 1, items: { type: 'string', enum: known } },
    parse: (value) => {
      if (!Array.isArray(value) || value.length === 0) {
        return { problem: `Must be a list of one or more of ${known.join(', ')}.` };
      }
      const strangers = value.filter((item) => !known.some((one) => one === item));
      if (strangers.length === 0) return { value: known.filter((one) => value.includes(one)) };
      return { problem: `Must hold only ${known.join(', ')}; got ${strangers.map(describe).join(', ')}.` };
    },
    standIn: [],
    wanted: `a list of ${known.join(', ')}`,
  };
}

export function wholeNumber(least: number, most: number): Kind<number> {
  return {
    schema: { type: 'integer', minimum: least, maximum: most },
    parse: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
        ? { value }
        : { problem: `Must be a whole number from ${least} to ${most}; got ${describe(value)}.` },
    standIn: least,
    wanted: `a whole number from ${least} to ${most}`,
  };
}

/** A number above `above`, or from `least`, up to `most`. */
export function number(
  range: { least: number; most: number } | { above: number; most: number },
): Kind<number> {
  const { most } = range;
  const isAbove = 'above' in range;
  const words = isAbove ? `above ${range.above} and up to ${most}` : `from ${range.least} to ${most}`;
  return {
    schema: {
      type: 'number',
      ...(isAbove ? { exclusiveMinimum: range.above } : { minimum: range.least }),
      maximum: most,
    },
    parse: (value) =>
      typeof value === 'number' && value <= most && (isAbove ? value > range.above : value >= range.least)
        ? { value }
        : { problem: `Must be a number ${words}; got ${describe(value)}.` },
    standIn: most,
    wanted: `a number ${words}`,
  };
}

export const FLAG: Kind<boolean> = {
  schema: { type: 'boolean' },
  parse: (value) =>
    typeof value === 'boolean' ? { value } : { problem: `Must be true or false; got ${describe(value)}.` },
  standIn: false,
};

/** A list of texts, which may be empty. */
export const TEXTS: Kind<readonly string[]> = {
  schema: { type: 'array', items: { type: 'string' } },
  parse: (value) =>
    isTexts(value) ? { value } : { problem: `Must be a list of strings; got ${describe(value)}.` },
  standIn: [],
};

/** A list of pairs of texts, such as headers. */
export const PAIRS: Kind<readonly (readonly [string, string])[]> = {
  schema: {
    type: 'array',
    items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
  },
  parse: (value) =>
    Array.isArray(value) && value.every(isPair)
      ? { value }
      : { problem: 'Must be a list of pairs [name, value].' },
  standIn: [],
};

/** An object with values of any kind. */
export function valuesByName(example: object): Kind<Readonly<Record<string, unknown>>> {
  return {
    schema: { type: 'object', examples: [example] },
    parse: (value) => {
      if (!isObject(value)) {
        return { problem: `Must be an object, such as ${JSON.stringify(example)}; got ${describe(value)}.` };
      }
      return isWholeJson(value) ? { value: Object.fromEntries(Object.entries(value)) } : HALVES;
    },
    standIn: {},
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isPair(value: unknown): value is [string, string] {
  return isTexts(value) && value.length === 2;
}
