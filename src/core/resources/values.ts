import { type NamedSchema, nameSchema, type Schema } from '../../schema/schema.js';
import { array } from '../../schema/compound.js';
import { type FieldSchemas, nullable, object, type ObjectSchema } from '../../schema/object.js';
import { withDoc, boolean, text, integer } from '../../schema/values.js';

export const BOOLEAN = boolean;
export const TEXT = text();
export const COUNT = integer('a count', { min: 0 });
export const UUID = text('a UUID', undefined, { format: 'uuid' });
export const ADDRESS = text('a URL', undefined, { format: 'uri' });
export const EVENT_ID = text('the id of an event', /^evt_[0-9a-f]{32}$/, {
  examples: ['evt_3f2c8f4e5c1d4b7a9e0f6a1b2c3d4e5f'],
});
export const EUID = createLimitedText(64);

/** Instant in UTC with milliseconds. */
export const INSTANT = text('an instant', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, {
  format: 'date-time',
});

/** Decimal with two decimal places. */
export const AMOUNT = text('an amount', /^(?:0|[1-9]\d*)\.\d{2}$/, { examples: ['10.00'] });

export function createLimitedText(maxLength: number): Schema<string> {
  return text(`a string of at most ${maxLength} characters`, undefined, { maxLength });
}

export const arrayOf: <Item, Json>(item: Schema<Item, Json>) => Schema<readonly Item[], readonly Json[]> =
  array;

/** Creates an object schema with a description. */
export function createObjectSchema<const Of extends FieldSchemas>(
  description: string,
  fields: Of,
): ObjectSchema<Of> {
  return withDoc(description, object('an object', fields));
}

export function createResourceSchema<const Of extends FieldSchemas>(
  name: string,
  description: string,
  fields: Of,
): ObjectSchema<Of> & NamedSchema {
  return nameSchema(name, createObjectSchema(description, fields));
}

export const PAGING = createResourceSchema(
  'Paging',
  'Cursors of the adjacent pages; null if there is no such page.',
  {
    before: nullable(TEXT),
    after: nullable(TEXT),
  },
);

export function createPageSchema<Row>(item: Schema<Row, unknown> & NamedSchema) {
  const page = createObjectSchema('A page of results, newest first.', {
    data: arrayOf(item),
    paging: PAGING,
  });
  return nameSchema(`${item.name}Page`, page);
}
