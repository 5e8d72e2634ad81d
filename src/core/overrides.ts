import { Refusal } from './refusal.js';

/** One value put in another's place in an event's payload: `data.object.amount`, `data.object.items[0]`. */
export interface Override {
  readonly path: string;
  /** Any JSON value. */
  readonly value: unknown;
}

type Container = Record<string, unknown>;

/** A place in a payload: its path as people write it, and the keys that lead there, which may hold dots themselves. */
interface Place {
  readonly path: string;
  readonly keys: readonly string[];
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function placesOf(value: unknown, path = '', keys: readonly string[] = []): Place[] {
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const name = path === '' ? key : `${path}.${key}`;
    const place: Place = { path: Array.isArray(value) ? `${path}[${key}]` : name, keys: [...keys, key] };
    return [place].concat(placesOf(child, place.path, place.keys));
  });
}

/** `items.0` is `items[0]`. */
function withoutBrackets(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1');
}

function findPlace(payload: object, path: string): Place | undefined {
  return placesOf(payload).find((place) => withoutBrackets(place.path) === withoutBrackets(path));
}

/** Every path of a payload that may be overridden. */
export function payloadPaths(payload: unknown): string[] {
  return placesOf(payload).map(({ path }) => path);
}

/** Refuses a path that the payload does not have, or has no more after the overrides before it, listing those that it has. */
export function checkOverrides(payload: object, overrides: readonly Override[]): void {
  const unknown: string[] = [];
  overrides.reduce((changed, override) => {
    if (findPlace(changed, override.path) === undefined) unknown.push(override.path);
    return withOverrides(changed, [override]);
  }, payload);
  if (unknown.length === 0) return;
  throw new Refusal('INVALID_REQUEST', `The payload has no ${unknown.join(', ')}.`, {
    details: unknown.map((path) => ({ field: 'override', message: `There is no path ${path}.` })),
    hint: `It has: ${payloadPaths(payload).join(', ')}.`,
  });
}

/** A copy of the payload with the overrides in their places, in their order. */
export function withOverrides(payload: object, overrides: readonly Override[]): object {
  return overrides.reduce((changed, { path, value }) => {
    const place = findPlace(changed, path);
    return place === undefined ? changed : replaced(changed, place.keys, value);
  }, payload);
}

function replaced(container: object, [key = '', ...rest]: readonly string[], value: unknown): object {
  const entries = Object.entries(container).map(([name, child]): [string, unknown] => {
    if (name !== key) return [name, child];
    return [name, rest.length > 0 && isContainer(child) ? replaced(child, rest, value) : value];
  });
  return Array.isArray(container) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}
