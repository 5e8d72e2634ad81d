import type { EventType } from '../../contract/events.js';
import { EVENT_TYPES } from '../../contract/events.js';
import type { Fields, ObjectSchema } from '../../schema/object.js';
import type { Schema } from '../../schema/schema.js';
import { exactNumber } from '../../text/exact-number.js';
import { isWholeJson } from '../input/text-kinds.js';
import { EVENTS } from '../resources/resources.js';

/** What a field of a payload may hold, in words. */
export const KINDS = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  object: 'a JSON object',
  array: 'a JSON list',
} as const;

export type Kind = keyof typeof KINDS;

/** The kind of a JSON value; undefined for null, which says nothing about its field. */
export function kindOf(value: unknown): Kind | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return 'array';
  return KIND_NAMES.find((kind) => kind === typeof value);
}

const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** The kind that the schema of an event declares for a field that may be null; `null` where it declares none. */
export function declaredKind(type: EventType, keys: readonly string[]): Kind {
  let schema: Schema<unknown> | undefined = EVENTS[EVENT_TYPES.indexOf(type)];
  for (const key of keys) {
    const fields: Fields = (schema as Partial<ObjectSchema> | undefined)?.fields ?? {};
    schema = Object.hasOwn(fields, key) ? fields[key] : undefined;
  }
  const declared = new Set([schema?.json['type']].flat());
  if (declared.has('integer')) return 'number';
  return KIND_NAMES.find((kind) => kind !== 'null' && declared.has(kind)) ?? 'null';
}

/** The value that a text means for a field of this kind; undefined where it does not fit. */
export function readText(kind: Kind, text: string): unknown {
  if (kind === 'string') return text;
  if (kind === 'number') return exactNumber(text);
  const value = parsed(text);
  return value === null ? (kind === 'null' ? null : undefined) : kindOf(value) === kind ? value : undefined;
}

/** A text as JSON for `:=`: as it is where it is JSON already, otherwise quoted. */
export function asWritten(text: string): string {
  const value = parsed(text);
  const isLost = value === undefined || (typeof value === 'number' && exactNumber(text.trim()) === undefined);
  return isLost ? JSON.stringify(text) : text;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWholeJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
