import type { Assumed } from '../../contract/assumptions.js';
import type { ChargeInput } from '../payments/charges.js';
import type { FieldReader, Reads } from './field-reader.js';
import { Fields } from './fields.js';
import { LIMITS } from '../../contract/limits.js';
import type { DecisionInput } from '../identity/sessions.js';
import { pixKeyType } from '../payments/pix-keys.js';
import type { CustomerType } from '../../contract/customer-types.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import type { TextForm } from './text-kinds.js';
import { text } from './text-kinds.js';
import { SESSION_DECISIONS } from '../../contract/transitions.js';
import type { WithdrawalInput } from '../payments/withdrawals.js';
import type { EventType } from '../../contract/events.js';
import { EVENT_TYPES } from '../../contract/events.js';

/** What a request body turned out to be, and the names of fields that nobody knows. */
export interface Parsed<Input> {
  readonly input: Input;
  readonly unknownFields: readonly string[];
}

/** Whether bodies of the service's own operations may hold fields that nobody knows, by assumption. */
export function takesUnknownFields(assumed: Assumed): boolean {
  return assumed['charge.unknown_fields'] === 'ignore';
}

/** The body of an operation of the service. Refuses with INVALID_REQUEST what does not fit. */
export function parseBody<Input>(reads: Reads<Input>, body: unknown, assumed: Assumed): Parsed<Input> {
  const fields = new Fields(body);
  const input = reads(fields);
  const unknownFields = fields.unknown();
  if (!takesUnknownFields(assumed)) fields.refuseUnknown();
  fields.done();
  return { input, unknownFields };
}

/** The body of creating a charge (§4.1). */
export function readCharge(fields: FieldReader): ChargeInput {
  return {
    code: fields.code('code'),
    accountId: fields.uuid('account_id'),
    amountCents: fields.amount('amount'),
    payerName: fields.optionalText('payer_name', LIMITS.nameLength) ?? null,
    payerDocument: fields.optionalDocument('payer_document') ?? null,
    metadata: fields.metadata('metadata'),
  };
}

/** The same fields, all of them optional: what `trigger` and the control API take. */
export function readChargeFields(fields: FieldReader): Partial<ChargeInput> {
  return present({
    code: fields.optionalCode('code'),
    accountId: fields.optionalUuid('account_id'),
    amountCents: fields.optionalAmount('amount'),
    payerName: fields.optionalText('payer_name', LIMITS.nameLength),
    payerDocument: fields.optionalDocument('payer_document'),
    metadata: fields.optionalMetadata('metadata'),
  });
}

const PIX_KEY_WANTED =
  'Must be a CPF or CNPJ (digits only), an e-mail address, a phone such as +5511987654321, or a random key (UUID).';

/** The fields of a withdrawal (§2.2), all of them optional; the type of the key follows from the key. */
export function readWithdrawalFields(fields: FieldReader): Partial<WithdrawalInput> {
  const pixKey = fields.optionalText('pix_key', LIMITS.nameLength);
  const keyType = pixKey === undefined ? undefined : pixKeyType(pixKey);
  fields.check(pixKey === undefined || keyType !== undefined, 'pix_key', PIX_KEY_WANTED);
  return present({
    code: fields.optionalCode('code'),
    accountId: fields.optionalUuid('account_id'),
    amountCents: fields.optionalAmount('amount'),
    pixKey,
    pixKeyType: keyType,
    beneficiaryDocument: fields.optionalDocument('beneficiary_document'),
    beneficiaryName: fields.optionalText('beneficiary_name', LIMITS.nameLength),
    metadata: fields.optionalMetadata('metadata'),
  });
}

/** The body of creating a webhook endpoint (§4.4). The URL is checked elsewhere, because that takes a look-up. */
export interface EndpointBody {
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description: string | null;
}

export function readEndpoint(fields: FieldReader): EndpointBody {
  return {
    url: fields.text('url', LIMITS.urlLength),
    events: fields.listOf('events', EVENT_TYPES),
    description: fields.optionalText('description', LIMITS.descriptionLength) ?? null,
  };
}

/** The body of creating an identity session (§4.10). */
export function readSession(fields: FieldReader): { readonly customerType: CustomerType } {
  return { customerType: fields.oneOfRequired('customerType', CUSTOMER_TYPES) };
}

const ERROR_CODE_FORM: TextForm = {
  pattern: /^[A-Z][A-Z0-9_]{0,63}$/,
  problem: () => 'Must be a code of up to 64 of A-Z 0-9 _, such as CAMERA_DENIED.',
  examples: ['CAMERA_DENIED'],
};
/** What the page of a session reports instead of a decision. */
export const ERROR_CODE = text(LIMITS.nameLength, ERROR_CODE_FORM);

/** What decides a session: a status, or an error code instead. `delay` is a duration. */
export function readDecision(fields: FieldReader): DecisionInput {
  const wanted = `Give either a status (${SESSION_DECISIONS.join(', ')}) or an error.`;
  if (fields.either(['status', 'error'], wanted) === 'error') {
    const error = fields.required('error', ERROR_CODE);
    for (const field of ['document', 'delay']) {
      fields.absent(field, 'An error decides nothing, so it takes neither a document nor a delay.');
    }
    return { error };
  }
  return {
    status: fields.oneOfRequired('status', SESSION_DECISIONS),
    document: fields.optionalDocument('document'),
    delayMs: fields.duration('delay', { example: '2s' }),
  };
}

function present<Value extends object>(value: Value): { [Key in keyof Value]?: NonNullable<Value[Key]> } {
  const kept = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(kept) as { [Key in keyof Value]?: NonNullable<Value[Key]> };
}
