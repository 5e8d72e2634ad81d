import type { AssumptionChoices } from '../../contract/assumptions.js';
import { EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import type { RefusalCode } from '../../contract/refusals.js';
import * as resources from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { getEventScope } from '../../core/webhooks/events.js';
import { collectComponents, type JsonSchema, createReference } from '../../schema/schema.js';
import * as errors from '../shared/response.js';
import { acceptsUnknownFields } from '../shared/read-request.js';
import type { ServiceRoute } from '../service/routes.js';
import { type OpenApiDocument, openApiDocument, type Operation, withExample } from './document.js';

const SIGNATURE_CODES: readonly RefusalCode[] = [
  'SIGNATURE_MISSING',
  'SIGNATURE_INVALID',
  'TIMESTAMP_OUT_OF_RANGE',
  'NONCE_REUSED',
];

function headerScheme(name: string, description: string): JsonSchema {
  return { type: 'apiKey', in: 'header', name, description };
}

/** Authentication of callers (§5). */
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

function describe(route: ServiceRoute, isClosed: boolean): Operation {
  const { api, method, path, body, query, scope = 'none', signature } = route;
  const { additionalProperties: _refused, ...open } = body?.json ?? {};
  const {
    responseSchema,
    refusals: own = [],
    statuses = [200],
    id,
    tag,
    summary,
    description,
    headers,
  } = route;
  const content = { 'application/json': responseSchema.json };
  const described = {
    id,
    tag,
    summary,
    description,
    headers,
    statuses,
    method,
    path,
    content,
    query,
    body: body && (isClosed ? body.json : open),
  };
  if (api === 'identity') {
    const refusals = ['UNAUTHENTICATED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', ...own] as const;
    return { ...described, refusals, security: [{ kycCredential: [] }] };
  }
  const bearer = { bearer: scope === 'none' ? [] : [scope] };
  const signed = signature === undefined ? [] : [{ ...bearer, ...SIGNED }];
  const refusals: RefusalCode[] = [
    'UNAUTHENTICATED',
    'RATE_LIMITED',
    ...(scope === 'none' ? [] : ['INSUFFICIENT_SCOPE' as const]),
    ...(signature === undefined ? [] : SIGNATURE_CODES),
    ...own,
  ];
  const security = signature === 'required' ? signed : [...signed, bearer];
  // A malformed id in a path is treated as unknown.
  return { ...described, idSchema: is.UUID.json, security, refusals };
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
function webhookOf(type: EventType, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const schema = createReference(resources.getEventSchemaName(type));
  return {
    post: {
      operationId: `on${resources.getEventSchemaName(type).replace(/Event$/, '')}`,
      tags: ['webhooks'],
      summary: `${type}, for applications with the scope ${getEventScope(type)} (§6).`,
      parameters: WEBHOOK_HEADERS,
      requestBody: { required: true, content: { 'application/json': withExample(schema, schemas) } },
      responses: {
        '2XX': { description: 'Delivered, if the headers come within 10 seconds.' },
        default: {
          description: 'Any other response, including redirects, fails the attempt, and another one follows.',
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
export function createServiceDocument(
  routes: readonly ServiceRoute[],
  assumed: AssumptionChoices,
  url: string,
): OpenApiDocument {
  const isClosed = !acceptsUnknownFields(assumed);
  const pages = routes.map(({ responseSchema }) => responseSchema);
  const schemas = collectComponents(errors, is, resources, pages);
  return openApiDocument({
    title: 'PIX sandbox: the service',
    description: DESCRIPTION,
    url,
    operations: routes.map((route) => describe(route, isClosed)),
    schemas,
    securitySchemes: SECURITY_SCHEMES,
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, webhookOf(type, schemas)])),
  });
}
