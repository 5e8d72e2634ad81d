import { ATTEMPT_ERRORS, CUSTOMER_TYPES, EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { PAYMENT_FIELDS } from '../../contract/fields.js';
import { LIMITS } from '../../contract/limits.js';
import {
  CHARGE_STATUSES,
  DELIVERY_STATUSES,
  ENDPOINT_STATUSES,
  SESSION_DECISIONS,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import { nameSchema, type Infer, type Schema } from '../../schema/schema.js';
import { nullable, optional } from '../../schema/object.js';
import { literal, deriveKey, enumOf, text, integer } from '../../schema/values.js';
import { createFieldSchemas } from '../input/kinds.js';
import { PIX_KEY_TYPES } from '../payments/documents.js';
import * as is from './values.js';

const ENVIRONMENT = literal('TEST');

/** QR code of the charge with the example UUID. */
const QR_CODE_EXAMPLE =
  '00020101021226860014br.gov.bcb.pix2564pix.sandbox.localhost/qr/v2/a83dd6c3-6641-4d68-b0e7-f0c631fb2a44' +
  '5204000053039865802BR5911PIX SANDBOX6009SAO PAULO62070503***6304AEF4';

export const CHARGE_FEES = is.createResourceSchema('Fees', 'Breakdown of a charge’s amount.', {
  provider_fee: is.AMOUNT,
  partner_fee: is.AMOUNT,
  net_amount: is.AMOUNT,
});

const { code, account_id, amount, metadata } = createFieldSchemas('shown', PAYMENT_FIELDS.charge);

export const CHARGE = is.createResourceSchema('Charge', 'A PIX charge (§2.1).', {
  id: is.UUID,
  code,
  status: enumOf(CHARGE_STATUSES),
  environment: ENVIRONMENT,
  account_id,
  amount,
  asset_code: literal('BRL'),
  qr_code: text('a BR Code', /^000201.*6304[0-9A-F]{4}$/, { examples: [QR_CODE_EXAMPLE] }),
  qr_code_base64: nullable(
    text('a PNG', undefined, { contentEncoding: 'base64', contentMediaType: 'image/png' }),
  ),
  expires_at: is.INSTANT,
  fees: CHARGE_FEES,
  ...createFieldSchemas('shown', PAYMENT_FIELDS.own.charge),
  metadata,
  created_at: is.INSTANT,
});
export type ChargeResource = Infer<typeof CHARGE>;

const { pix_key, ...beneficiary } = createFieldSchemas('shown', PAYMENT_FIELDS.own.withdrawal);

export const DESTINATION = is.createResourceSchema('Destination', 'The destination of a withdrawal.', {
  rail: literal('PIX'),
  pix_key,
  pix_key_type: enumOf(PIX_KEY_TYPES),
  ...beneficiary,
});

export const WITHDRAWAL = is.createResourceSchema('Withdrawal', 'A withdrawal (§2.2).', {
  id: is.UUID,
  code,
  account_id,
  amount,
  net_amount: is.AMOUNT,
  fee: is.AMOUNT,
  status: enumOf(WITHDRAWAL_STATUSES),
  environment: ENVIRONMENT,
  destination: DESTINATION,
  metadata,
  created_at: is.INSTANT,
});
export type WithdrawalResource = Infer<typeof WITHDRAWAL>;

export const TRANSACTION = is.createResourceSchema('Transaction', 'An entry in an account’s ledger (§2.5).', {
  id: is.UUID,
  code,
  amount,
  status: literal('POSTED'),
  direction: enumOf(['CREDIT', 'DEBIT']),
  created_at: is.INSTANT,
});
export type TransactionResource = Infer<typeof TRANSACTION>;

export const ENDPOINT = is.createResourceSchema('Endpoint', 'A webhook endpoint (§2.3).', {
  id: is.UUID,
  url: is.ADDRESS,
  description: nullable(is.createLimitedText(LIMITS.descriptionLength)),
  events: is.arrayOf(enumOf(EVENT_TYPES)),
  status: enumOf(ENDPOINT_STATUSES),
  created_at: is.INSTANT,
  updated_at: is.INSTANT,
});
export type EndpointResource = Infer<typeof ENDPOINT>;

export const ENDPOINT_SECRET = text('a signing secret', /^whsec_[A-Za-z0-9+/]+=*$/, {
  examples: ['whsec_yaI/mDyR+vwQE7+7vXcLSwgdbJ5ni2Y/VdkJGCfVUlg='],
});

export const ENDPOINT_WITH_SECRET = is.createResourceSchema(
  'EndpointWithSecret',
  'A webhook endpoint with its signing secret, which no other response contains.',
  {
    ...ENDPOINT.fields,
    secret: ENDPOINT_SECRET,
  },
);

export const DELIVERED_RESOURCE = is.createResourceSchema(
  'DeliveredResource',
  'The resource that an event refers to.',
  {
    type: enumOf(['pix', 'withdrawal']),
    id: is.UUID,
  },
);
export const STATUS_CODE = integer('a status code', { min: 100, max: 999 });
export const ATTEMPT_ERROR = nullable(deriveKey(ATTEMPT_ERRORS));

export const DELIVERY = is.createResourceSchema(
  'Delivery',
  'The delivery of an event to an endpoint (§2.4).',
  {
    id: is.UUID,
    event_id: is.EVENT_ID,
    event_type: enumOf(EVENT_TYPES),
    resource: DELIVERED_RESOURCE,
    status: enumOf(DELIVERY_STATUSES),
    attempts: is.COUNT,
    last_attempt_at: nullable(is.INSTANT),
    last_response_status: nullable(STATUS_CODE),
    last_error: ATTEMPT_ERROR,
    next_attempt_at: nullable(is.INSTANT),
    delivered_at: nullable(is.INSTANT),
    created_at: is.INSTANT,
  },
);
export type DeliveryResource = Infer<typeof DELIVERY>;

export const CREATED_SESSION = is.createResourceSchema(
  'Session',
  'An identity-verification session (§2.7).',
  {
    sessionId: is.TEXT,
    customerType: enumOf(CUSTOMER_TYPES),
    status: enumOf(SESSION_STATUSES),
    url: is.ADDRESS,
    expiresAt: is.INSTANT,
  },
);

export const SESSION_RESULT = is.createResourceSchema(
  'SessionResult',
  'The result of a verification (§2.7); `euid` is present only when approved.',
  { sessionId: is.TEXT, status: enumOf(SESSION_DECISIONS), euid: optional(is.EUID) },
);

export function getEventSchemaName(type: EventType): string {
  const words = type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** Creates the schema of an event's envelope (§6). */
function eventOf(type: EventType) {
  const resource: Schema<ChargeResource | WithdrawalResource> = type.startsWith('pix.') ? CHARGE : WITHDRAWAL;
  return nameSchema(
    getEventSchemaName(type),
    is.createObjectSchema(`The body of a ${type} webhook (§6).`, {
      id: is.EVENT_ID,
      type: literal(type),
      schema_version: literal(1),
      timestamp: is.INSTANT,
      environment: ENVIRONMENT,
      data: is.createObjectSchema('The resource right after the transition.', { object: resource }),
    }),
  );
}

export const EVENT_SCHEMAS = EVENT_TYPES.map(eventOf);
export type Envelope = Infer<(typeof EVENT_SCHEMAS)[number]>;
