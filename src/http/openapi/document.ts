import type { JsonSchema } from '../../schema/json-schema.js';
import type { DescribedRoute, OperationDocs, OperationExamples } from './operation.js';
import { operationOf, routeName, templateOf } from './operation.js';
import { Responses } from './responses.js';
import type { Tag } from './tags.js';
import { TAGS } from './tags.js';

/** A document of OpenAPI 3.1, as plain JSON. */
export type OpenApiDocument = JsonSchema;

/** The parts of an API besides its routes. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly routes: readonly DescribedRoute[];
  readonly operations: OperationDocs;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly securitySchemes: JsonSchema;
  readonly examples: OperationExamples;
  readonly webhooks?: JsonSchema;
}

const HEADERS: JsonSchema = {
  RequestId: {
    description: 'Names the request in logs.',
    schema: { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
  },
};

/** The document of an API. Throws for an undocumented route. */
export function openApiDocument(api: ApiDescription): OpenApiDocument {
  const responses = new Responses();
  const paths = new Map<string, Record<string, JsonSchema>>();
  const tags = new Set<Tag>();
  for (const route of api.routes) {
    const doc = api.operations[routeName(route)];
    if (doc === undefined) throw new Error(`${routeName(route)} is not documented.`);
    const template = templateOf(route.path);
    const item = paths.get(template) ?? {};
    item[route.method.toLowerCase()] = operationOf(route, doc, responses, api.examples[doc.id]);
    paths.set(template, item);
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
    paths: Object.fromEntries(paths),
    ...(api.webhooks === undefined ? {} : { webhooks: api.webhooks }),
    components: {
      schemas: api.schemas,
      responses: responses.components(),
      headers: HEADERS,
      securitySchemes: api.securitySchemes,
    },
  };
}
