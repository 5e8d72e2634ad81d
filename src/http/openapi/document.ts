import { REFUSAL_MEANINGS, REFUSAL_STATUSES, type RefusalCode } from '../../contract/refusals.js';
import { type JsonSchema, reference, type Schema } from '../../schema/schema.js';
import type { ErrorBody } from '../operation/error-body.js';
import type { QuerySchema } from '../operation/read-request.js';
import { exampleOf } from './example.js';

/** A document of OpenAPI 3.1, as plain JSON. */
export type OpenApiDocument = JsonSchema;

/** The descriptions of the operation groups. */
const TAGS = {
  charges: 'PIX charges: requests to be paid.',
  withdrawals: 'Payouts to PIX keys.',
  transactions: 'What was credited to and debited from an account.',
  'webhook endpoints': 'URLs that receive events, and their secrets.',
  deliveries: 'Events on their way to endpoints.',
  identity: 'Verification of a person or a company (KYC).',
  webhooks: 'The messages that endpoints receive.',
  sandbox: 'The status of the sandbox, and resets.',
  state: 'The whole state, as a file or as a named snapshot.',
  clock: 'Sandbox time.',
  endpoints: 'Webhook endpoints and listeners of all applications.',
  applications: 'The callers of the public API.',
  faults: 'Deliberate failures.',
  events: 'What was sent, and sending it again.',
  listeners: 'The connections of `listen`.',
  scenarios: 'Steps with expectations: list, run, record.',
  calls: 'What the integrator’s code sent.',
} as const;

export type Tag = keyof typeof TAGS;

/** A successful response: its description, and its schema or the name of it. */
interface DescribedResponse {
  readonly says: string;
  readonly schema: string | JsonSchema;
  /** The media type, when it is not JSON. */
  readonly mediaType?: string;
  /** The schema of each line, for clients that accept a stream of lines. */
  readonly lines?: string;
}

/** The parts of a description that the code of an operation does not give. */
export interface OperationDoc {
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly responses: Readonly<Partial<Record<200 | 201 | 202, DescribedResponse>>>;
  /** The codes of its own rules, besides those of its checks. */
  readonly refusals?: readonly RefusalCode[];
  readonly headers?: readonly JsonSchema[];
  /** The schemas of path parameters that are not ids. */
  readonly params?: Readonly<Record<string, JsonSchema>>;
  /** The schema of a body that is read as a whole. */
  readonly takes?: JsonSchema;
}

export type OperationDocs = Readonly<Record<string, OperationDoc>>;

/** A route with the rules of its API for every request. */
export interface DescribedRoute {
  readonly method: string;
  /** The full path, with `:name` for a parameter. */
  readonly path: string;
  readonly body?: Schema<unknown> | undefined;
  readonly query?: QuerySchema<unknown> | undefined;
  readonly security: readonly JsonSchema[];
  readonly refusals: readonly RefusalCode[];
  /** Whether unknown fields of the body are refused. */
  readonly isClosed: boolean;
}

/** The parts of a document. */
interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly routes: readonly DescribedRoute[];
  readonly operations: OperationDocs;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly securitySchemes: JsonSchema;
  readonly webhooks?: JsonSchema;
}

/** The errors possible for any request: those of the guards and of body limits. */
const ALWAYS: readonly RefusalCode[] = [
  'INVALID_REQUEST',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
];
const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

/** The document of an API. Throws for an undocumented route. */
export function openApiDocument(api: ApiDescription): OpenApiDocument {
  const responses: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const tags = new Set<Tag>();
  for (const route of api.routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const doc = api.operations[`${route.method} ${path}`];
    if (doc === undefined) throw new Error(`${route.method} ${path} is not documented.`);
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route, doc, api.schemas, responses);
    tags.add(doc.tag);
  }
  if (api.webhooks !== undefined) tags.add('webhooks');
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: __VERSION__,
      description: api.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: api.url }],
    tags: Array.from(tags, (name) => ({ name, description: TAGS[name] })),
    paths,
    ...(api.webhooks && { webhooks: api.webhooks }),
    components: {
      schemas: api.schemas,
      responses,
      headers: {
        RequestId: {
          description: 'Names the request in logs.',
          schema: { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
        },
      },
      securitySchemes: api.securitySchemes,
    },
  };
}

/** The Operation Object of a route. Adds the error responses that it refers to. */
function operationOf(
  route: DescribedRoute,
  doc: OperationDoc,
  schemas: ApiDescription['schemas'],
  errors: Record<string, JsonSchema>,
): JsonSchema {
  const names = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = '']) => name);
  const parameters = [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: doc.params?.[name] ?? { type: 'string' },
    })),
    ...queryParameters(route.query),
    ...(doc.headers ?? []),
  ];
  const content = (schema: JsonSchema, isRequest: boolean) => ({
    schema,
    example: exampleOf(schema, schemas, isRequest),
  });
  const body = bodySchema(route, doc);
  const isRequired =
    doc.takes !== undefined || (body !== undefined && ('required' in body || 'anyOf' in body));
  const successes = Object.entries(doc.responses).map(([status, { says, schema, mediaType, lines }]) => {
    const whole = typeof schema === 'string' ? reference(schema) : schema;
    const media =
      mediaType === undefined
        ? { 'application/json': content(whole, false) }
        : { [mediaType]: { schema: whole } };
    const stream = lines === undefined ? {} : { 'application/x-ndjson': { schema: streamOf(lines) } };
    return [status, { description: says, headers: REQUEST_ID, content: { ...media, ...stream } }] as const;
  });
  const codes = [
    ...ALWAYS,
    ...route.refusals,
    ...(names.length === 0 ? [] : ['NOT_FOUND' as const]),
    ...(doc.refusals ?? []),
  ];
  return {
    operationId: doc.id,
    tags: [doc.tag],
    summary: doc.summary,
    ...(doc.description !== undefined && { description: doc.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: isRequired, content: { 'application/json': content(body, true) } },
    }),
    responses: { ...Object.fromEntries(successes), ...errorResponses(codes, errors) },
    security: route.security,
  };
}

/** A query holds texts: lists are written with commas. */
function queryParameters(query: QuerySchema<unknown> | undefined): JsonSchema[] {
  const { properties = {}, required = [] } = (query?.json ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) =>
    queryParameter(name, schema, required.includes(name)),
  );
}

function queryParameter(name: string, schema: JsonSchema, isRequired: boolean): JsonSchema {
  const form = schema['type'] === 'array' ? { style: 'form', explode: false } : {};
  return { name, in: 'query', ...(isRequired && { required: true }), ...form, schema };
}

function bodySchema({ body, isClosed }: DescribedRoute, { takes }: OperationDoc): JsonSchema | undefined {
  if (takes !== undefined || body === undefined) return takes;
  const { additionalProperties: _refused, ...open } = body.json;
  return isClosed ? body.json : open;
}

/** A text of many parts, each of them JSON. */
export function streamOf(schema: string, part = 'Each event or line'): JsonSchema {
  return {
    type: 'string',
    description: `${part} is JSON that fits ${schema}.`,
    'x-item-schema': reference(schema),
  };
}

/** References to the responses with these codes, by status. Equal responses are in `components` once. */
function errorResponses(codes: readonly RefusalCode[], components: Record<string, JsonSchema>): JsonSchema {
  const known = (Object.keys(REFUSAL_STATUSES) as RefusalCode[]).filter((code) => codes.includes(code));
  const statuses = [...new Set(known.map((code) => REFUSAL_STATUSES[code]))];
  return Object.fromEntries(
    statuses.map((status) => {
      const own = known.filter((code) => REFUSAL_STATUSES[code] === status);
      const name = own.join('.');
      components[name] ??= errorResponse(own);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function errorResponse(codes: readonly RefusalCode[]): JsonSchema {
  const retryAfter = { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } };
  const exampleFor = (code: RefusalCode): ErrorBody => ({
    error: { code, message: REFUSAL_MEANINGS[code], request_id: `req_${'0'.repeat(32)}`, details: [] },
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${REFUSAL_MEANINGS[code]}`).join('\n\n'),
    headers: { ...REQUEST_ID, ...(codes.includes('RATE_LIMITED') && { 'retry-after': retryAfter }) },
    content: {
      'application/json': {
        schema: {
          allOf: [reference('Error')],
          properties: { error: { properties: { code: { enum: codes } }, additionalProperties: true } },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleFor(code) }])),
      },
    },
  };
}
