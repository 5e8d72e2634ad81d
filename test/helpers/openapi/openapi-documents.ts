import type { JsonSchema } from '../../../src/schema/schema.js';
import type { ServerOptions } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';

export type Operation = Readonly<{
  operationId: string;
  parameters?: readonly Parameter[];
  requestBody?: { readonly required: boolean; readonly content: Content };
  responses: Readonly<Record<string, Response>>;
  security: readonly Readonly<Record<string, readonly string[]>>[];
}>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

type Content = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly example?: unknown; readonly examples?: Examples }>
>;
type Examples = Readonly<Record<string, { readonly value: unknown }>>;

export interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

/** As much of a document as tests follow. */
export interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

export interface Documents {
  readonly service: Document;
  readonly control: Document;
}

/** Both documents, as a sandbox answers them. */
export async function readDocuments(options: ServerOptions = {}): Promise<Documents> {
  const server = await startServer(options);
  const read = async (path: string) => {
    const response = await server.fetch(new Request(`http://localhost${path}`), {});
    if (response.status !== 200) throw new Error(`${path} answered ${await response.text()}`);
    return (await response.json()) as Document;
  };
  const documents = { service: await read('/openapi.json'), control: await read('/_sandbox/openapi.json') };
  await server.close(0);
  return documents;
}

/** Every operation of a document, with its method and path template. */
export function operationsOf({ paths }: Pick<Document, 'paths'>) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}
