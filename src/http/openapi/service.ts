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

/** Authentication schemes (§5). */
const SECURITY_SCHEMES: JsonSchema = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The application’s token (§5.1). Operations list their required scopes.',
  },
  timestamp: headerScheme(
    'X-Timestamp',
    'The current time in Unix seconds (real time), 1 to 12 digits: `^[0-9]{1,12}$` (§5.2).',
  ),
  nonce: headerScheme(
    'X-Nonce',
    `Unique per request: ${LIMITS.nonceLengthMin} to ${LIMITS.nonceLengthMax} characters of A-Z a-z 0-9 _ - (§5.2).`,
  ),
  signature: headerScheme(
    'X-Signature',
    'HMAC-SHA256 of `timestamp.nonce.METHOD.path.sha256(body)`, keyed with the application’s signing secret. Both ' +
      'digests are lowercase hex, and `path` is the request target before `?` (§5.2).',
  ),
  kycCredential: {
    type: 'http',
    scheme: 'bearer',
    description: 'The server-side credential for identity verification (§5.4).',
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
    'The event id. All attempts have the same id, so that receivers can deduplicate events.',
  ),
  webhookHeader('webhook-timestamp', 'The dispatch time in Unix seconds (real time).'),
  webhookHeader(
    'webhook-signature',
    '`v1,` followed by the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; ' +
      'multiple signatures are separated by spaces (§5.5).',
  ),
  webhookHeader('user-agent', '`PixSandbox-Webhooks/<version>`.'),
];

/** Describes the webhook of an event type (§6). */
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
        '2XX': { description: 'The event is delivered if the response headers arrive within 10 seconds.' },
        default: {
          description: 'Any other response, including a redirect, fails the attempt and causes a retry.',
        },
      },
      security: [],
    },
  };
}

const DESCRIPTION = `The payments service, as emulated by this sandbox: charges, withdrawals, transactions, \
webhooks and identity verification. \`§\` refers to a section of INTERFACE.md, which is part of the package.

The request schemas are generated from the code that parses requests. Faults can cause other response \
statuses. Request bodies are limited to ${LIMITS.bodyBytes / 1024} KiB.`;

/**
 * Creates the service's OpenAPI document. `url` is the sandbox's origin; assumptions determine which fields
 * are accepted.
 */
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
