import { CUSTOMER_TYPES, EVENT_TYPES } from '../../contract/enums.js';
import { type NewPayment, PAYMENT_FIELDS, type PaymentInput } from '../../contract/fields.js';
import { LIMITS } from '../../contract/limits.js';
import { type FieldProblem, Refusal } from '../../contract/refusals.js';
import { type PaymentKind, SESSION_DECISIONS } from '../../contract/transitions.js';
import { oneOf } from '../../schema/compound.js';
import {
  forbidField,
  type FieldSchemas,
  isObject,
  renameField,
  nullish,
  object,
  type ObjectOptions,
  type ObjectSchema,
} from '../../schema/object.js';
import {
  type Issue,
  type Path,
  formatPath,
  read,
  type ReadOptions,
  type Schema,
} from '../../schema/schema.js';
import { anyValue, enumOf } from '../../schema/values.js';
import { describeValue } from '../../text/errors.js';
import {
  acceptChoices,
  DOCUMENT_INPUT,
  acceptDelay,
  ERROR_CODE,
  createFieldSchemas,
  acceptText,
} from './kinds.js';

/** Name of the request body in messages. */
export const BODY_SCHEMA = 'a JSON object';

export function createBodySchema<const Of extends FieldSchemas>(
  fields: Of,
  options?: ObjectOptions<Of>,
): ObjectSchema<Of> {
  return object(BODY_SCHEMA, fields, options);
}

/** Reads a request body, treating null as absent. Throws INVALID_REQUEST listing all issues. */
export function readBodyOrRefuse<Value>(schema: Schema<Value, unknown>, json: unknown): Value {
  return readBodyOutcome(schema, json).value;
}

/** Like `readBodyOrRefuse`, but also returns the paths of ignored unknown fields. */
export function readBodyOutcome<Value>(
  schema: Schema<Value, unknown>,
  json: unknown,
  options: ReadOptions = {},
): { readonly value: Value; readonly ignored: readonly Path[] } {
  const { value, issues, ignored } = read(schema, json, { nullIsAbsent: true, ...options });
  if (issues.length === 0) return { value: value as Value, ignored };
  const whole = issues.find(({ path }) => path.length === 0);
  if (whole?.kind === 'value') {
    throw new Refusal('INVALID_REQUEST', `The body must be ${BODY_SCHEMA}; got ${describeValue(whole.got)}.`);
  }
  throw createInvalidRequest('Invalid fields', issues.map(toFieldProblem));
}

export function createInvalidRequest(what: string, details: readonly FieldProblem[]): Refusal {
  return new Refusal('INVALID_REQUEST', `${what}: ${details.map(({ field }) => field).join(', ')}.`, {
    details,
  });
}

export function toFieldProblem(mistake: Issue): FieldProblem {
  return { field: formatPath(mistake.path), message: messageOf(mistake) };
}

/** Formats an issue as a sentence that follows the field name. */
function messageOf(mistake: Issue): string {
  const { kind } = mistake;
  if (kind === 'value') return `Must be ${mistake.expected}; got ${describeValue(mistake.got)}.`;
  if (kind === 'choice') return `Must have ${mistake.wanted}.`;
  if (kind === 'rule') return mistake.says;
  if (kind === 'unknown') {
    return mistake.owner === BODY_SCHEMA ? 'Unknown field.' : `Is not a field of ${mistake.owner}.`;
  }
  return mistake.expected === anyValue.what ? 'Is required.' : `Is required: ${mistake.expected}.`;
}

/** Request body for a new charge (§4.1). */
export const CHARGE_BODY = createBodySchema(createFieldSchemas('input', PAYMENT_FIELDS.charge));

/** Creates a schema in which all payment fields are optional, for `trigger` and the control API. */
export function createPaymentSchemas<Of extends PaymentKind>(payment: Of, what = BODY_SCHEMA) {
  return object<FieldSchemas>(what, createFieldSchemas('input', PAYMENT_FIELDS[payment], true)) as Schema<
    Partial<PaymentInput<Of>>,
    NewPayment<Of>
  >;
}

/** Nests an object schema as a field; an absent object has no fields. */
export function createNestedObject<Value extends object, Json>(
  schema: Schema<Value, Json>,
): Schema<Partial<Value>, Json | null | undefined> {
  const says = `Must be an object with the fields of ${schema.what}.`;
  const read: Schema<Value>['read'] = (value, reading) =>
    isObject(value) ? schema.read(value, reading) : reading.note({ kind: 'rule', says });
  return nullish<Value, Json, Partial<Value>>({ ...schema, read }, {});
}

/**
 * Request body for a new webhook endpoint (§4.4). The URL is checked elsewhere, because the check requires a
 * DNS lookup.
 */
export const ENDPOINT_BODY = createBodySchema({
  url: acceptText(LIMITS.urlLength),
  events: acceptChoices(EVENT_TYPES),
  description: nullish(acceptText(LIMITS.descriptionLength), null),
});

export const SESSION_BODY = createBodySchema({ customerType: enumOf(CUSTOMER_TYPES) });

const DECISION_WANTED = `Specify either a status (${SESSION_DECISIONS.join(', ')}) or an error.`;
const WITH_ERROR = forbidField('Cannot be combined with an error, which makes no decision.');
const BY_STATUS = createBodySchema({
  error: forbidField(DECISION_WANTED),
  status: enumOf(SESSION_DECISIONS),
  document: nullish(DOCUMENT_INPUT),
  delayMs: renameField('delay', nullish(acceptDelay())),
});
const BY_ERROR = createBodySchema({
  status: forbidField(DECISION_WANTED),
  error: ERROR_CODE,
  document: WITH_ERROR,
  delay: WITH_ERROR,
});

/** Request body for a session decision: a status or an error code. `delay` is a duration or distribution. */
export const DECISION_BODY = oneOf(BODY_SCHEMA, [BY_STATUS, BY_ERROR], (value, reading) => {
  if (!isObject(value)) return reading.expected(BODY_SCHEMA, value);
  const hasStatus = reading.field(value, 'status') !== undefined;
  const hasError = reading.field(value, 'error') !== undefined;
  if (hasStatus === hasError) return reading.note({ kind: 'rule', says: DECISION_WANTED }, 'status');
  return hasError ? BY_ERROR : BY_STATUS;
});
