import { type Component, component, type Schema } from '../../schema/schema.js';
import { list } from '../../schema/compound.js';
import { type Fields, nullable, object, type ObjectSchema } from '../../schema/object.js';
import { described, flag, text, whole } from '../../schema/values.js';

export const BOOLEAN = flag;
export const TEXT = text();
export const COUNT = whole('a count', { least: 0 });
export const UUID = text('a UUID', undefined, { format: 'uuid' });
export const ADDRESS = text('a URL', undefined, { format: 'uri' });
export const EVENT_ID = text('the id of an event', /^evt_[0-9a-f]{32}$/, {
  examples: ['evt_3f2c8f4e5c1d4b7a9e0f6a1b2c3d4e5f'],
});
export const EUID = limitedText(64);

/** An instant in UTC with milliseconds. */
export const INSTANT = text('an instant', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, {
  format: 'date-time',
});

/** Decimal, with two places. */
export const AMOUNT = text('an amount', /^(?:0|[1-9]\d*)\.\d{2}$/, { examples: ['10.00'] });

export function limitedText(maxLength: number): Schema<string> {
  return text(`a string of at most ${maxLength} characters`, undefined, { maxLength });
}

export const listOf: <Item, Json>(item: Schema<Item, Json>) => Schema<readonly Item[], readonly Json[]> =
  list;

/** An object in a response, with its description. */
export function objectSchema<const Of extends Fields>(description: string, fields: Of): ObjectSchema<Of> {
  return described(description, object('an object', fields));
}

export function resourceSchema<const Of extends Fields>(
  name: string,
  description: string,
  fields: Of,
): ObjectSchema<Of> & Component {
  return component(name, objectSchema(description, fields));
}

export const PAGING = resourceSchema('Paging', 'Cursors that lead on; null where there is no further page.', {
  before: nullable(TEXT),
  after: nullable(TEXT),
});

export function pageSchema<Row>(item: Schema<Row, unknown> & Component) {
  const page = objectSchema('A page of results, newest first.', { data: listOf(item), paging: PAGING });
  return component(`${item.name}Page`, page);
}
