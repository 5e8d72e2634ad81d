import {
  type FieldTable,
  mapFields,
  type Metadata,
  type ShownValues,
  toStoredName,
  type StoredValues,
} from '../../contract/fields.js';
import { type Delay, DELAY_FORMS, DELAY_PATTERN, getLongDelay, parseDelay } from '../../contract/delay.js';
import { LIMITS } from '../../contract/limits.js';
import { AMOUNT_MAX_CENTS, parseAmount } from '../../contract/money.js';
import {
  DURATION_PATTERN,
  formatDuration,
  INSTANT_PATTERN,
  LAST_INSTANT_MS,
  parseDuration,
  parseInstant,
} from '../../contract/time.js';
import { array, tuple } from '../../schema/compound.js';
import { isObject, renameField, nullable, nullish } from '../../schema/object.js';
import type { JsonSchema, Schema } from '../../schema/schema.js';
import {
  rawText,
  anyValue,
  type Refinement,
  LONE_SURROGATE,
  isWellFormed,
  number,
  refine,
  text as textOfForm,
  integer,
} from '../../schema/values.js';
import { describeValue } from '../../text/errors.js';
import { UUID_PATTERN } from '../ids.js';
import { DOCUMENT_PATTERN, normalizeDocument, detectPixKeyType } from '../payments/documents.js';
import * as is from '../resources/values.js';

/** Format of a text field, with the error message for texts that don't match. */
export interface TextForm {
  readonly pattern: RegExp;
  /** Portable replacement for `pattern` in JSON Schema; accepts every text that `pattern` accepts. */
  readonly portable?: string;
  readonly problem: (text: string) => string;
  readonly examples?: readonly string[];
}

const DURATION_LENGTH = 40;
const INSTANT_LENGTH = 40;

interface DurationRange {
  readonly minMs?: number;
  readonly maxMs?: number;
  readonly example: string;
}

const ANY_VISIBLE: TextForm = {
  pattern: /^[^\p{Cc}\p{Cs}]*$/u,
  portable: String.raw`^[^\x00-\x1f\x7f-\x9f]*$`,
  problem: () => 'Must not contain control characters or lone surrogates.',
};

/** Excludes separators and invisible characters of any script. */
const CODE_FORM: TextForm = {
  pattern: /^[^\p{Z}\p{Cc}\p{Cf}\p{Cs}]+$/u,
  portable: String.raw`^[^\s\x00-\x1f\x7f-\x9f]+$`,
  problem: (text) => `Must be printable text without spaces; got ${JSON.stringify(text)}.`,
  examples: ['order-1042'],
};

const UUID_FORM: TextForm = {
  pattern: UUID_PATTERN,
  problem: (text) => `Must be a UUID; got ${JSON.stringify(text)}.`,
};

const DOCUMENT_FORM: TextForm = {
  pattern: DOCUMENT_PATTERN,
  problem: () => 'Must be a CPF or CNPJ with valid check digits.',
};

/** Returns true if a JSON value has no lone surrogates and no nesting beyond the body limit. */
export function isWholeJson(value: unknown, levels: number = LIMITS.jsonDepth): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value !== 'object' || value === null) return true;
  return (
    levels > 0 &&
    Object.entries(value).every(([key, item]) => isWellFormed(key) && isWholeJson(item, levels - 1))
  );
}

/** Counts code points, so characters beyond 16 bits count as one. */
export function countCharacters(text: string): number {
  let length = 0;
  for (const _character of text) length += 1;
  return length;
}

/** Accepts any value, including undefined; the refinement reports issues and provides the JSON Schema. */
const RAW: Schema<unknown, never> = { what: anyValue.what, json: {}, read: (value) => value };

const NO_STRING = { expected: 'a string' };

/** Accepts any text, including the empty string. */
export const RAW_TEXT: Schema<string> = { ...rawText(), what: anyValue.what };

/** Accepts a text of 1 to `maxLength` characters. */
export function acceptText(maxLength: number, form: TextForm = ANY_VISIBLE): Schema<string> {
  const { pattern, portable = pattern.source, problem, examples } = form;
  const parse = (value: unknown): Refinement<string> => {
    if (typeof value !== 'string') return NO_STRING;
    // Code points never outnumber UTF-16 units, so counting them is rarely needed.
    const length = value.length > maxLength ? countCharacters(value) : value.length;
    if (length === 0 || length > maxLength) {
      return { problem: `Must have 1 to ${maxLength} characters; got ${length}.` };
    }
    return pattern.test(value) ? { value } : { problem: problem(value) };
  };
  const examplesToo = examples === undefined ? {} : { examples };
  return refine(RAW, parse, { type: 'string', minLength: 1, maxLength, pattern: portable, ...examplesToo });
}

const ERROR_CODE_FORM: TextForm = {
  pattern: /^[A-Z][A-Z0-9_]{0,63}$/,
  problem: () => 'Must be a code of up to 64 capital letters, digits and underscores, such as CAMERA_DENIED.',
  examples: ['CAMERA_DENIED'],
};
/** Error code reported by a session's page instead of a decision. */
export const ERROR_CODE = acceptText(LIMITS.nameLength, ERROR_CODE_FORM);

const ORIGIN = /^https?:\/\/(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::(?:\d{1,5}|\*))?$/;
const DEFAULT_PORT = /:443$(?<=^https:.*)|:80$(?<=^http:.*)/;

/**
 * Normalizes an origin to the form that browsers send, allowing `*` as the port. Returns undefined for any
 * other string.
 */
export function normalizeOrigin(text: string): string | undefined {
  const origin = text.toLowerCase().replace(/\/$/, '').replace(DEFAULT_PORT, '');
  return ORIGIN.test(origin) && origin.length <= LIMITS.urlLength ? origin : undefined;
}

export const NAME_INPUT = acceptText(LIMITS.nameLength);

export const CODE_INPUT = acceptText(LIMITS.codeLength, CODE_FORM);

export const UUID_INPUT = refine(
  acceptText(LIMITS.nameLength, UUID_FORM),
  (id): Refinement<string> => ({ value: id.toLowerCase() }),
  { format: 'uuid' },
);

/** Parses a positive JSON amount into cents. */
export const AMOUNT_INPUT: Schema<number, string> = refine(
  RAW,
  (value): Refinement<number> => {
    const parsed = parseAmount(value);
    return 'cents' in parsed ? { value: parsed.cents } : { problem: `The amount ${parsed.problem}.` };
  },
  {
    type: 'string',
    pattern: String.raw`^(?:[1-9]\d{0,9}(?:\.\d{1,2})?|0\.(?:[1-9]\d?|0[1-9]))$`,
    examples: ['10.00'],
  },
);

/** Accepts a CPF or CNPJ and removes its punctuation. */
export const DOCUMENT_INPUT = refine(
  acceptText(LIMITS.nameLength, DOCUMENT_FORM),
  (document): Refinement<string> => {
    const value = normalizeDocument(document);
    return value === undefined ? { problem: DOCUMENT_FORM.problem(document) } : { value };
  },
  { description: 'A CPF or CNPJ with valid check digits, with or without punctuation.' },
);

const INSTANT_FORM = {
  pattern: INSTANT_PATTERN,
  problem: () => 'Must be an instant such as 2026-01-31T12:00:00Z.',
  examples: ['2026-01-31T12:00:00Z'],
};

/** Parses an instant with a time zone into Unix milliseconds. */
export const INSTANT_INPUT = refine(
  acceptText(INSTANT_LENGTH, INSTANT_FORM),
  (written): Refinement<number> => {
    const value = parseInstant(written);
    return value === undefined ? { problem: INSTANT_FORM.problem() } : { value };
  },
);

/** Parses a duration such as `90s` or `1d12h` into milliseconds, between `minMs` and `maxMs`. */
export function acceptDuration({ minMs = 0, maxMs, example }: DurationRange): Schema<number, string> {
  const limit = maxMs === undefined ? '' : ` up to ${formatDuration(maxMs)}`;
  const json = maxMs === undefined ? {} : { description: `A duration${limit}.` };
  return acceptTime<number>({
    pattern: DURATION_PATTERN,
    what: `a duration such as ${example}`,
    problem: (got) => `Must be a duration${limit}, such as ${example}; got ${got}.`,
    examples: [example],
    json,
    parse: (text) => {
      const ms = parseDuration(text);
      return ms !== undefined && ms >= minMs && ms <= (maxMs ?? Infinity) ? ms : undefined;
    },
  });
}

/** Parses a delay: a duration, a distribution such as `2.8s~4.6s`, or the name of one; up to `maxMs`. */
export function acceptDelay(maxMs = LAST_INSTANT_MS): Schema<Delay, string> {
  const limit = maxMs === LAST_INSTANT_MS ? '' : `, up to ${formatDuration(maxMs)}`;
  return acceptTime<Delay>({
    pattern: DELAY_PATTERN,
    what: DELAY_FORMS,
    problem: (got) => `Must be ${DELAY_FORMS}${limit}; got ${got}.`,
    examples: ['3s', '2.8s~4.6s'],
    json: { description: `A delay: ${DELAY_FORMS}${limit}.` },
    parse: (text) => {
      const delay = parseDelay(text);
      return delay !== undefined && getLongDelay(delay) <= maxMs ? delay : undefined;
    },
  });
}

interface TimeForm<Value> extends TextForm {
  readonly what: string;
  readonly json: JsonSchema;
  readonly parse: (text: string) => Value | undefined;
}

function acceptTime<Value>({ what, json, parse, ...form }: TimeForm<Value>): Schema<Value, string> {
  const read = (text: string): Refinement<Value> => {
    const value = parse(text);
    return value === undefined ? { problem: form.problem(text) } : { value };
  };
  return { ...refine(acceptText(DURATION_LENGTH, form), read, json), what };
}

export const METADATA_INPUT: Schema<Metadata> = refine(RAW, parseMetadata, {
  type: 'object',
  maxProperties: LIMITS.metadataKeys,
  propertyNames: { minLength: 1, maxLength: LIMITS.metadataKeyLength },
  additionalProperties: { type: 'string', maxLength: LIMITS.metadataValueLength },
});

function parseMetadata(value: unknown): Refinement<Metadata> {
  if (!isObject(value)) return { expected: 'an object of strings' };
  const entries = Object.entries(value);
  if (entries.length > LIMITS.metadataKeys) {
    return { problem: `Must have at most ${LIMITS.metadataKeys} keys.` };
  }
  const texts: [string, string][] = [];
  for (const [key, item] of entries) {
    if (key === '' || countCharacters(key) > LIMITS.metadataKeyLength) {
      return {
        problem: `Keys must have 1 to ${LIMITS.metadataKeyLength} characters; got ${countCharacters(key)}.`,
      };
    }
    if (typeof item !== 'string') {
      return { problem: `The value of ${key} must be a string; got ${describeValue(item)}.` };
    }
    if (countCharacters(item) > LIMITS.metadataValueLength) {
      return {
        problem: `The value of ${key} must have at most ${LIMITS.metadataValueLength} characters.`,
      };
    }
    if (!isWellFormed(key) || !isWellFormed(item)) return LONE_SURROGATE;
    texts.push([key, item]);
  }
  return { value: Object.fromEntries(texts) };
}

/** Creates a schema for strings that satisfy a condition. */
export function createTextSchema(what: string, holds: (value: string) => boolean): Schema<string> {
  return refine<string, string>(textOfForm(what), (value) => (holds(value) ? { value } : { expected: what }));
}

const PIX_KEY_PROBLEM =
  'Must be a CPF or CNPJ without punctuation, an e-mail address, ' +
  'a phone such as +5511987654321, or a random key (UUID).';
const PIX_KEY = refine(NAME_INPUT, (value): Refinement<string> =>
  detectPixKeyType(value) === undefined ? { problem: PIX_KEY_PROBLEM } : { value },
);

/** CPF or CNPJ without punctuation, as stored in rows. */
export const BARE_DOCUMENT = createTextSchema(
  'a CPF or CNPJ without punctuation',
  (bare) => normalizeDocument(bare) === bare,
);

export const CENTS_SCHEMA = integerRange(1, AMOUNT_MAX_CENTS);

/** Groups the schemas of a field kind for requests, responses and rows. */
function kind(input: Schema<unknown>, shown = input, stored = input) {
  return { input, shown, stored };
}

const FIELD_SCHEMAS = {
  code: kind(CODE_INPUT, is.createLimitedText(LIMITS.codeLength)),
  id: kind(UUID_INPUT, is.UUID, is.TEXT),
  money: kind(AMOUNT_INPUT, is.AMOUNT, CENTS_SCHEMA),
  name: kind(NAME_INPUT, is.createLimitedText(LIMITS.nameLength)),
  document: kind(DOCUMENT_INPUT, is.TEXT, BARE_DOCUMENT),
  key: kind(PIX_KEY, is.createLimitedText(LIMITS.nameLength)),
  metadata: kind(METADATA_INPUT),
};

type Schemas<Values> = { readonly [Name in keyof Values]: Schema<Values[Name]> };

/** Creates field schemas, keyed by row or response name. Absent input uses the stored default, if any. */
export function createFieldSchemas<Of extends FieldTable, As extends 'input' | 'shown' | 'stored'>(
  as: As,
  table: Of,
  isPartial = false,
): Schemas<As extends 'shown' ? ShownValues<Of> : StoredValues<Of>> {
  return mapFields(table, (name, field) => {
    const empty = isPartial ? undefined : field.empty;
    const key = as === 'shown' ? name : toStoredName(name);
    const schema: Schema<unknown> = FIELD_SCHEMAS[field.kind][as];
    const isRequired = empty === undefined && !isPartial;
    if (as === 'input') return [key, renameField(name, isRequired ? schema : nullish(schema, empty))];
    return [key, empty === null ? nullable(schema) : schema];
  }) as never;
}

/**
 * Accepts at least `min` values of a closed set. Removes duplicates and sorts the values in the set's order.
 */
export function acceptChoices<const Choice extends string>(
  known: readonly Choice[],
  min: 0 | 1 = 1,
): Schema<Choice[], readonly Choice[]> {
  const words = known.join(', ');
  const wanted = min === 0 ? 'a list of any' : 'a list of one or more';
  const parse = (value: unknown): Refinement<Choice[]> => {
    if (!Array.isArray(value) || value.length < min) {
      return { problem: `Must be ${wanted} of ${words}.` };
    }
    const strangers = value.filter((item) => !known.some((one) => one === item));
    if (strangers.length === 0) return { value: known.filter((one) => value.includes(one)) };
    return { problem: `Must contain only ${words}; got ${strangers.map(describeValue).join(', ')}.` };
  };
  const json = { type: 'array', minItems: min, items: { type: 'string', enum: known } };
  return { ...refine(RAW, parse, json), what: `a list of ${words}` };
}

export function integerRange(min: number, max: number): Schema<number> {
  return integer(`a whole number from ${min} to ${max}`, { min, max });
}

export function createNumberAboveSchema(above: number, max: number): Schema<number> {
  return number(`a number above ${above} and up to ${max}`, { above, max });
}

const STRING = rawText();
export const TEXT_LIST = array(STRING, { what: 'a list of strings' });
export const PAIR_LIST = array(tuple('a pair [name, value]', [STRING, STRING]), {
  what: 'a list of pairs [name, value]',
});

export function createValuesSchema(example: object): Schema<Readonly<Record<string, unknown>>> {
  const parse = (value: unknown): Refinement<Readonly<Record<string, unknown>>> => {
    if (!isObject(value)) return { expected: `an object, such as ${JSON.stringify(example)}` };
    return isWholeJson(value) ? { value: Object.fromEntries(Object.entries(value)) } : LONE_SURROGATE;
  };
  return refine(RAW, parse, { type: 'object', examples: [example] });
}
