import type { Assumed } from './assumptions.js';
import type { ChargeInput } from './charges.js';
import { Fields } from './fields.js';
import { LIMITS } from './limits.js';
import { pixKeyType } from './pix-keys.js';
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

function present<Value extends object>(value: Value): { [Key in keyof Value]?: NonNullable<Value[Key]> } {
  const kept = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(kept) as { [Key in keyof Value]?: NonNullable<Value[Key]> };
}
