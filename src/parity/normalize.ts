import { PAYMENT_FIELDS } from '../contract/fields.js';
import * as resources from '../core/resources/resources.js';
import { PAGING } from '../core/resources/values.js';
import { isObject } from '../schema/object.js';
import { collectComponents, type JsonSchema } from '../schema/schema.js';

/** A response of either implementation. Header names are lowercase; `body` is undefined unless it is JSON. */
export interface ParityResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Real time in milliseconds when the request was sent. */
  readonly sentMs: number;
}

/**
 * Normalized response: tokens by place, e.g. `instant 0000-00-00T00:00:00.000Z` for `body.data[].created_at`.
 * Several tokens at a place are joined by ` | `. No token contains a value, except statuses and codes.
 */
export type Tokens = Readonly<Record<string, string>>;

type TokenSets = Map<string, Set<string>>;

export const ABSENT = 'absent';
const SEPARATOR = ' | ';
const DEPTH_MAX = 20;
const CURSOR = /^body\.paging\.(?:after|before)$/;
const MISSING = Symbol('absent');
const COMPONENTS = collectComponents(resources, { PAGING });
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)? ?(?:Z|[+-]\d\d:?\d\d)?$/i;
/** Codes and field names that can appear in a report; others, also all with five digits, could be data. */
const ERROR_CODE = /^(?!(?:\D*\d){5})[A-Za-z][\w.-]{0,59}$/;
const FIELD_NAME = /^(?!(?:\D*\d){5})[A-Za-z_$][\w$-]{0,39}$/;
/** Headers that clients can rely on; all other headers belong to servers and proxies in between. */
const COMPARED_HEADERS = ['x-request-id', 'www-authenticate', 'retry-after', 'location', 'link', 'allow'];

/** Normalizes a response. A field in `sent` with the same value gets the token `as sent`. */
export function normalizeResponse(response: Omit<ParityResponse, 'sentMs'>, sent: object = {}): Tokens {
  const { status, headers, body } = response;
  const sets: TokenSets = new Map([['status', new Set([String(status)])]]);
  const [type = ABSENT] = (headers['content-type'] ?? ABSENT).split(';');
  sets.set('header content-type', new Set([type.trim().toLowerCase()]));
  for (const name of COMPARED_HEADERS) {
    if (headers[name] !== undefined) sets.set(`header ${name}`, new Set(['present']));
  }
  if (status >= 400) sets.set('code', new Set([findErrorCode(body) ?? ABSENT]));
  if (body === undefined) sets.set('body', new Set(['not JSON']));
  else
    addTokens(sets, 'body', [body], {
      sent: new Map(Object.entries(sent)),
      isError: status >= 400,
      depth: 0,
    });
  return toTokens(sets);
}

/** Finds the machine-readable code of an error body in any common position. */
export function findErrorCode(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  const places = [isObject(error) ? error['code'] : error, body['code'], body['error_code'], body['type']];
  return places.find((value): value is string => typeof value === 'string' && ERROR_CODE.test(value));
}

interface Normalization {
  readonly sent: ReadonlyMap<string, unknown>;
  readonly isError: boolean;
  readonly depth: number;
}

/** Adds the tokens of all values at a place: list items share their places. */
function addTokens(sets: TokenSets, place: string, values: readonly unknown[], outer: Normalization): void {
  const context = { ...outer, depth: outer.depth + 1 };
  if (context.depth > DEPTH_MAX) return;
  const set = sets.get(place) ?? new Set();
  sets.set(place, set);
  const key = place.slice(place.lastIndexOf('.') + 1).replaceAll('[]', '');
  for (const value of values) set.add(tokenOf(key, value, context));
  const lists = values.filter((value) => Array.isArray(value)).flat();
  if (lists.length > 0) addTokens(sets, `${place}[]`, lists, context);
  const objects = values.filter(isObject);
  // Metadata keys belong to the application, and the hint belongs to the sandbox.
  const isOpen = key !== 'metadata';
  const keys = isOpen ? new Set(objects.flatMap((object) => Object.keys(object))) : [];
  for (const name of keys) {
    if (context.isError && name === 'hint') continue;
    const fields = objects.map((object) => (Object.hasOwn(object, name) ? object[name] : MISSING));
    addTokens(sets, `${place}.${FIELD_NAME.test(name) ? name : '*'}`, fields, context);
  }
}

function tokenOf(key: string, value: unknown, { sent, isError }: Normalization): string {
  if (value === MISSING) return ABSENT;
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (sent.has(key) && sent.get(key) === value) return 'as sent';
  if (typeof value === 'number') {
    if (ENUM_FIELDS.has(key) && Math.abs(value) < 1_000) return JSON.stringify(value);
    return Number.isInteger(value) ? 'integer' : 'number';
  }
  if (typeof value !== 'string') return typeof value;
  return isError && !key.endsWith('id') ? 'text' : textToken(key, value);
}

function textToken(key: string, value: string): string {
  if (ENUM_FIELDS.has(key) && ERROR_CODE.test(value)) return JSON.stringify(value);
  if (FREE_FIELDS.has(key)) return 'text';
  if (ISO_TIME.test(value))
    return `instant ${value.replaceAll(/\d/g, '0').replaceAll(/[+-]00:?00$/g, '±00:00')}`;
  if (/(?:_at|At|timestamp)$/.test(key)) return /^\d+$/.test(value) ? 'digits' : 'text';
  if (/(?:^|_)id$|Id$|^euid$/.test(key)) return idToken(value);
  if (/^-?\d+\.\d+$/.test(value)) return `decimal with ${value.split('.')[1]?.length ?? 0} decimals`;
  if (/^-?\d+$/.test(value)) return 'digits';
  if (/^000201.*6304[0-9A-F]{4}$/s.test(value)) return 'BR Code';
  if (value.startsWith('iVBORw0KGgo')) return 'base64 PNG';
  if (value.startsWith('data:')) return 'data URL';
  if (/^https?:\/\//.test(value)) return 'URL';
  if (value.startsWith('whsec_')) return 'whsec_ secret';
  return value === '' ? 'empty text' : 'text';
}

function idToken(value: string): string {
  if (UUID.test(value)) return 'UUID';
  if (UUID.test(value.toLowerCase())) return 'uppercase UUID';
  if (/^\d+$/.test(value)) return 'id of digits';
  const [prefix = ''] = /^[A-Za-z]{2,12}_/.exec(value) ?? [];
  const rest = value.slice(prefix.length);
  const form = /^[0-9a-f]{16,}$/.test(rest) ? `${rest.length} hex digits` : 'text';
  return prefix === '' ? `id of ${form}` : `id ${prefix} and ${form}`;
}

function toTokens(sets: TokenSets): Tokens {
  return Object.fromEntries(Array.from(sets, ([place, set]) => [place, joinTokens(set)]));
}

export function splitTokens(tokens: string): readonly string[] {
  return tokens.split(SEPARATOR);
}

function joinTokens(tokens: Iterable<string>): string {
  return Array.from(new Set(tokens)).sort().join(SEPARATOR);
}

/** Adds the tokens that a schema allows, but that a response might not contain: null and enumerated values. */
export function addAllowedTokens(tokens: Tokens, schema: JsonSchema): Tokens {
  const allowed: TokenSets = new Map();
  collectAllowed(allowed, 'body', schema);
  const entries = Object.entries(tokens).map(([place, token]) => {
    // Whether a page has a next one depends on the number of items.
    const cursors = CURSOR.test(place) ? ['null', 'text'] : [];
    return [place, joinTokens([...splitTokens(token), ...(allowed.get(place) ?? []), ...cursors])];
  });
  return Object.fromEntries(entries) as Tokens;
}

function collectAllowed(sets: TokenSets, place: string, schema: JsonSchema): void {
  const { $ref, anyOf, type, properties, items, enum: choices, const: only } = schema;
  const add = (token: string) => sets.set(place, (sets.get(place) ?? new Set()).add(token));
  if (typeof $ref === 'string') {
    const target = COMPONENTS[$ref.slice($ref.lastIndexOf('/') + 1)];
    if (target !== undefined) collectAllowed(sets, place, target);
  }
  for (const one of Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : []) collectAllowed(sets, place, one);
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) add('null');
  const values: unknown[] = Array.isArray(choices) ? choices : only === undefined ? [] : [only];
  for (const value of values) if (value !== null) add(JSON.stringify(value));
  if (isObject(items)) collectAllowed(sets, `${place}[]`, items);
  for (const [name, field] of Object.entries(isObject(properties) ? properties : {})) {
    collectAllowed(sets, `${place}.${name}`, field as JsonSchema);
  }
}

/** Names of fields with enumerated values. */
const ENUM_FIELDS: ReadonlySet<string> = new Set(
  Object.values(COMPONENTS).flatMap((schema) => {
    const sets: TokenSets = new Map();
    collectAllowed(sets, '', schema);
    return Array.from(sets).flatMap(([place, tokens]) =>
      [...tokens].some((token) => token !== 'null') ? place.replace(/\[\]$/, '').replace(/^.*\./, '') : [],
    );
  }),
);

/** Names of fields with text chosen by people and applications. */
const FREE_FIELDS: ReadonlySet<string> = new Set([
  'description',
  'message',
  'hint',
  ...Object.entries(PAYMENT_FIELDS.all).flatMap(([name, { kind }]) =>
    ['code', 'name', 'document', 'key'].includes(kind) ? [name] : [],
  ),
]);
