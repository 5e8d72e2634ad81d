import type { Assumed } from '../../contract/assumptions.js';
import { scopeFor } from '../../core/webhooks/events.js';
import { takesUnknownFields } from '../operation/service-body.js';
import { eventSchemaName } from '../../core/resources/resources.js';
import type { JsonSchema } from '../../schema/json-schema.js';
import { reference } from '../../schema/json-schema.js';
import { LIMITS } from '../../contract/limits.js';
import type { RefusalCode } from '../../contract/refusals.js';
import type { EventType } from '../../contract/events.js';
import { EVENT_TYPES } from '../../contract/events.js';
import type { Route } from '../api/route.js';
import type { IdentityRoute } from '../identity/app.js';
import { SERVICE_SCHEMAS } from './components.js';
import type { OpenApiDocument } from './document.js';
import { openApiDocument } from './document.js';
import examples from './examples.json' with { type: 'json' };
import type { DescribedRoute } from './operation.js';
import { SERVICE_OPERATIONS } from './service-operations.js';

/** The operations of the service, each with its whole path. */
export interface ServiceRoutes {
  readonly api: readonly Route[];
  readonly identity: readonly IdentityRoute[];
}

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

function describeApi(route: Route, isClosed: boolean): DescribedRoute {
  const { method, path, body, query, scope, signature } = route;
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
  return { method, path, body, query, isClosed, security, refusals };
}

function describeIdentity({ method, path, body }: IdentityRoute, isClosed: boolean): DescribedRoute {
  return {
    method,
    path,
    body,
    isClosed,
    security: [{ kycCredential: [] }],
    refusals: ['UNAUTHENTICATED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  };
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
    '`v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; several are separated by spaces (§5.5).',
  ),
  webhookHeader('user-agent', '`PixSandbox-Webhooks/<version>`.'),
];

/** The webhooks that subscribed endpoints receive (§6). */
function webhookOf(type: EventType): JsonSchema {
  const example: unknown = (examples.webhooks as Readonly<Record<string, unknown>>)[type];
  const content = { schema: reference(eventSchemaName(type)), ...(example === undefined ? {} : { example }) };
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

const DESCRIPTION = `The payments service as this sandbox emulates it: charges, withdrawals, transactions, webhooks and identity verification. \`§\` points to a section of INTERFACE.md, which comes with the package.

The request schemas are generated from the code that reads requests. Requested faults may answer with other statuses. A body has at most ${LIMITS.bodyBytes / 1024} KiB.`;

/** The document of the service; `url` is the origin of the sandbox, and the assumptions decide what is required. */
export function serviceDocument(routes: ServiceRoutes, assumed: Assumed, url: string): OpenApiDocument {
  const isClosed = !takesUnknownFields(assumed);
  return openApiDocument({
    title: 'PIX sandbox: the service',
    description: DESCRIPTION,
    url,
    routes: [
      ...routes.api.map((route) => describeApi(route, isClosed)),
      ...routes.identity.map((route) => describeIdentity(route, isClosed)),
    ],
    operations: SERVICE_OPERATIONS,
    schemas: SERVICE_SCHEMAS,
    securitySchemes: SECURITY_SCHEMES,
    examples: examples.service,
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, webhookOf(type)])),
  });
}
