import type { JsonSchema } from '../../core/input/json-schema.js';

/** Points to a schema among the components of a document. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export const BOOLEAN: JsonSchema = { type: 'boolean' };
export const TEXT: JsonSchema = { type: 'string' };
export function textOf(maxLength: number): JsonSchema {
  return { type: 'string', maxLength };
}

export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
export const UUID: JsonSchema = { type: 'string', format: 'uuid' };
export const URL: JsonSchema = { type: 'string', format: 'uri' };
export const EVENT_ID: JsonSchema = { type: 'string', pattern: '^evt_[0-9a-f]{32}$' };

/** An instant in UTC with milliseconds. */
export const INSTANT: JsonSchema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
};

/** Decimal, with two places. */
export const AMOUNT: JsonSchema = {
  type: 'string',
  pattern: '^(?:0|[1-9]\\d*)\\.\\d{2}$',
  examples: ['10.00'],
};

/** A duration of real or sandbox time, such as `1s500ms`. */
export const DURATION: JsonSchema = { type: 'string', pattern: '^(?:\\d+(?:ms|s|m|h|d))+$' };

export function oneOf(values: readonly string[]): JsonSchema {
  return { type: 'string', enum: values };
}

export function always(value: string | number | boolean): JsonSchema {
  return { const: value };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** An object whose keys are not known beforehand. */
export function mapOf(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values };
}

/** The fields that an object always has, and those that it may lack. */
type Properties<View> = { readonly [Field in keyof View]-?: JsonSchema };

/**
 * An object with exactly the fields of a type of ours, so that neither can have one that the other lacks. All of them are
 * required but those that the type makes optional, which have to be named.
 */
export function objectOf<View extends object>(
  description: string,
  properties: Properties<View>,
  ...optional: readonly OptionalFields<View>[]
): JsonSchema {
  const required = Object.keys(properties).filter((field) => !optional.some((one) => one === field));
  return {
    type: 'object',
    description,
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

type OptionalFields<View> = {
  [Field in keyof View]-?: undefined extends View[Field] ? Field : never;
}[keyof View];

/** A page of results (§2.6). */
export function pageOf(items: JsonSchema): JsonSchema {
  return objectOf<{ data: unknown; paging: unknown }>('A page of results, newest first.', {
    data: listOf(items),
    paging: ref('Paging'),
  });
}

const CURSOR: JsonSchema = { type: ['string', 'null'] };

export const PAGING = objectOf<{ before: unknown; after: unknown }>(
  'Cursors that lead on; null where there is no further page.',
  { before: CURSOR, after: CURSOR },
);
