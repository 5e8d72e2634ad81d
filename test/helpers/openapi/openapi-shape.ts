import type { JsonSchema } from '../../../src/schema/json-schema.js';

/** The parts of OpenAPI 3.1 that our documents use, closed, so that a slip of the pen in a key is noticed. */
const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
const TEXT: JsonSchema = { type: 'string', minLength: 1 };
const mapOf = (name: string): JsonSchema => ({ type: 'object', additionalProperties: ref(name) });

function closed(
  properties: Readonly<Record<string, JsonSchema>>,
  ...required: readonly string[]
): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** An object, or a reference to one among the components. */
function orReference(schema: JsonSchema, kind: string): JsonSchema {
  const reference = { type: 'string', pattern: `^#/components/${kind}/[A-Za-z0-9._-]+$` };
  return { oneOf: [closed({ $ref: reference }, '$ref'), schema] };
}

const PARAMETER = closed(
  {
    name: TEXT,
    in: { enum: ['path', 'query', 'header'] },
    required: { type: 'boolean' },
    description: TEXT,
    style: { const: 'form' },
    explode: { const: false },
    schema: { type: 'object' },
  },
  'name',
  'in',
  'schema',
);

const OPERATION = closed(
  {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z]+$' },
    tags: { type: 'array', items: TEXT, minItems: 1, maxItems: 1 },
    summary: { type: 'string', pattern: '\\.$' },
    description: TEXT,
    parameters: { type: 'array', items: ref('parameter') },
    requestBody: closed({ required: { type: 'boolean' }, content: mapOf('media') }, 'required', 'content'),
    responses: {
      type: 'object',
      patternProperties: { '^(?:[1-5]\\d\\d|2XX|default)$': ref('response') },
      additionalProperties: false,
      minProperties: 1,
    },
    security: { type: 'array', items: mapOf('scopes') },
  },
  'operationId',
  'tags',
  'summary',
  'responses',
  'security',
);

/** What a document has to look like. */
export const OPENAPI_SHAPE: JsonSchema = {
  ...closed(
    {
      openapi: { const: '3.1.0' },
      info: closed(
        {
          title: TEXT,
          version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
          description: TEXT,
          license: closed({ name: TEXT, identifier: TEXT }, 'name'),
        },
        'title',
        'version',
      ),
      servers: { type: 'array', items: closed({ url: { type: 'string', pattern: '^http' } }, 'url') },
      tags: { type: 'array', items: closed({ name: TEXT, description: TEXT }, 'name', 'description') },
      paths: {
        type: 'object',
        patternProperties: { '^/': ref('pathItem') },
        additionalProperties: false,
      },
      webhooks: mapOf('pathItem'),
      components: closed({
        schemas: mapOf('schema'),
        responses: mapOf('response'),
        headers: mapOf('header'),
        securitySchemes: mapOf('securityScheme'),
      }),
    },
    'openapi',
    'info',
    'paths',
    'components',
  ),
  $defs: {
    schema: { type: 'object' },
    scopes: { type: 'array', items: TEXT },
    parameter: PARAMETER,
    operation: OPERATION,
    pathItem: closed({
      get: ref('operation'),
      post: ref('operation'),
      put: ref('operation'),
      delete: ref('operation'),
    }),
    header: orReference(closed({ description: TEXT, schema: { type: 'object' } }, 'schema'), 'headers'),
    media: closed({ schema: { type: 'object' }, example: {}, examples: mapOf('example') }, 'schema'),
    example: closed({ value: {} }, 'value'),
    response: orReference(
      closed({ description: TEXT, headers: mapOf('header'), content: mapOf('media') }, 'description'),
      'responses',
    ),
    securityScheme: {
      oneOf: [
        closed({ type: { const: 'http' }, scheme: { const: 'bearer' }, description: TEXT }, 'type', 'scheme'),
        closed(
          { type: { const: 'apiKey' }, in: { const: 'header' }, name: TEXT, description: TEXT },
          'type',
          'in',
          'name',
        ),
      ],
    },
  },
};
