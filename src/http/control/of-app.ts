import { appOrDefault } from '../../core/identity/applications.js';
import { invalid } from '../../core/input/body.js';
import { NAME } from '../../core/input/text-kinds.js';
import type { App, World } from '../../core/world.js';
import { nullish, optional } from '../../schema/fields.js';
import type { JsonSchema } from '../../schema/json-schema.js';
import { isObject, object } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import type { QuerySchema } from '../operation/query.js';

/** The id or name of an application. By default, the default application, or any for an existing resource. */
export const OF_APP = object('a query', { app: optional(NAME) });

export type OfApp = Infer<typeof OF_APP>;

/** The named application of a list, or undefined for all; refuses an unknown one with NOT_FOUND. */
export function appFilter(world: World, app: string | undefined): App | undefined {
  return app === undefined ? undefined : appOrDefault(world, app);
}

/** What a route reads, as far as it tells where `app` stands. */
interface Reads {
  readonly method: string;
  readonly body?: Schema<unknown> | undefined;
  readonly query?: QuerySchema<unknown> | undefined;
}

type Queries = Readonly<Record<string, string[]>>;

/** A request that changes something may name its application in the query or in the body: moved to where the route reads it. */
export function withAppInPlace(
  { method, body, query }: Reads,
  queries: Queries,
  json: unknown,
): { readonly queries: Queries; readonly json: unknown } {
  const isInQuery = query !== undefined && 'app' in query.fields;
  const isInBody = body !== undefined && takesApp(body.json);
  if (method !== 'POST' || isInQuery === isInBody || !isObject(json)) return { queries, json };
  const { app: named, ...rest } = json;
  const [asked] = queries['app'] ?? [];
  if (named === undefined || named === null) {
    return { queries, json: isInQuery || !asked ? rest : { ...rest, app: asked } };
  }
  if (asked && asked !== named) {
    throw invalid('Not valid', [{ field: 'app', message: 'Differs in the query and in the body.' }]);
  }
  if (isInBody) return { queries, json };
  if (typeof named === 'string') return { queries: { ...queries, app: [named] }, json: rest };
  throw invalid('Not valid', [{ field: 'app', message: 'Must be a string.' }]);
}

/** What the document says a route reads: `app` stands in the query and in the body alike. */
export function readsAlike({ method, body, query }: Reads): Pick<Reads, 'body' | 'query'> {
  if (method !== 'POST') return { body, query };
  if (query !== undefined && 'app' in query.fields) {
    const base: Schema<unknown> = body ?? object('a body', {});
    return { body: { ...base, json: withApp(base.json) }, query };
  }
  return { body, query: body !== undefined && takesApp(body.json) ? OF_APP : query };
}

function takesApp({ properties, anyOf }: JsonSchema): boolean {
  return isObject(properties)
    ? 'app' in properties
    : Array.isArray(anyOf) && anyOf.some((one: JsonSchema) => takesApp(one));
}

function withApp(json: JsonSchema): JsonSchema {
  const { properties = {} } = json as { readonly properties?: object };
  return { ...json, properties: { ...properties, app: nullish(NAME).json } };
}
