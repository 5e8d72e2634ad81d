import type { JsonSchema } from '../../schema/schema.js';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Realistic values of fields, where their schemas accept them. */
const VALUES: Readonly<Record<string, unknown>> = {
  account_id: '00000000-0000-4000-8000-000000000001',
  after: null,
  app: 'default',
  before: null,
  beneficiary_document: '52998224725',
  beneficiary_name: 'Maria da Silva',
  code: 'order-1042',
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
  payer_document: '52998224725',
  payer_name: 'Maria da Silva',
  pix_key: 'maria@example.com',
  pix_key_type: 'EMAIL',
  provider_fee: '0.50',
  request_id: 'req_00000000000000000000000000000000',
  target: '/api/public/v1/pix',
  url: 'https://shop.example/webhooks',
};

/** Texts by their format, media type or encoding. */
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a83dd6c3-6641-4d68-b0e7-f0c631fb2a44',
  uri: 'https://shop.example/webhooks',
  'date-time': '2026-01-31T12:00:00.000Z',
  'image/png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  base64: 'aGVsbG8=',
};

/** Steps of scenarios hold further steps; deeper lists are as short as allowed. */
const MAX_DEPTH = 8;

/** Derives an example from a schema with references to `schemas`. In a request it has no optional fields. */
export function exampleOf(schema: JsonSchema, schemas: Schemas, isRequest = false): unknown {
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

/** Checks whether a field without members accepts the value. */
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
  const least = Number(minimum ?? Number(exclusiveMinimum ?? 0) + 1);
  return Math.min(Math.max(least, 1), Number(maximum));
}
