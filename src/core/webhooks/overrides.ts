import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { didYouMean } from '../../text/closest.js';
import { describe } from '../../text/describe.js';
import type { Kind } from './override-texts.js';
import { asWritten, kindOf, KINDS, readText } from './override-texts.js';

/** One replaced value in an event's payload: `data.object.amount`, `data.object.items[0]`. */
export interface Override {
  readonly path: string;
  /** Any JSON value. */
  readonly value: unknown;
}

/** An override as it was asked for. */
export interface OverrideInput extends Override {
  /** The value is a text that takes the type of the field at the path; otherwise it is set as it is. */
  readonly isText?: true | undefined;
}

/** Marks the path of a value that is set as written, as in `path:=json`. */
const AS_WRITTEN = ':';

/** Overrides from paths and values in JSON: a text takes the type of the field at its path, unless the path ends in a colon. */
export function overridesOf(values: Readonly<Record<string, unknown>>): OverrideInput[] {
  return Object.entries(values).map(([path, value]) => {
    if (path.endsWith(AS_WRITTEN)) return { path: path.slice(0, -AS_WRITTEN.length), value };
    return typeof value === 'string' ? { path, value, isText: true } : { path, value };
  });
}

/** Characters of the input that a message repeats. */
const LONGEST_SHOWN = 40;

type Container = Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Every path of a payload that may be overridden. */
export function payloadPaths(value: unknown, path = ''): string[] {
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const own = Array.isArray(value) ? `${path}[${key}]` : name;
    return [own].concat(payloadPaths(child, own));
  });
}

/** `items.0` is `items[0]`. */
function withoutBrackets(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1');
}

/** Why overrides are beyond the limits, or undefined. The size is that of their JSON. */
export function overridesProblem(overrides: Readonly<Record<string, unknown>>): string | undefined {
  const paths = Object.keys(overrides);
  if (paths.length > LIMITS.overrides) {
    return `Must hold at most ${LIMITS.overrides} paths; got ${paths.length}.`;
  }
  let isFinite = true;
  const { length } = JSON.stringify(overrides, (_, value: unknown) => {
    isFinite &&= typeof value !== 'number' || Number.isFinite(value);
    return value;
  });
  if (!isFinite) return 'Must hold no number beyond 1.8e308, which JSON cannot repeat.';
  if (length > LIMITS.overrideCharacters) {
    return `Must be at most ${LIMITS.overrideCharacters} characters of JSON; got ${length}.`;
  }
  return paths.map(pathProblem).find((problem) => problem !== undefined);
}

function pathProblem(path: string): string | undefined {
  const parts = withoutBrackets(path).split('.');
  if (parts.length > LIMITS.overrideDepth) {
    return `A path must have at most ${LIMITS.overrideDepth} parts; got ${parts.length}, beginning with ${parts.slice(0, 3).join('.').slice(0, LONGEST_SHOWN)}.`;
  }
  const index = parts.find((part) => /^\d+$/.test(part) && Number(part) > LIMITS.overrideIndex);
  if (index === undefined) return undefined;
  return `The index of an item must be at most ${LIMITS.overrideIndex}; got ${index.slice(0, LONGEST_SHOWN)}.`;
}

/**
 * The overrides with the values that are sent. Refuses a path missing from the payload, or removed by an earlier override,
 * and a text that does not fit the field at its path. `kindOfNull` tells what a field that holds null may hold besides.
 */
export function resolveOverrides(
  payload: object,
  wanted: readonly OverrideInput[],
  kindOfNull: (keys: readonly string[]) => Kind,
): Override[] {
  const draft = new Draft(payload);
  const unknown: string[] = [];
  const overrides = wanted.map(({ path, value: given, isText }): Override => {
    const place = draft.placeOf(path);
    if (place === undefined) {
      unknown.push(path);
      return { path, value: given };
    }
    const kind = kindOf(place.value) ?? kindOfNull(place.keys);
    const value = isText ? readText(kind, String(given)) : given;
    if (value === undefined) throw misfit(path, String(given), kind);
    draft.put({ path, value });
    return { path, value };
  });
  if (unknown.length === 0) return overrides;
  const paths = payloadPaths(payload);
  const meant = unknown.length === 1 ? didYouMean(unknown.join(''), paths) : '';
  throw new Refusal('INVALID_REQUEST', `The payload has no ${unknown.join(', ')}.`, {
    details: unknown.map((path) => ({ field: 'override', message: `There is no path ${path}.` })),
    hint: `${meant} It has: ${paths.join(', ')}.`.trimStart(),
  });
}

function misfit(path: string, text: string, kind: Kind): Refusal {
  const shown = text.length > LONGEST_SHOWN ? '<json>' : asWritten(text);
  const got = `got ${describe(text)}`;
  return new Refusal('INVALID_REQUEST', `${path} must be ${KINDS[kind]}, as it is in the payload; ${got}.`, {
    details: [{ field: 'override', message: `${path} must be ${KINDS[kind]}; ${got}.` }],
    hint: `For a value of another type, write it as JSON after := (${path}:=${shown}); in a JSON body, end the path with a colon.`,
  });
}

/** A copy of the payload with the overrides applied in order; it shares all unchanged parts. */
export function withOverrides(payload: object, overrides: readonly Override[]): object {
  const draft = new Draft(payload);
  for (const override of overrides) draft.put(override);
  return draft.payload;
}

/** The keys of an object by their names without brackets, and the length of the longest name. */
interface Keys {
  readonly byName: ReadonlyMap<string, readonly { readonly key: string; readonly position: number }[]>;
  readonly longest: number;
}

/** A payload to apply overrides to. Each container on their paths is copied and indexed once. */
class Draft {
  payload: object;
  readonly #copies = new WeakSet();
  readonly #keys = new WeakMap<object, Keys>();

  constructor(payload: object) {
    this.payload = payload;
  }

  /** The keys along a path and the value there; undefined where the payload lacks the path. */
  placeOf(path: string): { readonly keys: readonly string[]; readonly value: unknown } | undefined {
    const keys = this.#find(this.payload, withoutBrackets(path));
    if (keys === undefined) return undefined;
    let value: unknown = this.payload;
    for (const key of keys) value = isContainer(value) ? value[key] : undefined;
    return { keys, value };
  }

  /** Puts a value where the payload has the path. */
  put({ path, value }: Override): void {
    const keys = this.#find(this.payload, withoutBrackets(path));
    const last = keys?.at(-1);
    if (keys === undefined || last === undefined) return;
    let container = this.#owned(this.payload);
    this.payload = container;
    for (const key of keys.slice(0, -1)) {
      const child = container[key];
      if (!isContainer(child)) return;
      const copy = this.#owned(child);
      container[key] = copy;
      container = copy;
    }
    container[last] = value;
  }

  /** The keys along a path; keys may hold dots, so each part of the path may end one. */
  #find(container: unknown, path: string): readonly string[] | undefined {
    if (!isContainer(container)) return undefined;
    for (const key of this.#keysAt(container, path)) {
      const name = withoutBrackets(key);
      if (name === path) return [key];
      const rest = this.#find(container[key], path.slice(name.length + 1));
      if (rest !== undefined) return [key, ...rest];
    }
    return undefined;
  }

  /** The keys that a path may begin with, in their order in the container. */
  #keysAt(container: Container, path: string): readonly string[] {
    if (Array.isArray(container)) {
      const [index = ''] = path.split('.', 1);
      return Object.prototype.propertyIsEnumerable.call(container, index) ? [index] : [];
    }
    const { byName, longest } = this.#keysOf(container);
    const found = [...(byName.get(path) ?? [])];
    for (let end = path.indexOf('.'); end >= 0 && end <= longest; end = path.indexOf('.', end + 1)) {
      found.push(...(byName.get(path.slice(0, end)) ?? []));
    }
    return found.sort((a, b) => a.position - b.position).map(({ key }) => key);
  }

  #keysOf(container: Container): Keys {
    const known = this.#keys.get(container);
    if (known !== undefined) return known;
    const byName = new Map<string, { key: string; position: number }[]>();
    let longest = 0;
    for (const [position, key] of Object.keys(container).entries()) {
      const name = withoutBrackets(key);
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [{ key, position }]);
      else same.push({ key, position });
      longest = Math.max(longest, name.length);
    }
    const keys = { byName, longest };
    this.#keys.set(container, keys);
    return keys;
  }

  #owned(container: object): Container {
    if (this.#copies.has(container)) return container as Container;
    const copy = (Array.isArray(container) ? [...container] : { ...container }) as Container;
    this.#copies.add(copy);
    const keys = this.#keys.get(container);
    if (keys !== undefined) this.#keys.set(copy, keys);
    return copy;
  }
}
