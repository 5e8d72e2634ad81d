import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect } from 'vitest';
import type { JsonSchema } from '../../../src/schema/schema.js';
import { LIMITS } from '../../../src/contract/limits.js';
import { REFUSAL_STATUSES } from '../../../src/contract/refusals.js';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { createServiceRoutes } from '../../../src/http/service/routes.js';
import { API, testApi, test } from '../../helpers/http/api-client.js';
import type { Document, Documents, Operation } from '../../helpers/openapi/openapi-documents.js';
import { operationsOf, readDocuments } from '../../helpers/openapi/openapi-documents.js';
import { startSandbox } from '../../helpers/sandbox/sandbox.js';

const CALL_APIS = ['service', 'control'] as const;
interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

let documents: Documents;
beforeAll(async () => {
  documents = await readDocuments();
});

/** Every object within a value, with its place. */
function* objectsIn(
  value: unknown,
  place = '#',
): Generator<[place: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>];
  for (const [key, child] of Object.entries(value)) yield* objectsIn(child, `${place}/${key}`);
}

function resolve(document: Document, reference: string): unknown {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], document);
}

/** A validator of the schemas of a document. */
function compiler(document: Document) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document.json');
  const localised = (schema: JsonSchema): JsonSchema =>
    JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components', '"document.json#/components'),
    ) as JsonSchema;
  return (schema: JsonSchema, value: unknown): string => {
    const validate = ajv.compile(localised(schema));
    return validate(value) ? '' : ajv.errorsText(validate.errors);
  };
}

describe.each(CALL_APIS)('the document of the %s', (api) => {
  test('is valid OpenAPI 3.1 to a third-party validator', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...documents[api] });
    expect([valid, errors]).toEqual([true, undefined]);
  });

  test('refers only to existing components, and has no unused ones', () => {
    const document = documents[api];
    const references = new Set(
      [...objectsIn(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])),
    );
    expect([...references].filter((reference) => resolve(document, reference) === undefined)).toEqual([]);
    const components = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
    expect(components.filter((component) => !references.has(component))).toEqual([]);
  });

  test('names each operation once, each part of a path, and existing tags', () => {
    const operations = operationsOf(documents[api]);
    const { webhooks = {} } = documents[api];
    const ids = [...operations, ...operationsOf({ paths: webhooks })].map(
      ({ operation }) => operation.operationId,
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const parts = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
      const described = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(described.map(({ name }) => name)).toEqual(parts);
    }
  });

  test('states the status of each error code, and the codes of each status', () => {
    for (const [name, response] of Object.entries(documents[api].components.responses)) {
      const examples = response.content?.['application/json']?.examples ?? {};
      expect(Object.keys(examples).join('.')).toBe(name);
      expect('retry-after' in (response.headers ?? {})).toBe(name.includes('RATE_LIMITED'));
    }
    for (const { operation } of operationsOf(documents[api])) {
      for (const [status, { $ref }] of Object.entries(operation.responses)) {
        const codes = $ref?.replace('#/components/responses/', '').split('.') ?? [];
        for (const code of codes) {
          expect(String(REFUSAL_STATUSES[code as keyof typeof REFUSAL_STATUSES])).toBe(status);
        }
      }
    }
  });

  test('has an example of each JSON body, which matches its schema', () => {
    const mismatchOf = compiler(documents[api]);
    const { webhooks = {}, paths, components } = documents[api];
    const media = [...objectsIn({ webhooks, paths, responses: components.responses })].filter(([place]) =>
      place.endsWith('/application/json'),
    );
    expect(media.length).toBeGreaterThan(20);
    for (const [place, object] of media) {
      const { schema, example, examples } = object as unknown as MediaType;
      const values = examples === undefined ? [example] : Object.values(examples).map(({ value }) => value);
      expect(values.map((value) => [place, mismatchOf(schema, value)])).toEqual(
        values.map(() => [place, '']),
      );
    }
  });
});

describe('routes and operations', () => {
  const documented = (document: Document) =>
    operationsOf(document).map(({ method, path }) => `${method} ${path}`);

  test('routes and operations describe every operation of INTERFACE.md section 4, with its path and names', () => {
    const contract = readFileSync(new URL('../../../INTERFACE.md', import.meta.url), 'utf8');
    const section = contract.split('## 4. Endpoints')[1]?.split('\n## 5')[0] ?? '';
    const named = Array.from(
      section.matchAll(/`(GET|POST) (?:\{\w+\})?(\/api\/[^`]+)`/g),
      ([, method, path]) => `${method} ${path}`,
    );
    expect(named.length).toBeGreaterThan(9);
    expect(documented(documents.service).sort()).toEqual(named.sort());
  });
});

describe('the document of the service', () => {
  const operation = (id: string): Operation => {
    const found = operationsOf(documents.service).find((one) => one.operation.operationId === id);
    if (found === undefined) throw new Error(`There is no ${id}.`);
    return found.operation;
  };

  test('describes a webhook for each event, without our security schemes', () => {
    const { webhooks = {} } = documents.service;
    expect(Object.keys(webhooks)).toEqual(EVENT_TYPES);
    for (const { operation } of operationsOf({ paths: webhooks })) expect(operation.security).toEqual([]);
  });

  test('validates the golden events by the webhook schemas', () => {
    const mismatchOf = compiler(documents.service);
    for (const type of EVENT_TYPES) {
      const file = new URL(`../../../fixtures/events/${type}.json`, import.meta.url);
      const { schema = {} } =
        documents.service.webhooks?.[type]?.post?.requestBody?.content['application/json'] ?? {};
      expect(mismatchOf(schema, JSON.parse(readFileSync(file, 'utf8')))).toBe('');
      expect(mismatchOf(schema, { type })).not.toBe('');
    }
  });

  test('requires what the routes require', () => {
    for (const { api, method, path, scope, signature } of createServiceRoutes(startSandbox().world.assumed)) {
      if (api === 'identity') continue;
      const item = documents.service.paths[path.replaceAll(/:(\w+)/g, '{$1}')];
      const { security = [], responses = {} } = item?.[method.toLowerCase()] ?? {};
      const signed = security.filter((way) => 'signature' in way).length;
      expect([path, signed, security.length]).toEqual([
        path,
        signature === undefined ? 0 : 1,
        signature === 'whenPresent' ? 2 : 1,
      ]);
      expect(security.map((way) => way['bearer'])).toEqual(
        security.map(() => (scope === 'none' ? [] : [scope])),
      );
      expect('403' in responses).toBe(true);
    }
  });

  test('states the limits of inputs and responses', () => {
    const { Charge = {}, Endpoint = {} } = documents.service.components.schemas;
    const { limit } = Object.fromEntries(
      (operation('listWithdrawals').parameters ?? []).map(({ name, schema }) => [name, schema]),
    );
    expect(limit).toMatchObject({
      minimum: 1,
      maximum: LIMITS.pageSizeMax,
      default: LIMITS.pageSizeDefault,
    });
    const body = operation('createCharge').requestBody?.content['application/json']?.schema;
    const limited = {
      code: { maxLength: LIMITS.codeLength },
      payer_name: { maxLength: LIMITS.nameLength },
      metadata: { maxProperties: LIMITS.metadataKeys },
    };
    for (const schema of [body, Charge]) expect(schema).toMatchObject({ properties: limited });
    const { schema } = operation('createWebhookEndpoint').requestBody?.content['application/json'] ?? {};
    const description = { maxLength: LIMITS.descriptionLength };
    expect(schema).toMatchObject({ properties: { url: { maxLength: LIMITS.urlLength }, description } });
    expect(Endpoint).toMatchObject({ properties: { description } });
  });

  test('follows the assumptions', async () => {
    const strict = await readDocuments({
      assume: {
        'charge.unknown_fields': 'refuse',
        'endpoint.signature': 'required',
        'transactions.scope': 'withdrawals:read',
      },
    });
    const find = (document: Document, id: string) =>
      operationsOf(document).find((one) => one.operation.operationId === id)?.operation;
    const bodyOf = (one: Operation | undefined) => one?.requestBody?.content['application/json']?.schema;
    expect(bodyOf(operation('createCharge'))).not.toHaveProperty('additionalProperties');
    expect(bodyOf(find(strict.service, 'createCharge'))).toHaveProperty('additionalProperties', false);
    expect(operation('createWebhookEndpoint').security).toHaveLength(2);
    expect(find(strict.service, 'createWebhookEndpoint')?.security).toHaveLength(1);
    expect(find(strict.service, 'listAccountTransactions')?.security).toEqual([
      { bearer: ['withdrawals:read'] },
    ]);
  });

  test('the document of the service is public, is not logged as a request, and names its location', async ({
    api,
  }) => {
    const answer = await api.send('GET', '/openapi.json?x=1', { caller: null });
    expect(answer.status).toBe(200);
    expect(answer.body['servers']).toEqual([{ url: api.server.url }]);
    expect(api.sandbox.calls.count).toBe(0);
    const posted = await api.send('POST', '/openapi.json', { caller: null });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('the document is absent if the sandbox responds like the service', async () => {
    const api = await testApi({ strict: true });
    const answers = [
      await api.send('GET', '/openapi.json', { caller: null }),
      await api.send('GET', `${API}/nothing`, { caller: null }),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
    ]);
  });
});

test('the document of the control API is shown only to those who may use it', async () => {
  const api = await testApi({ controlToken: 'a-token' });
  expect((await api.control('GET', 'openapi.json')).status).toBe(401);
  const headers = { authorization: 'Bearer a-token' };
  expect((await api.send('GET', '/_sandbox/openapi.json', { caller: null, headers })).status).toBe(200);
});
