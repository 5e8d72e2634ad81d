import { LIMITS } from '../../contract/limits.js';
import type { OperationDocs } from './operation.js';
import { UUID } from '../../core/resources/values.js';

/** A UUID in a path; a malformed one is treated as unknown. */
const ID = { id: UUID.json };

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Names the attempt of a person: the same key with the same body gives the same session back.',
  schema: {
    type: 'string',
    minLength: LIMITS.idempotencyKeyLengthMin,
    maxLength: LIMITS.idempotencyKeyLengthMax,
    pattern: '^[ -~]*$',
  },
};

const ENDPOINTS: OperationDocs = {
  'POST /api/public/v1/webhook-endpoints': {
    id: 'createWebhookEndpoint',
    tag: 'webhook endpoints',
    summary: 'Register an endpoint for events (§4.4).',
    description:
      'Needs the scope that reads the resource of each subscribed event, too. The secret is shown here and never again.',
    answers: { 201: { says: 'The endpoint and its secret.', schema: 'EndpointWithSecret' } },
    refusals: ['ENDPOINT_ALREADY_EXISTS', 'ENDPOINT_LIMIT_REACHED', 'ENDPOINT_URL_NOT_ALLOWED'],
  },
  'GET /api/public/v1/webhook-endpoints': {
    id: 'listWebhookEndpoints',
    tag: 'webhook endpoints',
    summary: 'List the application’s endpoints (§4.5).',
    answers: { 200: { says: 'A page of endpoints.', schema: 'EndpointPage' } },
  },
  'GET /api/public/v1/webhook-endpoints/{endpoint_id}': {
    id: 'getWebhookEndpoint',
    tag: 'webhook endpoints',
    summary: 'Get an endpoint (§4.6).',
    params: { endpoint_id: UUID.json },
    answers: { 200: { says: 'The endpoint, without its secret.', schema: 'Endpoint' } },
  },
  'POST /api/public/v1/webhook-endpoints/{id}/rotate-secret': {
    id: 'rotateWebhookSecret',
    tag: 'webhook endpoints',
    summary: 'Give an endpoint a new secret (§4.7).',
    description: 'The old secret stays valid beside the new one for 24 hours.',
    params: ID,
    answers: { 200: { says: 'The endpoint and its new secret.', schema: 'EndpointWithSecret' } },
  },
};

const DELIVERIES: OperationDocs = {
  'GET /api/public/v1/webhook-endpoints/{id}/deliveries': {
    id: 'listWebhookDeliveries',
    tag: 'deliveries',
    summary: 'List the deliveries of an endpoint (§4.8).',
    params: ID,
    answers: { 200: { says: 'A page of deliveries.', schema: 'DeliveryPage' } },
  },
  'POST /api/public/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/retry': {
    id: 'retryWebhookDelivery',
    tag: 'deliveries',
    summary: 'Put a failed delivery back in the queue (§4.9).',
    params: { endpoint_id: UUID.json, delivery_id: UUID.json },
    answers: { 202: { says: 'The delivery, pending again.', schema: 'Delivery' } },
    refusals: ['DELIVERY_NOT_FAILED', 'ENDPOINT_UNAVAILABLE'],
  },
};

const IDENTITY: OperationDocs = {
  'POST /api/v1/kyc/sessions': {
    id: 'createKycSession',
    tag: 'identity',
    summary: 'Create an identity-verification session (§4.10).',
    headers: [IDEMPOTENCY_KEY],
    answers: {
      200: { says: 'The existing session of this key, as it is now.', schema: 'Session' },
      201: { says: 'The new session.', schema: 'Session' },
    },
    refusals: ['IDEMPOTENCY_KEY_REUSED'],
  },
  'GET /api/v1/kyc/sessions/{sessionId}/result': {
    id: 'getKycResult',
    tag: 'identity',
    summary: 'Get the result of a verification (§4.11).',
    answers: { 200: { says: 'The result.', schema: 'SessionResult' } },
    refusals: ['NOT_TERMINAL', 'SESSION_EXPIRED'],
  },
};

/** The operations of the service, by method and path. */
export const SERVICE_OPERATIONS: OperationDocs = {
  'POST /api/public/v1/pix': {
    id: 'createCharge',
    tag: 'charges',
    summary: 'Create a PIX charge (§4.1).',
    description: 'To repeat a request safely, send the same `code` and the same fields.',
    answers: {
      200: { says: 'The existing charge with this code, as it is now.', schema: 'Charge' },
      201: { says: 'The new charge.', schema: 'Charge' },
    },
    refusals: ['NOT_FOUND', 'CODE_REUSED'],
  },
  'GET /api/public/v1/withdrawals': {
    id: 'listWithdrawals',
    tag: 'withdrawals',
    summary: 'List the application’s withdrawals (§4.2).',
    answers: { 200: { says: 'A page of withdrawals.', schema: 'WithdrawalPage' } },
  },
  'GET /api/public/v1/accounts/{id}/transactions': {
    id: 'listAccountTransactions',
    tag: 'transactions',
    summary: 'List an account’s transactions (§4.3).',
    params: ID,
    answers: { 200: { says: 'A page of transactions.', schema: 'TransactionPage' } },
  },
  ...ENDPOINTS,
  ...DELIVERIES,
  ...IDENTITY,
};
