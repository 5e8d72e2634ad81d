import { resolveAssumptions, ASSUMPTION_IDS, describeAssumption } from '../contract/assumptions.js';
import { Refusal } from '../contract/refusals.js';
import { DELAY_FORMS, DELAY_PATTERN, parseDelay } from '../contract/delay.js';
import { parseRateLimit, RATE_FORM, RATE_SOURCE } from '../contract/rate-limit.js';
import { DURATION_PATTERN, INSTANT_PATTERN, parseDuration, parseInstant } from '../contract/time.js';
import { ENVIRONMENT_VARIABLES } from '../contract/enums.js';
import { union, array, record } from '../schema/compound.js';
import { object, optional } from '../schema/object.js';
import { type JsonSchema, type Issue, type Path, read, type Schema, INVALID } from '../schema/schema.js';
import { findMappingProblem, VARIABLE_NAME } from '../text/environment.js';
import { quoteBriefly } from '../text/errors.js';
import {
  withDoc,
  boolean,
  type Refinement,
  mapValue,
  number,
  enumOf,
  parseableText,
  refine,
  text,
  integer,
} from '../schema/values.js';
import {
  getEnvironmentName,
  getSettingFlag,
  isRepeatable,
  type Setting,
  type SettingKind,
  SETTINGS,
} from './settings.js';

/**
 * Creates the JSON Schema (draft 7) of `sandbox.config.json` for editors, from the schemas of `loadSettings`.
 */
export function createConfigSchema(): object {
  const fields = SETTINGS.map(
    (setting) =>
      [setting.key, optional(withDoc(descriptionOf(setting), createSettingSchema(setting)))] as const,
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'sandbox.config.json',
    description: 'Settings for pix-sandbox. Flags and the environment override them.',
    ...object('the settings', { $schema: optional(text()), ...Object.fromEntries(fields) }).json,
  };
}

function descriptionOf(setting: Setting): string {
  const { description, fallback, commands } = setting;
  const names = `${getSettingFlag(setting)} or ${getEnvironmentName(setting)}`;
  const holds = fallback === undefined ? '' : ` (default: ${fallback})`;
  return `${description}${holds}. Set with ${names}. Commands: ${commands.join(', ')}.`;
}

export type SettingValue = string | readonly string[] | boolean;

/** Thrown for an invalid value. The message is phrased to follow the setting's name. */
export class InvalidValueError extends Error {
  /** Path of the invalid part within the value. */
  readonly path: Path;

  constructor(message: string, path: Path) {
    super(message);
    this.path = path;
  }
}

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);
const COUNT = /^\d{1,9}$/;

/**
 * Parses an environment variable. Items are separated by line breaks, or by commas if items cannot contain
 * commas. Throws InvalidValueError.
 */
export function readText(setting: Setting, text: string): SettingValue {
  const { kind, itemsHoldCommas } = setting;
  if (isRepeatable(setting)) {
    const separator = itemsHoldCommas || text.includes('\n') ? '\n' : ',';
    const items = text.split(separator).map((item) => item.trim());
    return readJson(
      setting,
      items.filter((item) => item !== ''),
    );
  }
  if (kind === 'switch') return readJson(setting, SWITCHES.get(text.toLowerCase()) ?? text);
  return readJson(setting, kind === 'count' && COUNT.test(text) ? Number(text) : text, text);
}

/** Validates a JSON value; `written` is the original text, if different. Throws InvalidValueError. */
export function readJson(setting: Setting, json: unknown, written?: string): SettingValue {
  const { value, issues } = read(createSettingSchema(setting), json, { max: 1 });
  const [mistake] = issues;
  if (mistake === undefined) return value as SettingValue;
  throw new InvalidValueError(sentenceOf(mistake, written), mistake.path);
}

function sentenceOf(mistake: Issue, written: string | undefined): string {
  if (mistake.kind === 'rule') return mistake.says;
  if (mistake.kind !== 'value') throw new TypeError(`Unexpected issue kind for a setting: ${mistake.kind}.`);
  return `must be ${mistake.expected}; got ${quoteBriefly(written ?? mistake.got)}`;
}

const FULL_ITEMS = 'non-empty items';
const LIST = 'a string or an array of strings';
const PAIRS = 'a string, an array of strings, or an object of strings';

function filled(what: string, expected = 'a non-empty string'): Schema<string> {
  return refine<string, string>(text(what), (value) => (value.trim() === '' ? { expected } : { value }), {
    minLength: 1,
  });
}

const TEXT = filled('a string');
const WORD = filled('an array of strings', FULL_ITEMS);
const ITEM = filled(LIST, FULL_ITEMS);

/** Schemas by setting type. A parsed value equals commander's value for the flag. */
const SCHEMAS: Readonly<Record<SettingKind, (setting: Setting) => Schema<SettingValue, unknown>>> = {
  text: () => TEXT,
  path: () => TEXT,
  textOrNumber: () => union([TEXT, mapValue(number('a number'), String)], 'a string or a number'),
  count: ({ range: [min, max] = [0, 0] }) =>
    mapValue(integer(`a whole number from ${min} to ${max}`, { min, max }), String),
  duration: () => parseableText('a duration such as 90s, 5m, 2h or 1d12h', DURATION_PATTERN, parseDuration),
  delay: () => parseableText(DELAY_FORMS, DELAY_PATTERN, parseDelay),
  rate: () => parseableText(RATE_FORM, { source: RATE_SOURCE }, parseRateLimit),
  instant: () => parseableText('an instant such as 2026-01-31T12:00:00Z', INSTANT_PATTERN, parseInstant),
  switch: () => boolean,
  choice: ({ choices = [] }) => enumOf(choices, choices.join(', ')),
  words: () =>
    union([TEXT, mapValue(array(WORD), (words) => words.join(','))], 'a string or an array of strings'),
  list: () => union([mapValue(ITEM, (item) => [item]), array(ITEM)], LIST),
  assumptions: () => pairs('id=value', assumptionsJson(), checkAssumption),
  routes: () => pairs('from=to', record(TEXT).json, (value) => ({ value })),
  variables: () => pairs('NAME=SOURCE', VARIABLES_JSON, checkVariable),
};

function createSettingSchema(setting: Setting): Schema<SettingValue, unknown> {
  return SCHEMAS[setting.kind](setting);
}

/** Creates a schema for `key=value` strings or an object of strings. */
function pairs(
  form: string,
  json: JsonSchema,
  check: (pair: string) => Refinement<string>,
): Schema<readonly string[], unknown> {
  const pair = refine(ITEM, (value) => (value.indexOf('=') < 1 ? { expected: form } : check(value)), {
    pattern: '^[^=]+=',
  });
  const members = record(text());
  const items = array(pair);
  const object: Schema<string[]> = {
    what: PAIRS,
    json,
    read: (value, reading) => {
      const given = members.read(value, reading);
      if (given === INVALID) return INVALID;
      const joined = Object.entries(given).map(([key, item]) => [key, `${key}=${item}`]);
      const pairs = record(pair).read(Object.fromEntries(joined), reading);
      return pairs === INVALID ? INVALID : Object.values(pairs);
    },
  };
  return union([object, mapValue(pair, (item) => [item]), items], PAIRS);
}

function checkVariable(pair: string): Refinement<string> {
  const split = pair.indexOf('=');
  const problem = findMappingProblem(pair.slice(0, split), pair.slice(split + 1));
  return problem === undefined ? { value: pair } : { problem };
}

const VARIABLES_JSON: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: VARIABLE_NAME.source },
  additionalProperties: {
    anyOf: [
      { enum: ENVIRONMENT_VARIABLES },
      { type: 'string', pattern: String.raw`\{(${ENVIRONMENT_VARIABLES.join('|')})\}` },
    ],
  },
};

function checkAssumption(pair: string): Refinement<string> {
  const split = pair.indexOf('=');
  try {
    resolveAssumptions({ [pair.slice(0, split)]: pair.slice(split + 1) });
    return { value: pair };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { problem: `cannot be used: ${error.message.replace(/\.$/, '')}` };
  }
}

function assumptionsJson(): JsonSchema {
  const assumed = resolveAssumptions();
  const properties = ASSUMPTION_IDS.map((id) => {
    const { question, value, choices } = describeAssumption(id, assumed);
    const { json } = choices.includes(' | ') ? enumOf(choices.split(' | ')) : TEXT;
    return [id, { description: `${question} Assumed: ${value}. Allowed: ${choices}.`, ...json }];
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}
