import type { Assumed } from '../../contract/assumptions.js';
import { scopeFor } from '../../core/webhooks/events.js';
import { eventSchemaName } from '../../core/resources/resources.js';
import { UUID } from '../../core/resources/values.js';
import { type JsonSchema, reference } from '../../schema/schema.js';
import { LIMITS } from '../../contract/limits.js';
import type { RefusalCode } from '../../contract/refusals.js';
import { EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { takesUnknownFields } from '../operation/read-request.js';
import type { ServiceRoute } from '../service/routes.js';
import { SERVICE_SCHEMAS } from './schemas.js';
import type { DescribedRoute, OpenApiDocument, OperationDocs } from './document.js';
import { openApiDocument } from './document.js';
import { exampleOf } from './example.js';

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
      'Needs the scope that reads the resource of each subscribed event, too. The secret is ' +
      'shown here and never again.',
    responses: { 201: { says: 'The endpoint and its secret.', schema: 'EndpointWithSecret' } },
    refusals: ['ENDPOINT_ALREADY_EXISTS', 'ENDPOINT_LIMIT_REACHED', 'ENDPOINT_URL_NOT_ALLOWED'],
  },
  'GET /api/public/v1/webhook-endpoints': {
    id: 'listWebhookEndpoints',
    tag: 'webhook endpoints',
    summary: 'List the application’s endpoints (§4.5).',
    responses: { 200: { says: 'A page of endpoints.', schema: 'EndpointPage' } },
  },
  'GET /api/public/v1/webhook-endpoints/{endpoint_id}': {
    id: 'getWebhookEndpoint',
    tag: 'webhook endpoints',
    summary: 'Get an endpoint (§4.6).',
    params: { endpoint_id: UUID.json },
    responses: { 200: { says: 'The endpoint, without its secret.', schema: 'Endpoint' } },
  },
  'POST /api/public/v1/webhook-endpoints/{id}/rotate-secret': {
    id: 'rotateWebhookSecret',
    tag: 'webhook endpoints',
    summary: 'Give an endpoint a new secret (§4.7).',
    description: 'The old secret stays valid beside the new one for 24 hours.',
    params: ID,
    responses: { 200: { says: 'The endpoint and its new secret.', schema: 'EndpointWithSecret' } },
  },
};

const DELIVERIES: OperationDocs = {
  'GET /api/public/v1/webhook-endpoints/{id}/deliveries': {
    id: 'listWebhookDeliveries',
    tag: 'deliveries',
    summary: 'List the deliveries of an endpoint (§4.8).',
    params: ID,
    responses: { 200: { says: 'A page of deliveries.', schema: 'DeliveryPage' } },
  },
  'POST /api/public/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/retry': {
    id: 'retryWebhookDelivery',
    tag: 'deliveries',
    summary: 'Put a failed delivery back in the queue (§4.9).',
    params: { endpoint_id: UUID.json, delivery_id: UUID.json },
    responses: { 202: { says: 'The delivery, pending again.', schema: 'Delivery' } },
    refusals: ['DELIVERY_NOT_FAILED', 'ENDPOINT_UNAVAILABLE'],
  },
};

const IDENTITY: OperationDocs = {
  'POST /api/v1/kyc/sessions': {
    id: 'createKycSession',
    tag: 'identity',
    summary: 'Create an identity-verification session (§4.10).',
    headers: [IDEMPOTENCY_KEY],
    responses: {
      200: { says: 'The existing session of this key, as it is now.', schema: 'Session' },
      201: { says: 'The new session.', schema: 'Session' },
    },
    refusals: ['IDEMPOTENCY_KEY_REUSED'],
  },
  'GET /api/v1/kyc/sessions/{sessionId}/result': {
    id: 'getKycResult',
    tag: 'identity',
    summary: 'Get the result of a verification (§4.11).',
    responses: { 200: { says: 'The result.', schema: 'SessionResult' } },
    refusals: ['NOT_TERMINAL', 'SESSION_EXPIRED'],
  },
};

/** The operations of the service, by method and path. */
const SERVICE_OPERATIONS: OperationDocs = {
  'POST /api/public/v1/pix': {
    id: 'createCharge',
    tag: 'charges',
    summary: 'Create a PIX charge (§4.1).',
    description: 'To repeat a request safely, send the same `code` and the same fields.',
    responses: {
      200: { says: 'The existing charge with this code, as it is now.', schema: 'Charge' },
      201: { says: 'The new charge.', schema: 'Charge' },
    },
    refusals: ['NOT_FOUND', 'CODE_REUSED'],
  },
  'GET /api/public/v1/withdrawals': {
    id: 'listWithdrawals',
    tag: 'withdrawals',
    summary: 'List the application’s withdrawals (§4.2).',
    responses: { 200: { says: 'A page of withdrawals.', schema: 'WithdrawalPage' } },
  },
  'GET /api/public/v1/accounts/{id}/transactions': {
    id: 'listAccountTransactions',
    tag: 'transactions',
    summary: 'List an account’s transactions (§4.3).',
    params: ID,
    responses: { 200: { says: 'A page of transactions.', schema: 'TransactionPage' } },
  },
  ...ENDPOINTS,
  ...DELIVERIES,
  ...IDENTITY,
};

const SIGNATURE_CODES: readonly RefusalCode[] = [
  'SIGNATURE_MISSING',
  'SIGNATURE_INVALID',
  'TIMESTAMP_OUT_OF_RANGE',
  'NONCE_REUSED',
];

function headerScheme(name: string, description: string): JsonSchema {
  return { type: 'apiKey', in: 'header', name, description };
}

/** How callers authenticate (§5). */
const SECURITY_SCHEMES: JsonSchema = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the application (§5.1), which has the scopes that operations name.',
  },
  timestamp: headerScheme(
    'X-Timestamp',
    'The current time in Unix seconds of real time, 1 to 12 digits: `^[0-9]{1,12}$` (§5.2).',
  ),
  nonce: headerScheme(
    'X-Nonce',
    `New for each request: ${LIMITS.nonceLengthMin} to ${LIMITS.nonceLengthMax} of A-Z a-z 0-9 _ - (§5.2).`,
  ),
  signature: headerScheme(
    'X-Signature',
    'HMAC-SHA256 of `timestamp.nonce.METHOD.path.sha256(body)`, keyed with the application’s signing secret. Both ' +
      'digests are lower-case hex, and `path` is the request target before `?` (§5.2).',
  ),
  kycCredential: {
    type: 'http',
    scheme: 'bearer',
    description: 'The credential for identity verification, which stays on the server (§5.4).',
  },
};

const SIGNED = { timestamp: [], nonce: [], signature: [] };

function describeRoute(route: ServiceRoute, isClosed: boolean): DescribedRoute {
  const { door, method, path, body, query, scope = 'none', signature } = route;
  const described = { method, path, body, query, isClosed };
  if (door === 'identity') {
    const refusals: RefusalCode[] = ['UNAUTHENTICATED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'];
    return { ...described, security: [{ kycCredential: [] }], refusals };
  }
  const scopes = scope === 'none' ? [] : [scope];
  const bearer = { bearer: scopes };
  const signed = signature === undefined ? [] : [{ ...bearer, ...SIGNED }];
  const security = signature === 'required' ? signed : [...signed, bearer];
  const refusals: RefusalCode[] = [
    'UNAUTHENTICATED',
    'RATE_LIMITED',
    ...(scopes.length === 0 ? [] : ['INSUFFICIENT_SCOPE' as const]),
    ...(signature === undefined ? [] : SIGNATURE_CODES),
  ];
  return { ...described, security, refusals };
}

function webhookHeader(name: string, description: string): JsonSchema {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

const WEBHOOK_HEADERS = [
  webhookHeader(
    'webhook-id',
    'The event’s id: the same for every attempt, so that receivers can deduplicate.',
  ),
  webhookHeader('webhook-timestamp', 'When it was dispatched, in Unix seconds of real time.'),
  webhookHeader(
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; ' +
      'several are separated by spaces (§5.5).',
  ),
  webhookHeader('user-agent', '`PixSandbox-Webhooks/<version>`.'),
];

/** The webhooks that subscribed endpoints receive (§6). */
function webhookOf(type: EventType): JsonSchema {
  const schema = reference(eventSchemaName(type));
  const content = { schema, example: exampleOf(schema, SERVICE_SCHEMAS) };
  return {
    post: {
      operationId: `on${eventSchemaName(type).replace(/Event$/, '')}`,
      tags: ['webhooks'],
      summary: `${type}, for applications with the scope ${scopeFor(type)} (§6).`,
      parameters: WEBHOOK_HEADERS,
      requestBody: { required: true, content: { 'application/json': content } },
      responses: {
        '2XX': { description: 'Delivered, if the headers come within 10 seconds.' },
        default: {
          description: 'Any other answer, a redirect too, is a failed attempt, and a next one follows.',
        },
      },
      security: [],
    },
  };
}

const DESCRIPTION = `The payments service as this sandbox emulates it: charges, withdrawals, transactions, \
webhooks and identity verification. \`§\` points to a section of INTERFACE.md, which comes with the package.

The request schemas are generated from the code that reads requests. Requested faults may answer with other \
statuses. A body has at most ${LIMITS.bodyBytes / 1024} KiB.`;

/** The document of the service; `url` is the origin of the sandbox, and the assumptions decide what is required. */
export function serviceDocument(
  routes: readonly ServiceRoute[],
  assumed: Assumed,
  url: string,
): OpenApiDocument {
  const isClosed = !takesUnknownFields(assumed);
  return openApiDocument({
    title: 'PIX sandbox: the service',
    description: DESCRIPTION,
    url,
    routes: routes.map((route) => describeRoute(route, isClosed)),
    operations: SERVICE_OPERATIONS,
    schemas: SERVICE_SCHEMAS,
    securitySchemes: SECURITY_SCHEMES,
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, webhookOf(type)])),
  });
}
