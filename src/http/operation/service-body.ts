import type { Reads } from '../../core/input/field-reader.js';
import { parseBody } from '../../core/input/bodies.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

/** Who sent a body to an operation of the service. */
interface Sender {
  readonly json: () => unknown;
  readonly warn: (warning: string) => void;
}

/** What a body turned out to be; fields that nobody knows are warned of or refused, by assumption. */
export function readServiceBody<Input>(
  { world }: Sandbox,
  { json, warn }: Sender,
  reads: Reads<Input>,
): Input {
  const { input, unknownFields } = parseBody(reads, json(), world.assumed);
  for (const field of unknownFields) warn(`The field ${field} is not known and was ignored.`);
  return input;
}
