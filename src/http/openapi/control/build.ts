import type { RefusalCode } from '../../../contract/refusals.js';
import { list } from '../../../schema/compound.js';
import type { JsonSchema } from '../../../schema/json-schema.js';
import type { Fields } from '../../../schema/object.js';
import { object } from '../../../schema/object.js';
import type { Schema } from '../../../schema/schema.js';
import type { OperationDoc, OperationDocs } from '../operation.js';
import type { Tag } from '../tags.js';

export type Untagged = Omit<OperationDoc, 'tag'>;

/** Operations that belong together, by method and path below `/_sandbox/`. */
export function tagged(tag: Tag, docs: Readonly<Record<string, Untagged>>): OperationDocs {
  return Object.fromEntries(
    Object.entries(docs).map(([name, doc]) => [name.replace(' ', ' /_sandbox/'), { ...doc, tag }]),
  );
}

/** Builds the operations that answer with a status: their id, summary, answer, and what their own rules refuse with. */
function answering(status: 200 | 201 | 202, says: string) {
  return (
    id: string,
    summary: string,
    schema: string | JsonSchema,
    refusals: readonly RefusalCode[] = [],
  ): Untagged => ({ id, summary, answers: { [status]: { says, schema } }, refusals });
}

export const operation = answering(200, 'Done.');
export const creation = answering(201, 'What was made.');
export const request = answering(202, 'It is on its way.');

/** An object without a name of its own. */
export function inline(fields: Fields): JsonSchema {
  return object('an object', fields).json;
}

/** A whole list, without pages. */
export function dataOf(item: Schema<unknown>): JsonSchema {
  return inline({ data: list(item) });
}
