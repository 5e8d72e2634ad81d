import type { Assumed } from '../../contract/assumptions.js';
import { outcomeOf } from '../../core/input/body.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { pathText } from '../../schema/place.js';
import type { Schema } from '../../schema/schema.js';

/** The sender of a body to an operation of the service. */
interface Sender {
  readonly json: () => unknown;
  readonly warn: (warning: string) => void;
}

/** Whether bodies of the service's own operations may hold unknown fields, by assumption. */
export function takesUnknownFields(assumed: Assumed): boolean {
  return assumed['charge.unknown_fields'] === 'ignore';
}

/** Reads the body of an operation of the service; unknown fields are warned of or refused, by assumption. */
export function readServiceBody<Input>(
  { world }: Sandbox,
  { json, warn }: Sender,
  schema: Schema<Input>,
): Input {
  const unknown = takesUnknownFields(world.assumed) ? 'ignore' : 'refuse';
  const { value, ignored } = outcomeOf(schema, json(), { unknown });
  for (const path of ignored) warn(`The field ${pathText(path)} is not known and was ignored.`);
  return value;
}
