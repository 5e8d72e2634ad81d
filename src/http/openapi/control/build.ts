import type { JsonSchema } from '../../../core/input/json-schema.js';
import type { OperationDoc, OperationDocs } from '../operation.js';
import * as is from '../schemas.js';
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
export function inline(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** A whole list, which is not paged. */
export function dataOf(name: string): JsonSchema {
  return inline({ data: is.listOf(is.ref(name)) });
}
