import { list } from '../../../schema/compound.js';
import type { JsonSchema } from '../../../schema/json-schema.js';
import type { Fields } from '../../../schema/object.js';
import { object } from '../../../schema/object.js';
import type { Schema } from '../../../schema/schema.js';
import type { OperationDoc, OperationDocs } from '../operation.js';
import type { Tag } from '../tags.js';

type Untagged = Omit<OperationDoc, 'tag'>;

/** Operations that belong together, by method and path below `/_sandbox/`. */
export function tagged(tag: Tag, docs: Readonly<Record<string, Untagged>>): OperationDocs {
  return Object.fromEntries(
    Object.entries(docs).map(([name, doc]) => [name.replace(' ', ' /_sandbox/'), { ...doc, tag }]),
  );
}

type Statuses = 200 | 201 | 202;

/** An operation that answers with one status. */
export function operation(
  id: string,
  summary: string,
  [status, schema]: readonly [Statuses, string | JsonSchema],
  more: Omit<Untagged, 'id' | 'summary' | 'answers'> = {},
): Untagged {
  const says = status === 201 ? 'What was made.' : status === 202 ? 'It is on its way.' : 'Done.';
  return { id, summary, answers: { [status]: { says, schema } }, ...more };
}

/** An object without a name of its own. */
export function inline(fields: Fields): JsonSchema {
  return object('an object', fields).json;
}

/** A whole list, without pages. */
export function dataOf(item: Schema<unknown>): JsonSchema {
  return inline({ data: list(item) });
}
