import { ATTEMPT_ERRORS } from '../../contract/attempt-errors.js';
import type { JsonSchema } from '../../core/input/json-schema.js';
import { nullable } from '../../core/input/json-schema.js';
import { METADATA } from '../../core/input/kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { PIX_KEY_TYPES } from '../../core/payments/pix-keys.js';
import type {
  ChargeResource,
  DeliveryResource,
  EndpointResource,
  TransactionResource,
  WebhookEvent,
  WithdrawalResource,
} from '../../core/resources/resources.js';
import { CUSTOMER_TYPES } from '../../contract/customer-types.js';
import {
  CHARGE_STATUSES,
  DELIVERY_STATUSES,
  SESSION_DECISIONS,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import { EVENT_TYPES } from '../../contract/events.js';
import type { ErrorBody } from '../operation/error-body.js';
import * as is from './schemas.js';

const ENVIRONMENT = is.always('TEST');
const CODE = is.textOf(LIMITS.codeLength);
const NAME = is.textOf(LIMITS.nameLength);

/** The fields of a charge (§2.1), which the control API adds to. */
export const CHARGE_FIELDS = {
  id: is.UUID,
  code: CODE,
  status: is.oneOf(CHARGE_STATUSES),
  environment: ENVIRONMENT,
  account_id: is.UUID,
  amount: is.AMOUNT,
  asset_code: is.always('BRL'),
  qr_code: { type: 'string', pattern: '^000201.*6304[0-9A-F]{4}$' },
  qr_code_base64: nullable({ type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' }),
  expires_at: is.INSTANT,
  fees: is.ref('Fees'),
  payer_name: nullable(NAME),
  payer_document: nullable(is.TEXT),
  metadata: METADATA.json,
  created_at: is.INSTANT,
} satisfies Record<keyof ChargeResource, JsonSchema>;

/** The fields of a withdrawal (§2.2), which the control API adds to. */
export const WITHDRAWAL_FIELDS = {
  id: is.UUID,
  code: CODE,
  account_id: is.UUID,
  amount: is.AMOUNT,
  net_amount: is.AMOUNT,
  fee: is.AMOUNT,
  status: is.oneOf(WITHDRAWAL_STATUSES),
  environment: ENVIRONMENT,
  destination: is.ref('Destination'),
  metadata: METADATA.json,
  created_at: is.INSTANT,
} satisfies Record<keyof WithdrawalResource, JsonSchema>;

/** The fields of an endpoint (§2.3), which the control API adds to. */
export const ENDPOINT_FIELDS = {
  id: is.UUID,
  url: is.URL,
  description: nullable(is.textOf(LIMITS.descriptionLength)),
  events: is.listOf(is.oneOf(EVENT_TYPES)),
  status: is.oneOf(['ACTIVE', 'DISABLED']),
  created_at: is.INSTANT,
  updated_at: is.INSTANT,
} satisfies Record<keyof EndpointResource, JsonSchema>;

/** The fields of a delivery (§2.4), which the control API adds to. */
export const DELIVERY_FIELDS = {
  id: is.UUID,
  event_id: is.EVENT_ID,
  event_type: is.oneOf(EVENT_TYPES),
  resource: is.ref('DeliveredResource'),
  status: is.oneOf(DELIVERY_STATUSES),
  attempts: is.COUNT,
  last_attempt_at: nullable(is.INSTANT),
  last_response_status: nullable({ type: 'integer', minimum: 100, maximum: 999 }),
  last_error: nullable(is.oneOf(Object.keys(ATTEMPT_ERRORS))),
  next_attempt_at: nullable(is.INSTANT),
  delivered_at: nullable(is.INSTANT),
  created_at: is.INSTANT,
} satisfies Record<keyof DeliveryResource, JsonSchema>;

/** An endpoint's signing secret. */
export const SECRET: JsonSchema = { type: 'string', pattern: '^whsec_[A-Za-z0-9+/]+=*$' };

const EUID: JsonSchema = { type: 'string', maxLength: 64 };

/** What an answer of the identity API to creating a session holds (§4.10). */
interface CreatedSession {
  readonly sessionId: string;
  readonly customerType: string;
  readonly status: string;
  readonly url: string;
  readonly expiresAt: string;
}

/** What both documents point to. */
export const SHARED_SCHEMAS = {
  Error: is.objectOf<ErrorBody>('Every error (§7).', { error: is.ref('ErrorDetail') }),
  ErrorDetail: is.objectOf<ErrorBody['error']>(
    'What was wrong, and what to do about it.',
    {
      code: { type: 'string', description: 'Says what kind of error it is; made to be compared.' },
      message: is.TEXT,
      request_id: { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
      details: is.listOf(
        is.objectOf<ErrorBody['error']['details'][number]>('A problem with one field.', {
          field: is.TEXT,
          message: is.TEXT,
        }),
      ),
      hint: { type: 'string', description: 'What to do next. The sandbox adds it to help you.' },
    },
    'hint',
  ),
  Paging: is.PAGING,
  Fees: is.objectOf<ChargeResource['fees']>('What of a charge goes where.', {
    provider_fee: is.AMOUNT,
    partner_fee: is.AMOUNT,
    net_amount: is.AMOUNT,
  }),
  Destination: is.objectOf<WithdrawalResource['destination']>('Where a withdrawal goes.', {
    rail: is.always('PIX'),
    pix_key: NAME,
    pix_key_type: is.oneOf(PIX_KEY_TYPES),
    beneficiary_document: nullable(is.TEXT),
    beneficiary_name: nullable(NAME),
  }),
  DeliveredResource: is.objectOf<DeliveryResource['resource']>('What an event is about.', {
    type: is.oneOf(['pix', 'withdrawal']),
    id: is.UUID,
  }),
};

/** The envelope of an event (§6), with what it is about. */
function eventOf(type: string, resource: string): JsonSchema {
  return is.objectOf<WebhookEvent>(`The body of a ${type} webhook (§6).`, {
    id: is.EVENT_ID,
    type: is.always(type),
    schema_version: is.always(1),
    timestamp: is.INSTANT,
    environment: ENVIRONMENT,
    data: is.objectOf<WebhookEvent['data']>('The resource as the transition left it.', {
      object: is.ref(resource),
    }),
  });
}

/** The name of the schema of an event, such as `PixSettledEvent`. */
export function eventSchemaName(type: string): string {
  const words = type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** The events' schemas by their names. */
const EVENTS = Object.fromEntries(
  EVENT_TYPES.map((type) => [
    eventSchemaName(type),
    eventOf(type, type.startsWith('pix.') ? 'Charge' : 'Withdrawal'),
  ]),
);

/** The schemas of the service's document. */
export const SERVICE_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...SHARED_SCHEMAS,
  Charge: is.objectOf<ChargeResource>('A PIX charge (§2.1).', CHARGE_FIELDS),
  Withdrawal: is.objectOf<WithdrawalResource>('A withdrawal (§2.2).', WITHDRAWAL_FIELDS),
  Transaction: is.objectOf<TransactionResource>('A line of an account’s ledger (§2.5).', {
    id: is.UUID,
    code: CODE,
    amount: is.AMOUNT,
    status: is.always('POSTED'),
    direction: is.oneOf(['CREDIT', 'DEBIT']),
    created_at: is.INSTANT,
  }),
  Endpoint: is.objectOf<EndpointResource>('A webhook endpoint (§2.3).', ENDPOINT_FIELDS),
  EndpointWithSecret: is.objectOf<EndpointResource & { secret: string }>(
    'A webhook endpoint with its signing secret, which is shown only here.',
    { ...ENDPOINT_FIELDS, secret: SECRET },
  ),
  Delivery: is.objectOf<DeliveryResource>('An event on its way to an endpoint (§2.4).', DELIVERY_FIELDS),
  Session: is.objectOf<CreatedSession>('An identity-verification session (§2.7).', {
    sessionId: is.TEXT,
    customerType: is.oneOf(CUSTOMER_TYPES),
    status: is.oneOf(SESSION_STATUSES),
    url: is.URL,
    expiresAt: is.INSTANT,
  }),
  SessionResult: is.objectOf<{ sessionId: string; status: string; euid?: string }>(
    'The result of a verification (§2.7); `euid` stands there when it is approved.',
    { sessionId: is.TEXT, status: is.oneOf(SESSION_DECISIONS), euid: EUID },
    'euid',
  ),
  WithdrawalPage: is.pageOf(is.ref('Withdrawal')),
  TransactionPage: is.pageOf(is.ref('Transaction')),
  EndpointPage: is.pageOf(is.ref('Endpoint')),
  DeliveryPage: is.pageOf(is.ref('Delivery')),
  ...EVENTS,
};
