import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { suggest } from '../../text/closest.js';
import { describeValue } from '../../text/errors.js';
import { parseExactNumber } from '../../text/overrides.js';
import { type Refinement, refine } from '../../schema/values.js';
import { isWholeJson, createValuesSchema } from '../input/kinds.js';
import type { Override } from '../world.js';
import { parseJson } from '../../text/json.js';

export interface OverrideInput extends Override {
  /** Converts the text value to the type of the field at the path; other values are set unchanged. */
  readonly isText?: true | undefined;
}

const KINDS = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  object: 'a JSON object',
  array: 'a JSON array',
} as const;

export type ValueKind = keyof typeof KINDS;

/** Returns the kind of a JSON value; undefined for null, which doesn't reveal the field's type. */
function kindOf(value: unknown): ValueKind | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return 'array';
  return OVERRIDE_KINDS.find((kind) => kind === typeof value);
}

export const OVERRIDE_KINDS = Object.keys(KINDS) as ValueKind[];

/** Parses a text for a field of this kind; undefined if invalid. */
function readText(kind: ValueKind, text: string): unknown {
  if (kind === 'string') return text;
  if (kind === 'number') return parseExactNumber(text);
  const value = parsed(text);
  return value === null ? (kind === 'null' ? null : undefined) : kindOf(value) === kind ? value : undefined;
}

/** Returns a text as JSON for `:=`; adds quotes unless the text is already valid JSON. */
function toJsonText(text: string): string {
  const value = parsed(text);
  const isLost =
    value === undefined || (typeof value === 'number' && parseExactNumber(text.trim()) === undefined);
  return isLost ? JSON.stringify(text) : text;
}

function parsed(text: string): unknown {
  const value = parseJson(text);
  return isWholeJson(value) ? value : undefined;
}

/** Suffix of paths whose values are set unchanged, as in `path:=json`. */
const AS_WRITTEN = ':';

/**
 * Creates overrides from JSON values by path: texts are converted to the field's type, unless the path ends
 * in a colon.
 */
export function toOverrides(values: Readonly<Record<string, unknown>>): OverrideInput[] {
  return Object.entries(values).map(([path, value]) => {
    if (path.endsWith(AS_WRITTEN)) return { path: path.slice(0, -AS_WRITTEN.length), value };
    return typeof value === 'string' ? { path, value, isText: true } : { path, value };
  });
}

const LONGEST_SHOWN = 40;

type Container = Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Lists all paths of a payload. */
export function listPayloadPaths(value: unknown, path = ''): string[] {
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const own = Array.isArray(value) ? `${path}[${key}]` : name;
    return [own].concat(listPayloadPaths(child, own));
  });
}

function withoutBrackets(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1');
}

/** Describes the limit that overrides exceed, if any. Size is measured as JSON. */
export function findOverridesProblem(overrides: Readonly<Record<string, unknown>>): string | undefined {
  const paths = Object.keys(overrides);
  if (paths.length > LIMITS.overrides) {
    return `Must contain at most ${LIMITS.overrides} paths; got ${paths.length}.`;
  }
  let isFinite = true;
  const { length } = JSON.stringify(overrides, (_, value: unknown) => {
    isFinite &&= typeof value !== 'number' || Number.isFinite(value);
    return value;
  });
  if (!isFinite) return 'Must not contain numbers beyond 1.8e308, which JSON cannot represent.';
  if (length > LIMITS.overrideCharacters) {
    return `Must be at most ${LIMITS.overrideCharacters} characters of JSON; got ${length}.`;
  }
  return paths.map(pathProblem).find((problem) => problem !== undefined);
}

/** New values by payload path, for `toOverrides`. */
export const OVERRIDES_SCHEMA = refine(
  createValuesSchema({ 'data.object.amount': '1.00' }),
  (value): Refinement<Readonly<Record<string, unknown>>> => {
    const problem = findOverridesProblem(value);
    return problem === undefined ? { value } : { problem };
  },
  {
    description:
      'New values by path. A text is converted to the type of the field at its path, e.g. `"1"` for a ' +
      'number. Other values, and texts whose path ends in a colon, are set unchanged: ' +
      '`{"schema_version:": "1"}`.',
  },
);

function pathProblem(path: string): string | undefined {
  const parts = withoutBrackets(path).split('.');
  if (parts.length > LIMITS.overrideDepth) {
    return (
      `A path must have at most ${LIMITS.overrideDepth} parts; got ${parts.length}, beginning ` +
      `with ${parts.slice(0, 3).join('.').slice(0, LONGEST_SHOWN)}.`
    );
  }
  const index = parts.find((part) => /^\d+$/.test(part) && Number(part) > LIMITS.overrideIndex);
  if (index === undefined) return undefined;
  return `The index of an item must be at most ${LIMITS.overrideIndex}; got ${index.slice(0, LONGEST_SHOWN)}.`;
}

/**
 * Resolves overrides to the values sent. Throws INVALID_REQUEST for a path missing from the payload or
 * removed by an earlier override, and for a text that doesn't match its field. `kindOfNull` returns the
 * non-null kind of a field containing null.
 */
export function resolveOverrides(
  payload: object,
  wanted: readonly OverrideInput[],
  kindOfNull: (keys: readonly string[]) => ValueKind,
): Override[] {
  const draft = structuredClone(payload);
  const unknown: string[] = [];
  const overrides = wanted.map(({ path, value: given, isText }): Override => {
    const place = locatePath(draft, path);
    if (place === undefined) {
      unknown.push(path);
      return { path, value: given };
    }
    const { container, key, keys } = place;
    const kind = kindOf(container[key]) ?? kindOfNull(keys);
    const value = isText ? readText(kind, String(given)) : given;
    if (value === undefined) throw createTypeError(path, String(given), kind);
    container[key] = structuredClone(value);
    return { path, value };
  });
  if (unknown.length === 0) return overrides;
  const paths = listPayloadPaths(payload);
  const meant = unknown.length === 1 ? suggest(unknown.join(''), paths) : '';
  throw new Refusal('INVALID_REQUEST', `The payload has no ${unknown.join(', ')}.`, {
    details: unknown.map((path) => ({ field: 'override', message: `There is no path ${path}.` })),
    hint: `${meant} Payload paths: ${paths.join(', ')}.`.trimStart(),
  });
}

function createTypeError(path: string, text: string, kind: ValueKind): Refusal {
  const shown = text.length > LONGEST_SHOWN ? '<json>' : toJsonText(text);
  const got = `got ${describeValue(text)}`;
  return new Refusal('INVALID_REQUEST', `${path} must be ${KINDS[kind]}, as in the payload; ${got}.`, {
    details: [{ field: 'override', message: `${path} must be ${KINDS[kind]}; ${got}.` }],
    hint:
      `To use another type, write the value as JSON after := (${path}:=${shown}); in a JSON ` +
      'body, end the path with a colon.',
  });
}

export function withOverrides(payload: object, overrides: readonly Override[]): object {
  const draft = structuredClone(payload);
  for (const { path, value } of overrides) {
    const place = locatePath(draft, path);
    if (place !== undefined) place.container[place.key] = structuredClone(value);
  }
  return draft;
}

/**
 * Returns the innermost container on a path, the last key and all keys; undefined if the payload lacks the
 * path.
 */
function locatePath(payload: object, path: string) {
  const keys = keysAlong(payload, withoutBrackets(path));
  const key = keys?.at(-1);
  if (keys === undefined || key === undefined) return undefined;
  let container = payload as Container;
  for (const name of keys.slice(0, -1)) container = container[name] as Container;
  return { container, key, keys };
}

/** Returns the keys along a path. Keys can contain dots, so a key can span several path segments. */
function keysAlong(container: unknown, path: string): readonly string[] | undefined {
  if (!isContainer(container)) return undefined;
  for (const key of Object.keys(container)) {
    const name = withoutBrackets(key);
    if (name === path) return [key];
    const rest = path.startsWith(`${name}.`)
      ? keysAlong(container[key], path.slice(name.length + 1))
      : undefined;
    if (rest !== undefined) return [key, ...rest];
  }
  return undefined;
}
