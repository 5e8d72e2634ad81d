import { Refusal } from './refusal.js';

/** One value put in another's place in an event's payload: `data.object.amount`, `data.object.items[0]`. */
export interface Override {
  readonly path: string;
  /** Any JSON value. */
  readonly value: unknown;
}

type Container = Record<string, unknown>;

function keysOf(path: string): string[] {
  return path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Every path of a payload that may be overridden. */
export function payloadPaths(payload: unknown, prefix = ''): string[] {
  if (!isContainer(payload)) return [];
  const paths: string[] = [];
  for (const [key, value] of Object.entries(payload)) {
    const path = Array.isArray(payload) ? `${prefix}[${key}]` : `${prefix === '' ? '' : `${prefix}.`}${key}`;
    paths.push(path, ...payloadPaths(value, path));
  }
  return paths;
}

/** Refuses a path that the payload does not have, listing those that it has. */
export function checkOverrides(payload: unknown, overrides: readonly Override[]): void {
  const known = payloadPaths(payload);
  const knownKeys = new Set(known.map((path) => keysOf(path).join('.')));
  const unknown = overrides.filter(({ path }) => !knownKeys.has(keysOf(path).join('.')));
  if (unknown.length === 0) return;
  throw new Refusal('INVALID_REQUEST', `The payload has no ${unknown.map(({ path }) => path).join(', ')}.`, {
    details: unknown.map(({ path }) => ({ field: 'override', message: `There is no path ${path}.` })),
    hint: `It has: ${known.join(', ')}.`,
  });
}

/** A copy of the payload with the overrides in their places, in their order. */
export function withOverrides(payload: object, overrides: readonly Override[]): object {
  return overrides.reduce<object>(
    (changed, { path, value }) => replaced(changed, keysOf(path), value),
    payload,
  );
}

function replaced(container: object, [key = '', ...rest]: readonly string[], value: unknown): object {
  const entries = Object.entries(container).map(([name, child]): [string, unknown] => {
    if (name !== key) return [name, child];
    return [name, rest.length > 0 && isContainer(child) ? replaced(child, rest, value) : value];
  });
  return Array.isArray(container) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}
