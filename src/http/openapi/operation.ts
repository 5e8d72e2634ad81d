import type { Schema } from '../../schema/schema.js';
import type { QuerySchema } from '../operation/query.js';
import type { JsonSchema } from '../../schema/json-schema.js';
import type { RefusalCode } from '../../contract/refusals.js';
import type { Responses } from './responses.js';
import { reference } from '../../schema/json-schema.js';
import type { Tag } from './tags.js';

/** A successful answer: its description, and its schema or the name of it. */
export interface Answered {
  readonly says: string;
  readonly schema: string | JsonSchema;
  /** The media type, when it is not JSON. */
  readonly mediaType?: string;
  /** An alternative form, for clients that accept its media type. */
  readonly stream?: { readonly mediaType: string; readonly schema: string };
}

/** The parts of a description that the code of an operation does not give. */
export interface OperationDoc {
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly answers: Readonly<Partial<Record<200 | 201 | 202, Answered>>>;
  /** The codes of its own rules, besides those of its checks. */
  readonly refusals?: readonly RefusalCode[];
  readonly headers?: readonly JsonSchema[];
  /** The schemas of path parameters that are not ids. */
  readonly params?: Readonly<Record<string, JsonSchema>>;
  /** The schema of a body that is read as a whole. */
  readonly takes?: JsonSchema;
}

export type OperationDocs = Readonly<Record<string, OperationDoc>>;

/** A route with the rules of its door for every request. */
export interface DescribedRoute {
  readonly method: string;
  /** The full path, with `:name` for a parameter. */
  readonly path: string;
  readonly body?: Schema<unknown> | undefined;
  readonly query?: QuerySchema<unknown> | undefined;
  readonly security: readonly JsonSchema[];
  /** The codes that its door refuses with. */
  readonly refusals: readonly RefusalCode[];
  /** Whether unknown fields of the body are refused. */
  readonly isClosed: boolean;
}

/** A recorded request and answer. */
export interface OperationExample {
  readonly request?: unknown;
  readonly answers: Readonly<Record<string, unknown>>;
}

export type OperationExamples = Readonly<Record<string, OperationExample | undefined>>;

/** The errors possible for any request: those of the guards and of body limits. */
const ALWAYS: readonly RefusalCode[] = [
  'INVALID_REQUEST',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
];

/** The name under which the operation of a route is documented: `POST /api/public/v1/pix`. */
export function routeName({ method, path }: Pick<DescribedRoute, 'method' | 'path'>): string {
  return `${method} ${templateOf(path)}`;
}

export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** The Operation Object of a route. */
export function operationOf(
  route: DescribedRoute,
  doc: OperationDoc,
  responses: Responses,
  example: OperationExample | undefined,
): JsonSchema {
  const names = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = '']) => name);
  const parameters = [
    ...names.map((name) => pathParameter(name, doc)),
    ...(route.query === undefined ? [] : queryParameters(route.query)),
    ...(doc.headers ?? []),
  ];
  const body = bodyOf(route, doc, example);
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
    ...(doc.description === undefined ? {} : { description: doc.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...answersOf(doc, example), ...responses.refusals(codes) },
    security: route.security,
  };
}

function pathParameter(name: string, { params = {} }: OperationDoc): JsonSchema {
  return { name, in: 'path', required: true, schema: params[name] ?? { type: 'string' } };
}

/** A query holds texts: lists are written with commas. */
function queryParameters({ json }: QuerySchema<unknown>): JsonSchema[] {
  const { properties = {}, required = [] } = json as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) =>
    queryParameter(name, schema, required.includes(name)),
  );
}

function queryParameter(name: string, schema: JsonSchema, isRequired: boolean): JsonSchema {
  const form = schema['type'] === 'array' ? { style: 'form', explode: false } : {};
  return { name, in: 'query', ...(isRequired ? { required: true } : {}), ...form, schema };
}

function bodyOf(
  { body, isClosed }: DescribedRoute,
  { takes }: OperationDoc,
  example: OperationExample | undefined,
): JsonSchema | undefined {
  const schema = takes ?? (body === undefined ? undefined : isClosed ? body.json : opened(body.json));
  if (schema === undefined) return undefined;
  return {
    required: takes !== undefined || needsFields(schema),
    content: { 'application/json': { schema, ...exampleOf(example?.request) } },
  };
}

/** The same object, open to further fields. */
function opened({ additionalProperties: _refused, ...json }: JsonSchema): JsonSchema {
  return json;
}

/** A body with only optional fields is itself optional. */
function needsFields(schema: JsonSchema): boolean {
  return 'required' in schema || 'anyOf' in schema;
}

function answersOf({ answers }: OperationDoc, example: OperationExample | undefined): JsonSchema {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { says, schema, mediaType = 'application/json', stream }]) => {
      const whole = typeof schema === 'string' ? reference(schema) : schema;
      const content = {
        [mediaType]: { schema: whole, ...exampleOf(example?.answers[status]) },
        ...(stream === undefined ? {} : { [stream.mediaType]: { schema: streamOf(stream.schema) } }),
      };
      return [status, { description: says, headers: { 'x-request-id': REQUEST_ID }, content }];
    }),
  );
}

/** A text of many parts, each of them JSON. */
export function streamOf(schema: string, part = 'Each event or line'): JsonSchema {
  return {
    type: 'string',
    description: `${part} is JSON that fits ${schema}.`,
    'x-item-schema': reference(schema),
  };
}

const REQUEST_ID: JsonSchema = { $ref: '#/components/headers/RequestId' };

function exampleOf(example: unknown): JsonSchema {
  return example === undefined ? {} : { example };
}
