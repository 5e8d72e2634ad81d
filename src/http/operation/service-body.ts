import type { Assumed } from '../../contract/assumptions.js';
import { outcomeOf } from '../../core/input/body.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { pathText } from '../../schema/place.js';
import type { Schema } from '../../schema/schema.js';
import { parseJson } from './body.js';

/** Whether bodies of the service's own operations may hold unknown fields, by assumption. */
export function takesUnknownFields(assumed: Assumed): boolean {
  return assumed['charge.unknown_fields'] === 'ignore';
}

/** Reads the body of an operation of the service; unknown fields are warned of or refused, by assumption. */
export function readServiceBody<Input>(
  { world }: Sandbox,
  body: Buffer,
  schema: Schema<Input>,
  warn: (warning: string) => void,
): Input {
  const unknown = takesUnknownFields(world.assumed) ? 'ignore' : 'refuse';
  const { value, ignored } = outcomeOf(schema, parseJson(body), { unknown });
  for (const path of ignored) warn(`The field ${pathText(path)} is not known and was ignored.`);
  return value;
}
