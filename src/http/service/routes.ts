import type { AssumptionChoices } from '../../contract/assumptions.js';
import { EVENT_TYPES } from '../../contract/enums.js';
import { CALL_ROUTES } from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal, type RefusalCode } from '../../contract/refusals.js';
import { formatIsoTime } from '../../contract/time.js';
import { DELIVERY_STATUSES } from '../../contract/transitions.js';
import { getVisibleStatus } from '../../core/identity/session.js';
import { findSession, readSessionResult } from '../../core/identity/sessions.js';
import { CHARGE_BODY, ENDPOINT_BODY, SESSION_BODY } from '../../core/input/bodies.js';
import { paginate, PAGE_FIELDS, PAGE_QUERY, type PageQuery } from '../../core/page.js';
import { findOwnAccount } from '../../core/payments/ledger.js';
import {
  presentCharge,
  presentDelivery,
  presentEndpoint,
  presentTransaction,
  presentWithdrawal,
} from '../../core/resources/serialize.js';
import * as resources from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { findDelivery } from '../../core/webhooks/deliveries.js';
import { findEndpoint } from '../../core/webhooks/endpoints.js';
import type { App, Delivery, Endpoint, Organization } from '../../core/world.js';
import { createWebhookSecret } from '../../sandbox/credentials.js';
import { renameField, object, optional } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import { enumOf } from '../../schema/values.js';
import type { Operation as DocumentedOperation } from '../openapi/document.js';
import { checkEndpointUrl } from '../shared/endpoint-url.js';
import { type ApiResponse, presentPage } from '../shared/response.js';
import type { QuerySchema } from '../shared/read-request.js';
import { createSessionUrl, IDENTITY_PREFIX } from '../shared/surface.js';
import type { RouteRequirements, ServiceRequest } from './checks.js';

type Surface = keyof typeof CALL_ROUTES;

/** A service operation: OpenAPI description, requirements, schemas and handler. */
interface Described extends Pick<DocumentedOperation, 'id' | 'tag' | 'summary' | 'description' | 'headers'> {
  readonly responseSchema: Schema<unknown>;
  /** Operation-specific errors. */
  readonly refusals?: readonly RefusalCode[];
  readonly statuses?: DocumentedOperation['statuses'];
  readonly body?: Schema<unknown>;
  readonly query?: QuerySchema<unknown>;
  readonly handle: (request: ServiceRequest<never, never, never>) => ApiResponse | Promise<ApiResponse>;
}

/** An operation whose scope and signature can depend on assumptions. */
interface Entry extends Described {
  readonly scope?: RouteRequirements['scope'] | 'assumed';
  readonly signature?: 'required' | 'assumed';
}

export interface ServiceRoute extends Described, RouteRequirements {
  readonly api: Surface;
  readonly method: 'GET' | 'POST';
  /** The full path, with `:name` for parameters. */
  readonly path: string;
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Identifies a verification attempt: the same key with the same body returns the same session.',
  schema: {
    type: 'string',
    minLength: LIMITS.idempotencyKeyLengthMin,
    maxLength: LIMITS.idempotencyKeyLengthMax,
    pattern: '^[ -~]*$',
  },
};

type ApiRequest<Body = unknown, Query = unknown> = ServiceRequest<App, Body, Query>;
type Listing = ApiRequest<unknown, PageQuery>;
type IdentityRequest<Body = unknown> = ServiceRequest<Organization, Body>;

/**
 * Handles POST /pix (§4.1): returns 201 for a new charge, or 200 with the current charge for a repeated code.
 */
function createCharge({ sandbox, caller, body }: ApiRequest<Infer<typeof CHARGE_BODY>>): ApiResponse {
  const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: caller.id, charge: body });
  const drawQr = sandbox.world.assumed['charge.qr_image'] === 'full' ? sandbox.drawQr : null;
  return { status: created ? 201 : 200, body: presentCharge(charge, drawQr) };
}

function listWithdrawals({ sandbox: { world }, caller, query }: Listing): ApiResponse {
  const key = { list: 'withdrawals', owner: caller.id };
  return presentPage(paginate(world, caller.withdrawals, key, query), presentWithdrawal);
}

function listTransactions({ sandbox: { world }, caller, param, query }: Listing): ApiResponse {
  const account = findOwnAccount(world, caller.id, param('id').toLowerCase());
  const key = { list: 'transactions', owner: account.id };
  const found = paginate(world, account.transactions, key, query);
  return presentPage(found, (transaction) => presentTransaction(world, transaction));
}

/** Handles POST /webhook-endpoints (§4.4). Only creation and rotation responses contain the secret. */
async function createEndpoint(request: ApiRequest<Infer<typeof ENDPOINT_BODY>>): Promise<ApiResponse> {
  const { sandbox, caller, body, withCause } = request;
  const url = await checkEndpointUrl(sandbox, body.url);
  const endpoint = { ...body, url, secret: createWebhookSecret(sandbox.epoch.drawBytes) };
  const created = withCause(() => sandbox.dispatch({ type: 'endpoint.create', appId: caller.id, endpoint }));
  return { status: 201, body: withSecret(created) };
}

function withSecret(endpoint: Endpoint) {
  return { ...presentEndpoint(endpoint), secret: endpoint.secret };
}

function listEndpoints({ sandbox: { world }, caller, query }: Listing): ApiResponse {
  const own = [...world.endpoints.values()].filter((endpoint) => endpoint.appId === caller.id);
  return presentPage(paginate(world, own, { list: 'endpoints', owner: caller.id }, query), presentEndpoint);
}

function getEndpoint(request: ApiRequest): ApiResponse {
  return { status: 200, body: presentEndpoint(ownEndpoint(request, 'endpoint_id')) };
}

function rotateSecret(request: ApiRequest): ApiResponse {
  const { sandbox } = request;
  const { id: endpointId } = ownEndpoint(request, 'id');
  const secret = createWebhookSecret(sandbox.epoch.drawBytes);
  const rotated = sandbox.dispatch({ type: 'endpoint.rotate', endpointId, secret });
  return { status: 200, body: withSecret(rotated) };
}

/** Query parameters for listing deliveries (§4.8). */
const DELIVERY_QUERY = object('a query', {
  status: optional(enumOf(DELIVERY_STATUSES)),
  eventType: renameField('event_type', optional(enumOf(EVENT_TYPES))),
  ...PAGE_FIELDS,
});

function listDeliveries(request: ApiRequest<unknown, Infer<typeof DELIVERY_QUERY>>): ApiResponse {
  const endpoint = ownEndpoint(request, 'id');
  const { status, eventType, ...query } = request.query;
  const key = { list: 'deliveries', owner: endpoint.id, filters: { status, eventType } };
  const matches = (delivery: Delivery) =>
    (status === undefined || delivery.status === status) &&
    (eventType === undefined || delivery.event.type === eventType);
  return presentPage(
    paginate(request.sandbox.world, endpoint.deliveries, key, query, matches),
    presentDelivery,
  );
}

/**
 * Handles POST …/retry (§4.9): returns 202, resets the delivery to PENDING and makes one immediate attempt.
 */
function retryDelivery(request: ApiRequest): ApiResponse {
  const { sandbox, param, bytes, warnings } = request;
  const endpoint = ownEndpoint(request, 'endpoint_id');
  const delivery = findDelivery(sandbox.world, param('delivery_id').toLowerCase());
  if (delivery.endpointId !== endpoint.id) {
    throw new Refusal('NOT_FOUND', `This endpoint has no delivery ${delivery.id}.`);
  }
  if (bytes.length > 0) warnings.push('This operation accepts no body; the body was ignored.');
  const retried = sandbox.dispatch({ type: 'delivery.retry', deliveryId: delivery.id });
  return { status: 202, body: presentDelivery(retried) };
}

function ownEndpoint({ sandbox, caller, param }: ApiRequest, name: string): Endpoint {
  return findEndpoint(sandbox.world, param(name).toLowerCase(), caller.id);
}

/** Handles POST /sessions (§4.10): returns 201, or 200 with the current session for a repeated key. */
function createSession(
  request: IdentityRequest<Infer<typeof SESSION_BODY>>,
): ApiResponse<Infer<typeof resources.CREATED_SESSION>> {
  const { sandbox, c, caller, body, hostedUrl } = request;
  const { session, created } = sandbox.dispatch({
    type: 'session.create',
    organizationId: caller.id,
    idempotencyKey: c.req.header('idempotency-key') ?? '',
    ...body,
    ...sandbox.epoch.newSessionSecrets(),
  });
  return {
    status: created ? 201 : 200,
    body: {
      sessionId: session.id,
      customerType: session.customerType,
      status: getVisibleStatus(session, sandbox.clock.now()),
      url: createSessionUrl(hostedUrl, session),
      expiresAt: formatIsoTime(session.expiresAt),
    },
  };
}

/** Handles GET /sessions/{sessionId}/result (§4.11); sets `euid` for approved sessions. */
function readResult({
  sandbox,
  caller,
  param,
}: IdentityRequest): ApiResponse<Infer<typeof resources.SESSION_RESULT>> {
  const { id } = findSession(sandbox.world, param('sessionId'), caller.id);
  const { euid, ...result } = readSessionResult(sandbox.world, id, sandbox.clock.now());
  return { status: 200, body: euid === null ? result : { ...result, euid } };
}

type RouteName = (typeof CALL_ROUTES)[Surface][number];

/** All service operations by route (§4). */
const OPERATIONS: Readonly<Record<RouteName, Entry>> = {
  'POST /api/public/v1/pix': {
    id: 'createCharge',
    tag: 'charges',
    summary: 'Create a PIX charge (§4.1).',
    description: 'To retry a request safely, send the same `code` and the same fields.',
    responseSchema: resources.CHARGE,
    statuses: [200, 201],
    refusals: ['NOT_FOUND', 'CODE_REUSED'],
    scope: 'pix:write',
    signature: 'required',
    body: CHARGE_BODY,
    handle: createCharge,
  },
  'GET /api/public/v1/withdrawals': {
    id: 'listWithdrawals',
    tag: 'withdrawals',
    summary: 'List the application’s withdrawals (§4.2).',
    responseSchema: is.createPageSchema(resources.WITHDRAWAL),
    scope: 'withdrawals:read',
    query: PAGE_QUERY,
    handle: listWithdrawals,
  },
  'GET /api/public/v1/accounts/:id/transactions': {
    id: 'listAccountTransactions',
    tag: 'transactions',
    summary: 'List an account’s transactions (§4.3).',
    responseSchema: is.createPageSchema(resources.TRANSACTION),
    scope: 'assumed',
    query: PAGE_QUERY,
    handle: listTransactions,
  },
  'POST /api/public/v1/webhook-endpoints': {
    id: 'createWebhookEndpoint',
    tag: 'webhook endpoints',
    summary: 'Register an endpoint for events (§4.4).',
    description:
      'Also requires the read scope for the resource of each subscribed event. The secret is ' +
      'returned only in this response.',
    responseSchema: resources.ENDPOINT_WITH_SECRET,
    statuses: [201],
    refusals: ['ENDPOINT_ALREADY_EXISTS', 'ENDPOINT_LIMIT_REACHED', 'ENDPOINT_URL_NOT_ALLOWED'],
    scope: 'webhooks:write',
    signature: 'assumed',
    body: ENDPOINT_BODY,
    handle: createEndpoint,
  },
  'GET /api/public/v1/webhook-endpoints': {
    id: 'listWebhookEndpoints',
    tag: 'webhook endpoints',
    summary: 'List the application’s endpoints (§4.5).',
    responseSchema: is.createPageSchema(resources.ENDPOINT),
    scope: 'webhooks:read',
    query: PAGE_QUERY,
    handle: listEndpoints,
  },
  'GET /api/public/v1/webhook-endpoints/:endpoint_id': {
    id: 'getWebhookEndpoint',
    tag: 'webhook endpoints',
    summary: 'Get an endpoint, without its secret (§4.6).',
    responseSchema: resources.ENDPOINT,
    scope: 'webhooks:read',
    handle: getEndpoint,
  },
  'POST /api/public/v1/webhook-endpoints/:id/rotate-secret': {
    id: 'rotateWebhookSecret',
    tag: 'webhook endpoints',
    summary: 'Rotate an endpoint’s secret (§4.7).',
    description: 'The old secret stays valid for another 24 hours.',
    responseSchema: resources.ENDPOINT_WITH_SECRET,
    scope: 'webhooks:write',
    signature: 'assumed',
    handle: rotateSecret,
  },
  'GET /api/public/v1/webhook-endpoints/:id/deliveries': {
    id: 'listWebhookDeliveries',
    tag: 'deliveries',
    summary: 'List the deliveries of an endpoint (§4.8).',
    responseSchema: is.createPageSchema(resources.DELIVERY),
    scope: 'webhooks:read',
    query: DELIVERY_QUERY,
    handle: listDeliveries,
  },
  'POST /api/public/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/retry': {
    id: 'retryWebhookDelivery',
    tag: 'deliveries',
    summary: 'Retry a failed delivery (§4.9).',
    responseSchema: resources.DELIVERY,
    statuses: [202],
    refusals: ['DELIVERY_NOT_FAILED', 'ENDPOINT_UNAVAILABLE'],
    scope: 'webhooks:write',
    signature: 'required',
    handle: retryDelivery,
  },
  'POST /api/v1/kyc/sessions': {
    id: 'createKycSession',
    tag: 'identity',
    summary: 'Create an identity verification session (§4.10).',
    headers: [IDEMPOTENCY_KEY],
    responseSchema: resources.CREATED_SESSION,
    statuses: [200, 201],
    refusals: ['IDEMPOTENCY_KEY_REUSED'],
    body: SESSION_BODY,
    handle: createSession,
  },
  'GET /api/v1/kyc/sessions/:sessionId/result': {
    id: 'getKycResult',
    tag: 'identity',
    summary: 'Get the result of a verification (§4.11).',
    responseSchema: resources.SESSION_RESULT,
    refusals: ['NOT_TERMINAL', 'SESSION_EXPIRED'],
    handle: readResult,
  },
};

/** Creates the routes and resolves their assumptions. */
export function createServiceRoutes(assumed: AssumptionChoices): ServiceRoute[] {
  const assumedSignature = assumed['endpoint.signature'] === 'required' ? 'required' : 'whenPresent';
  return Object.entries(OPERATIONS).map(([route, { scope, signature, ...operation }]) => {
    const [method, path = ''] = route.split(' ');
    const own = {
      api: path.startsWith(IDENTITY_PREFIX) ? 'identity' : 'api',
      method: method === 'GET' ? 'GET' : 'POST',
      path,
      scope: scope === 'assumed' ? assumed['transactions.scope'] : scope,
      signature: signature === 'assumed' ? assumedSignature : signature,
    } as const;
    return Object.assign(own, operation);
  });
}
