import type { Assumed } from './assumptions.js';
import type { ChargeInput } from './charges.js';
import { Fields } from './fields.js';
import { LIMITS } from './limits.js';
import type { DecisionInput } from './identity.js';
import { pixKeyType } from './pix-keys.js';
import type { CustomerType } from './session.js';
import { CUSTOMER_TYPES } from './session.js';
import { parseDuration } from './time.js';
import { SESSION_DECISIONS } from './transitions.js';
import type { WithdrawalInput } from './withdrawals.js';
import type { EventType } from './world.js';
import { EVENT_TYPES } from './world.js';

/** What a request body turned out to be, and the names of fields that nobody knows. */
export interface Parsed<Input> {
  readonly input: Input;
  readonly unknownFields: readonly string[];
}

function finish<Input>(fields: Fields, input: Input, assumed: Assumed): Parsed<Input> {
  const unknownFields = fields.unknown();
  if (assumed['charge.unknown_fields'] === 'refuse') {
    for (const field of unknownFields) fields.problem(field, 'Is not a known field.');
  }
  fields.done();
  return { input, unknownFields };
}

/** The body of creating a charge (§4.1). */
export function parseChargeBody(body: unknown, assumed: Assumed): Parsed<ChargeInput> {
  const fields = new Fields(body);
  const input = {
    code: fields.code('code'),
    accountId: fields.uuid('account_id'),
    amountCents: fields.amount('amount'),
    payerName: fields.optionalText('payer_name', LIMITS.nameLength) ?? null,
    payerDocument: fields.optionalDocument('payer_document') ?? null,
    metadata: fields.metadata('metadata'),
  };
  return finish(fields, input, assumed);
}

/** The same fields, all of them optional: what `trigger` and the control API take. Problems stay with `fields`. */
export function parseChargeFields(fields: Fields): Partial<ChargeInput> {
  return present({
    code: fields.optionalCode('code'),
    accountId: fields.optionalUuid('account_id'),
    amountCents: fields.optionalAmount('amount'),
    payerName: fields.optionalText('payer_name', LIMITS.nameLength),
    payerDocument: fields.optionalDocument('payer_document'),
    metadata: fields.optionalMetadata('metadata'),
  });
}

/** The fields of a withdrawal (§2.2), all of them optional; the type of the key follows from the key. */
export function parseWithdrawalFields(fields: Fields): Partial<WithdrawalInput> {
  const pixKey = fields.optionalText('pix_key', LIMITS.nameLength);
  const keyType = pixKey === undefined ? undefined : pixKeyType(pixKey);
  if (pixKey !== undefined && keyType === undefined) {
    fields.problem(
      'pix_key',
      'Must be a CPF or CNPJ (digits only), an e-mail address, a phone such as +5511987654321, or a random key (UUID).',
    );
  }
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

export function parseEndpointBody(body: unknown, assumed: Assumed): Parsed<EndpointBody> {
  const fields = new Fields(body);
  const input = {
    url: fields.text('url', LIMITS.urlLength),
    events: fields.listOf('events', EVENT_TYPES),
    description: fields.optionalText('description', LIMITS.descriptionLength) ?? null,
  };
  return finish(fields, input, assumed);
}

/** The body of creating an identity session (§4.10). */
export function parseSessionBody(body: unknown, assumed: Assumed): Parsed<{ customerType: CustomerType }> {
  const fields = new Fields(body);
  return finish(fields, { customerType: fields.required('customerType', CUSTOMER_TYPES) }, assumed);
}

const ERROR_CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** What decides a session: a status, or an error code instead. `delay` is a duration. Problems stay with `fields`. */
export function parseDecision(fields: Fields): DecisionInput {
  const status = fields.oneOf('status', SESSION_DECISIONS);
  const document = fields.optionalDocument('document');
  const delay = fields.optionalText('delay', LIMITS.nameLength);
  const delayMs = delay === undefined ? undefined : parseDuration(delay);
  const error = fields.optionalText('error', LIMITS.nameLength);
  if (delay !== undefined && delayMs === undefined) {
    fields.problem('delay', `Must be a duration such as 2s, 5m or 1d12h; got ${delay}.`);
  }
  if (error !== undefined && !ERROR_CODE.test(error)) {
    fields.problem('error', 'Must be a code of up to 64 of A-Z 0-9 _, such as CAMERA_DENIED.');
  }
  if (fields.has('status') === fields.has('error')) {
    fields.problem('status', `Give either a status (${SESSION_DECISIONS.join(', ')}) or an error.`);
  }
  if (error !== undefined && (document ?? delay) !== undefined) {
    fields.problem('error', 'Decides nothing, so it takes neither a document nor a delay.');
  }
  return { status, document, delayMs, error };
}

function present<Value extends object>(value: Value): { [Key in keyof Value]?: NonNullable<Value[Key]> } {
  const kept = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(kept) as { [Key in keyof Value]?: NonNullable<Value[Key]> };
}
