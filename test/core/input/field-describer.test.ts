import { describe, expect, it } from 'vitest';
import { describeFields } from '../../../src/core/input/field-describer.js';
import type { FieldReader, Reads } from '../../../src/core/input/field-reader.js';
import type { JsonSchema } from '../../../src/core/input/json-schema.js';

const SIZES = ['small', 'large', 'huge'] as const;
const NULL = { type: 'null' };

/** The properties of the only shape that fields have. */
function properties(reads: Reads<unknown>): JsonSchema {
  return describeFields(reads)['properties'] as JsonSchema;
}

/** The shapes that fields may have, each as what its fields may be. */
function shapes(reads: Reads<unknown>): unknown[] {
  const { anyOf } = describeFields(reads) as { readonly anyOf: readonly { properties: JsonSchema }[] };
  return anyOf.map((shape) =>
    Object.fromEntries(
      Object.entries(shape.properties).map(([name, schema]) => {
        const { enum: choices, type } = schema as JsonSchema;
        return [name, choices ?? type];
      }),
    ),
  );
}

describe('a field', () => {
  it('that may be absent may be null, and one that must be there may not', () => {
    const schema = describeFields((fields) => [fields.flag('late'), fields.code('code')]);
    expect(schema).toEqual({
      type: 'object',
      properties: {
        late: { type: ['boolean', 'null'] },
        code: expect.objectContaining({ type: 'string', minLength: 1, maxLength: 100 }),
      },
      required: ['code'],
    });
  });

  it('is not null in a query', () => {
    const schema = describeFields((fields) => fields.flag('late'), { hasNull: false });
    expect(schema['properties']).toEqual({ late: { type: 'boolean' } });
  });

  it.each<[string, Reads<unknown>, JsonSchema]>([
    ['a choice', (fields) => fields.oneOf('f', SIZES), { type: ['string', 'null'], enum: [...SIZES, null] }],
    [
      'a list',
      (fields) => fields.listOf('f', SIZES),
      { type: 'array', minItems: 1, items: { type: 'string', enum: SIZES } },
    ],
    [
      'a whole number',
      (fields) => fields.wholeNumber('f', 1, 9),
      { type: ['integer', 'null'], minimum: 1, maximum: 9 },
    ],
    [
      'a number above another',
      (fields) => fields.number('f', { above: 0, most: 1 }),
      { type: ['number', 'null'], exclusiveMinimum: 0, maximum: 1 },
    ],
    [
      'metadata',
      (fields) => fields.metadata('f'),
      {
        type: ['object', 'null'],
        maxProperties: 50,
        propertyNames: { minLength: 1, maxLength: 40 },
        additionalProperties: { type: 'string', maxLength: 500 },
      },
    ],
  ])('that is %s says so', (_, reads, schema) => {
    expect(properties(reads)).toEqual({ f: schema });
  });
});

describe('an object', () => {
  const reads = (fields: FieldReader) => fields.flag('late');

  it('may have other fields unless they are refused', () => {
    expect(describeFields(reads)).not.toHaveProperty('additionalProperties');
    expect(describeFields(reads, { isClosed: true })).toHaveProperty('additionalProperties', false);
    const refusing = (fields: FieldReader) => {
      fields.flag('late');
      fields.refuseUnknown();
    };
    expect(describeFields(refusing)).toHaveProperty('additionalProperties', false);
  });

  it('within another is closed and may be absent', () => {
    expect(properties((fields) => fields.nested('with', reads, 'charge'))).toEqual({
      with: {
        type: ['object', 'null'],
        properties: { late: { type: ['boolean', 'null'] } },
        additionalProperties: false,
      },
    });
  });
});

describe('what depends on a choice', () => {
  it('is one shape for each way, and alike ones are one', () => {
    const reads = (fields: FieldReader) => {
      const size = fields.variant('size', SIZES);
      if (size === 'small') fields.flag('cheap');
    };
    expect(shapes(reads)).toEqual([
      { size: ['small'], cheap: ['boolean', 'null'] },
      { size: ['large', 'huge'] },
    ]);
  });

  it('may be left to itself, and leave out what cannot be', () => {
    const reads = (fields: FieldReader) => {
      const size = fields.optionalVariant('size', ['small', 'large']);
      if (size !== undefined) return;
      if (fields.variant('colour', ['red', 'blue']) === 'blue') fields.refuse('size', 'Is required.');
    };
    expect(shapes(reads)).toEqual([{ size: 'null', colour: ['red'] }, { size: ['small', 'large'] }]);
  });

  it('keeps what was chosen when it is asked for again', () => {
    const reads = (fields: FieldReader) => {
      if (fields.variant('size', SIZES) === 'small') fields.flag('cheap');
      return fields.oneOfRequired('size', SIZES);
    };
    expect(shapes(reads)).toEqual([
      { size: ['small'], cheap: ['boolean', 'null'] },
      { size: ['large', 'huge'] },
    ]);
  });

  it('is either of some fields, and the others are not there', () => {
    const reads = (fields: FieldReader) => {
      if (fields.either(['status', 'error'], 'Give one.') === 'error') fields.code('error');
      else fields.flag('status');
      fields.absent('never', 'Is not.');
    };
    const { anyOf } = describeFields(reads) as { readonly anyOf: readonly JsonSchema[] };
    expect(anyOf).toMatchObject([
      { properties: { error: NULL, status: { type: ['boolean', 'null'] }, never: NULL } },
      { properties: { status: NULL, error: { type: 'string' }, never: NULL }, required: ['error'] },
    ]);
  });

  it('is followed through every fork', () => {
    const reads = (fields: FieldReader) => {
      const first = fields.variant('first', ['a', 'b']);
      const second = fields.variant('second', ['c', 'd']);
      fields.flag(first + second);
    };
    expect(shapes(reads).map((shape) => Object.keys(shape as object)[2])).toEqual(['ac', 'ad', 'bc', 'bd']);
  });
});
