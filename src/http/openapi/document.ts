import { mapFields, PAYMENT_FIELDS } from '../../contract/fields.js';
import { REFUSAL_MEANINGS, REFUSAL_STATUSES, type RefusalCode } from '../../contract/refusals.js';
import { omitEmpty, type JsonSchema, createReference } from '../../schema/schema.js';
import type { ErrorBody } from '../shared/response.js';
import type { QuerySchema } from '../shared/read-request.js';

/** An OpenAPI 3.1 document as JSON. */
export type OpenApiDocument = JsonSchema;

/** Operation tag descriptions. */
export const TAGS = {
  charges: 'PIX charges: payment requests.',
  withdrawals: 'Payouts to PIX keys.',
  transactions: 'Account credits and debits.',
  'webhook endpoints': 'URLs that receive events, with their signing secrets.',
  deliveries: 'Event deliveries to endpoints.',
  identity: 'Identity verification of a person or company (KYC).',
  webhooks: 'Requests sent to webhook endpoints.',
  sandbox: 'Sandbox status and resets.',
  state: 'The full state, as a file or as a named snapshot.',
  clock: 'Sandbox time.',
  endpoints: 'Webhook endpoints and listeners of all applications.',
  applications: 'Clients of the public API.',
  faults: 'Injected failures.',
  events: 'Events: list, trigger and resend.',
  listeners: '`listen` connections.',
  scenarios: 'Scenarios: list, run and record.',
  calls: 'API requests from the integrator’s code.',
} as const;

export type Tag = keyof typeof TAGS;

/** An operation with the rules shared by its API. */
export interface Operation {
  readonly id: string;
  readonly tag: Tag;
  readonly method: string;
  /** The full path, with `:name` for a parameter. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string | undefined;
  /** Success statuses. If both 200 and 201 are listed, 200 returns an existing resource. */
  readonly statuses: readonly (200 | 201 | 202)[];
  /** Success schemas by media type. */
  readonly content: Readonly<Record<string, JsonSchema>>;
  /** Error codes, excluding general errors and unknown ids. */
  readonly refusals: readonly RefusalCode[];
  readonly query?: QuerySchema<unknown> | undefined;
  readonly body?: JsonSchema | undefined;
  readonly headers?: readonly JsonSchema[] | undefined;
  /** Schema for path parameters. */
  readonly idSchema?: JsonSchema | undefined;
  readonly security: readonly JsonSchema[];
}

interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly securitySchemes: JsonSchema;
  readonly webhooks?: JsonSchema;
}

/** Guard and body limit errors that any request can cause. */
const ALWAYS: readonly RefusalCode[] = [
  'INVALID_REQUEST',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
];
const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

const STATUS_DESCRIPTIONS = {
  200: 'Success.',
  201: 'The created resource.',
  202: 'Accepted for processing.',
};

export function openApiDocument(api: ApiDescription): OpenApiDocument {
  const errors: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of api.operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[operation.method.toLowerCase()] = operationOf(operation, api.schemas, errors);
  }
  const tags = new Set(api.operations.map(({ tag }) => tag));
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
      responses: errors,
      headers: {
        RequestId: {
          description: 'Identifies the request in logs.',
          schema: { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
        },
      },
      securitySchemes: api.securitySchemes,
    },
  };
}

/** Builds an OpenAPI operation and adds its error responses to `errors`. */
function operationOf(
  operation: Operation,
  schemas: ApiDescription['schemas'],
  errors: Record<string, JsonSchema>,
): JsonSchema {
  const { id, tag, summary, description, body, security, idSchema: schema = { type: 'string' } } = operation;
  const ids = Array.from(operation.path.matchAll(/:(\w+)/g), ([, name]) => {
    return { name, in: 'path', required: true, schema };
  });
  const parameters = [...ids, ...queryParameters(operation.query), ...(operation.headers ?? [])];
  const notFound: RefusalCode[] = ids.length === 0 ? [] : ['NOT_FOUND'];
  const content = Object.fromEntries(
    Object.entries(operation.content).map(([type, shape]) => [
      type,
      type === 'application/json' ? withExample(shape, schemas) : { schema: shape },
    ]),
  );
  const { statuses } = operation;
  const successes = statuses.map((status) => {
    const says =
      status === 200 && statuses.length > 1
        ? 'The existing resource in its current state.'
        : STATUS_DESCRIPTIONS[status];
    return [status, { description: says, headers: REQUEST_ID, content }] as const;
  });
  return omitEmpty({
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: body && {
      required: 'required' in body || 'anyOf' in body || '$ref' in body,
      content: { 'application/json': withExample(body, schemas, true) },
    },
    responses: {
      ...Object.fromEntries(successes),
      ...errorResponses([...ALWAYS, ...operation.refusals, ...notFound], errors),
    },
    security,
  });
}

export function withExample(schema: JsonSchema, schemas: ApiDescription['schemas'], isRequest = false) {
  return { schema, example: exampleOf(schema, schemas, isRequest) };
}

/** Builds query parameters; lists are comma-separated. */
function queryParameters(query: QuerySchema<unknown> | undefined): JsonSchema[] {
  const properties = (query?.json['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).map(([name, schema]) => {
    const parameter = { name, in: 'query', schema };
    return schema['type'] === 'array'
      ? Object.assign(parameter, { style: 'form', explode: false })
      : parameter;
  });
}

/** Returns response references by status, and adds each distinct response to `components` once. */
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
          allOf: [createReference('Error')],
          properties: { error: { properties: { code: { enum: codes } }, additionalProperties: true } },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleFor(code) }])),
      },
    },
  };
}

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Realistic field values, used if the schema accepts them. */
const VALUES: Readonly<Record<string, unknown>> = {
  ...mapFields(PAYMENT_FIELDS.all, (name, { example }) => [name, example]),
  after: null,
  app: 'default',
  before: null,
  delivered_at: null,
  description: 'The shop',
  document: '52998224725',
  fee: '0.50',
  last_error: null,
  message: 'There is no such charge.',
  name: 'shop',
  net_amount: '9.50',
  origin: 'https://shop.example',
  partner_fee: '0.00',
  path: '/api/public/v1/pix',
  provider_fee: '0.50',
  request_id: 'req_00000000000000000000000000000000',
  target: '/api/public/v1/pix',
  url: 'https://shop.example/webhooks',
};

/** Example texts by format, media type or encoding. */
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a83dd6c3-6641-4d68-b0e7-f0c631fb2a44',
  uri: 'https://shop.example/webhooks',
  'date-time': '2026-01-31T12:00:00.000Z',
  'image/png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  base64: 'aGVsbG8=',
};

/** Maximum depth of nested scenario steps in examples; deeper lists have the minimum length. */
const MAX_DEPTH = 8;

/** Derives an example from a schema with references to `schemas`. Request examples omit optional fields. */
function exampleOf(schema: JsonSchema, schemas: Schemas, isRequest = false): unknown {
  return derive(schema, '', 0);

  function derive(given: JsonSchema, name: string, depth: number): unknown {
    const { $ref, examples, const: only, enum: words, properties, anyOf, oneOf = anyOf } = given;
    if (typeof $ref === 'string') return derive(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, name, depth);
    if (accepts(given, VALUES[name])) return VALUES[name];
    if (Array.isArray(examples)) return examples[0];
    if (only !== undefined) return only;
    if (Array.isArray(words)) return words[0];
    if (properties !== undefined) return deriveObject(given, depth);
    if (Array.isArray(oneOf)) return derive(oneOf[0] as JsonSchema, name, depth);
    const [type] = [given['type']].flat();
    if (type === 'object') return {};
    if (type === 'array') return deriveArray(given, name, depth);
    if (type === 'string') return deriveText(given);
    if (type === 'boolean') return true;
    return type === undefined || type === 'null' ? null : deriveNumber(given);
  }

  function deriveObject({ properties, required = [] }: JsonSchema, depth: number): unknown {
    const needed = required as readonly string[];
    const fields = Object.entries(properties as Schemas).filter(
      ([name, { type }]) => type !== 'null' && (!isRequest || needed.includes(name)),
    );
    return Object.fromEntries(fields.map(([name, field]) => [name, derive(field, name, depth + 1)]));
  }

  function deriveArray(given: JsonSchema, name: string, depth: number): unknown {
    const { items, prefixItems, minItems = depth > MAX_DEPTH ? 0 : 1 } = given;
    if (Array.isArray(prefixItems)) return prefixItems.map((item: JsonSchema) => derive(item, name, depth));
    const member = () => derive(items as JsonSchema, name.replace(/s$/, ''), depth + 1);
    return Array.from({ length: Number(minItems) }, member);
  }
}

/** Returns true if a scalar schema accepts the value. */
function accepts({ type, enum: words }: JsonSchema, value: unknown): boolean {
  if (Array.isArray(words)) return words.includes(value);
  return [type].flat().includes(value === null ? 'null' : typeof value);
}

function deriveText({ format, contentMediaType, contentEncoding }: JsonSchema): string {
  const known = [format, contentMediaType, contentEncoding].find(
    (one) => typeof one === 'string' && one in FORMATS,
  );
  return FORMATS[String(known)] ?? 'text';
}

function deriveNumber({
  minimum,
  exclusiveMinimum,
  default: fallback,
  maximum = Infinity,
}: JsonSchema): number {
  if (fallback !== undefined) return Number(fallback);
  const min = Number(minimum ?? Number(exclusiveMinimum ?? 0) + 1);
  return Math.min(Math.max(min, 1), Number(maximum));
}
