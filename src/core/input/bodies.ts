import { CUSTOMER_TYPES, EVENT_TYPES } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { type FieldProblem, Refusal } from '../../contract/refusals.js';
import { SESSION_DECISIONS } from '../../contract/transitions.js';
import { choose } from '../../schema/compound.js';
import {
  absent,
  type Fields,
  isObject,
  named,
  nullish,
  object,
  type ObjectOptions,
  type ObjectSchema,
} from '../../schema/object.js';
import {
  type Infer,
  type InputOf,
  type Mistake,
  type Optional,
  type Path,
  pathText,
  read,
  type ReadOptions,
  type Schema,
} from '../../schema/schema.js';
import { anything, type Found, map, oneOf, refine } from '../../schema/values.js';
import { describe } from '../../text/errors.js';
import { pixKeyType } from '../payments/documents.js';
import type { ChargeInput, WithdrawalInput } from '../world.js';
import {
  AMOUNT,
  choices,
  CODE,
  DOCUMENT,
  duration,
  ERROR_CODE,
  METADATA,
  NAME,
  NO_METADATA,
  text,
  UUID,
} from './kinds.js';

/** The name of a whole request body in messages. */
export const BODY = 'a JSON object';

export function body<const Of extends Fields>(fields: Of, options?: ObjectOptions<Of>): ObjectSchema<Of> {
  return object(BODY, fields, options);
}

/** Reads a request body, in which null counts as absent. Refuses with INVALID_REQUEST and lists all mistakes. */
export function readBody<Value>(schema: Schema<Value, unknown>, json: unknown): Value {
  return outcomeOf(schema, json).value;
}

/** Like `readBody`, also with the paths of the unknown fields that were ignored. */
export function outcomeOf<Value>(
  schema: Schema<Value, unknown>,
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

export function invalid(what: string, details: readonly FieldProblem[]): Refusal {
  return new Refusal('INVALID_REQUEST', `${what}: ${details.map(({ field }) => field).join(', ')}.`, {
    details,
  });
}

export function problemOf(mistake: Mistake): FieldProblem {
  return { field: pathText(mistake.path), message: messageOf(mistake) };
}

/** A mistake as a sentence that follows the name of the field. */
function messageOf(mistake: Mistake): string {
  const { kind } = mistake;
  if (kind === 'value') return `Must be ${mistake.expected}; got ${describe(mistake.got)}.`;
  if (kind === 'choice') return `Must have ${mistake.wanted}.`;
  if (kind === 'rule') return mistake.says;
  if (kind === 'unknown') {
    return mistake.owner === BODY ? 'Is not a known field.' : `Is not a field of ${mistake.owner}.`;
  }
  return mistake.expected === anything.what ? 'Is required.' : `Is required: ${mistake.expected}.`;
}

const CHARGE_FIELDS = {
  code: CODE,
  accountId: named('account_id', UUID),
  amountCents: named('amount', AMOUNT),
  payerName: named('payer_name', NAME),
  payerDocument: named('payer_document', DOCUMENT),
  metadata: METADATA,
};

export const CHARGE: Schema<ChargeInput, unknown> = body({
  ...CHARGE_FIELDS,
  payerName: nullish(CHARGE_FIELDS.payerName, null),
  payerDocument: nullish(CHARGE_FIELDS.payerDocument, null),
  metadata: nullish(METADATA, NO_METADATA),
});

function allNullish<Of extends Fields>(
  fields: Of,
): {
  readonly [Name in keyof Of]: Optional<Infer<Of[Name]>, InputOf<Of[Name]> | null> & Pick<Of[Name], 'key'>;
} {
  const entries = Object.entries(fields).map(([name, schema]) => [name, nullish(schema)]);
  return Object.fromEntries(entries) as ReturnType<typeof allNullish<Of>>;
}

/** The same fields, all optional, for `trigger` and the control API. */
export function chargeFields(what = BODY) {
  return object(what, allNullish(CHARGE_FIELDS));
}

const PIX_KEY_WANTED =
  'Must be a CPF or CNPJ (digits only), an e-mail address, a phone such as +5511987654321, or a random key (UUID).';
const PIX_KEY = refine(NAME, (key): Found<string> =>
  pixKeyType(key) === undefined ? { problem: PIX_KEY_WANTED } : { value: key },
);

/** The fields of a withdrawal (§2.2), all of them optional; the type of the key follows from the key. */
export function withdrawalFields(what = BODY) {
  const { code, accountId, amountCents } = CHARGE_FIELDS;
  const fields = object(
    what,
    allNullish({
      pixKey: named('pix_key', PIX_KEY),
      code,
      accountId,
      amountCents,
      beneficiaryDocument: named('beneficiary_document', DOCUMENT),
      beneficiaryName: named('beneficiary_name', NAME),
      metadata: METADATA,
    }),
  );
  return map(fields, (input): Partial<WithdrawalInput> => {
    const keyType = input.pixKey === undefined ? undefined : pixKeyType(input.pixKey);
    return keyType === undefined ? input : { ...input, pixKeyType: keyType };
  });
}

/** An object of fields as a field; when absent, it has no fields. */
export function nested<Value extends object, Json>(
  schema: Schema<Value, Json>,
): Schema<Partial<Value>, Json | null | undefined> {
  const says = `Must be an object with the fields of ${schema.what}.`;
  const read: Schema<Value>['read'] = (value, reading) =>
    isObject(value) ? schema.read(value, reading) : reading.note({ kind: 'rule', says });
  return nullish<Value, Json, Partial<Value>>({ ...schema, read }, {});
}

/** The body of creating a webhook endpoint (§4.4). The URL is checked elsewhere, because that needs a look-up. */
export const ENDPOINT = body({
  url: text(LIMITS.urlLength),
  events: choices(EVENT_TYPES),
  description: nullish(text(LIMITS.descriptionLength), null),
});

export const SESSION = body({ customerType: oneOf(CUSTOMER_TYPES) });

const DECISION_WANTED = `Give either a status (${SESSION_DECISIONS.join(', ')}) or an error.`;
const WITH_ERROR = absent('An error decides nothing, so it takes neither a document nor a delay.');
const BY_STATUS = body({
  error: absent(DECISION_WANTED),
  status: oneOf(SESSION_DECISIONS),
  document: nullish(DOCUMENT),
  delayMs: named('delay', nullish(duration({ example: '2s' }))),
});
const BY_ERROR = body({
  status: absent(DECISION_WANTED),
  error: ERROR_CODE,
  document: WITH_ERROR,
  delay: WITH_ERROR,
});

/** The body that decides a session: a status, or an error code. `delay` is a duration. */
export const DECISION = choose(BODY, [BY_STATUS, BY_ERROR], (value, reading) => {
  if (!isObject(value)) return reading.expected(BODY, value);
  const hasStatus = reading.field(value, 'status') !== undefined;
  const hasError = reading.field(value, 'error') !== undefined;
  if (hasStatus === hasError) return reading.note({ kind: 'rule', says: DECISION_WANTED }, 'status');
  return hasError ? BY_ERROR : BY_STATUS;
});
