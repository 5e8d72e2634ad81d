import type { FieldProblem } from '../../contract/refusals.js';
import { Refusal } from '../../contract/refusals.js';
import type { Fields, ObjectOptions, ObjectSchema } from '../../schema/object.js';
import { object } from '../../schema/object.js';
import type { Path } from '../../schema/place.js';
import { pathText } from '../../schema/place.js';
import type { Mistake, ReadOptions, Schema } from '../../schema/schema.js';
import { read } from '../../schema/schema.js';
import { anything } from '../../schema/values.js';
import { describe } from '../../text/describe.js';

/** The name of a whole request body in messages. */
export const BODY = 'a JSON object';

/** A request body with these fields. */
export function body<const Of extends Fields>(fields: Of, options?: ObjectOptions<Of>): ObjectSchema<Of> {
  return object(BODY, fields, options);
}

/** Reads a request body, in which null counts as absent. Refuses with INVALID_REQUEST and lists all mistakes. */
export function readBody<Value>(schema: Schema<Value>, json: unknown): Value {
  return outcomeOf(schema, json).value;
}

/** Like `readBody`, also with the paths of the unknown fields that were ignored. */
export function outcomeOf<Value>(
  schema: Schema<Value>,
  json: unknown,
  options: ReadOptions = {},
): { readonly value: Value; readonly ignored: readonly Path[] } {
  const { value, mistakes, ignored } = read(schema, json, { nullIsAbsent: true, ...options });
  if (mistakes.length === 0) return { value: value as Value, ignored };
  const whole = mistakes.find(({ path }) => path.length === 0);
  if (whole?.kind === 'value') {
    throw new Refusal('INVALID_REQUEST', `The body must be ${BODY}; got ${describe(whole.got)}.`);
  }
  throw invalid('Not valid', mistakes.map(problemOf));
}

/** Refuses with each field that is wrong. */
export function invalid(what: string, details: readonly FieldProblem[]): Refusal {
  return new Refusal('INVALID_REQUEST', `${what}: ${details.map(({ field }) => field).join(', ')}.`, {
    details,
  });
}

export function problemOf(mistake: Mistake): FieldProblem {
  return { field: pathText(mistake.path), message: messageOf(mistake) };
}

/** A mistake as a sentence that follows the name of the field. */
export function messageOf(mistake: Mistake): string {
  const { kind } = mistake;
  if (kind === 'value') return `Must be ${mistake.expected}; got ${describe(mistake.got)}.`;
  if (kind === 'choice') return `Must have ${mistake.wanted}.`;
  if (kind === 'rule') return mistake.says;
  if (kind === 'unknown') {
    return mistake.owner === BODY ? 'Is not a known field.' : `Is not a field of ${mistake.owner}.`;
  }
  return mistake.expected === anything.what ? 'Is required.' : `Is required: ${mistake.expected}.`;
}
