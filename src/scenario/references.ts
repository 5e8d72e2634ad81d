import { suggest } from '../text/closest.js';
import type { Path } from '../schema/schema.js';
import type { IssueSentence } from '../schema/sentences.js';

/** Matches references such as `${order.id}`. A preceding `$` escapes the reference. */
const REFERENCE = /\$?\$\{([^}]*)\}?/g;
const NAMES = /^[\w-]+(?:\.[\w-]+)*$/;

export type ReferenceValues = ReadonlyMap<string, unknown>;

/** Thrown for an unknown reference. The message lists the known ones. */
export class UnknownReferenceError extends Error {}

/** Finds invalid references in a value. `known` contains the names of earlier steps. */
export function findReferenceIssues(value: unknown, path: Path, known: readonly string[]): IssueSentence[] {
  if (typeof value !== 'string')
    return childrenOf(value).flatMap(([key, child]) => findReferenceIssues(child, [...path, key], known));
  return referencesIn(value).flatMap((reference) => {
    const message = describeReferenceIssue(reference, known);
    return message === undefined ? [] : [{ path, message }];
  });
}

export function listReferences(value: unknown): string[] {
  if (typeof value === 'string') return referencesIn(value).map(({ inner }) => inner.split('.')[0] ?? '');
  return childrenOf(value).flatMap(([, child]) => listReferences(child));
}

function referencesIn(text: string) {
  return Array.from(text.matchAll(REFERENCE))
    .filter(([all]) => !all.startsWith('$$'))
    .map(([all, inner = '']) => ({ all, inner }));
}

function describeReferenceIssue({ all, inner }: { all: string; inner: string }, known: readonly string[]) {
  if (!all.endsWith('}')) return `The reference ${all} has no closing }. For literal text, write $\${.`;
  if (!NAMES.test(inner))
    return `Expected a reference such as \${order.id}; got ${all}. For literal text, write $\${.`;
  const name = inner.split('.')[0] ?? '';
  if (known.includes(name)) return undefined;
  const hint = suggest(name, known) || ` Known names: ${known.join(', ')}.`;
  return `No earlier step has the name ${name}.${hint}`;
}

function childrenOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.map((child: unknown, index) => [index, child]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

export function mapTexts(value: unknown, replace: (text: string) => unknown): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [key, mapTexts(item, replace)]),
  );
}

/** Resolves every reference in a value. A string that is a single reference becomes the referenced value. */
export function resolveReferences(value: unknown, names: ReferenceValues): unknown {
  return mapTexts(value, (text) => {
    const whole = /^\$\{([^}]*)\}$/.exec(text)?.[1];
    if (whole !== undefined) return lookUp(whole, names);
    return text.replaceAll(REFERENCE, (all, inner: string) => {
      if (all.startsWith('$$')) return all.slice(1);
      const found = lookUp(inner, names);
      if (typeof found !== 'object' || found === null) return String(found);
      throw new UnknownReferenceError(`\${${inner}} is not a single value and cannot be part of a string.`);
    });
  });
}

function lookUp(reference: string, names: ReferenceValues): unknown {
  const [name = '', ...fields] = reference.split('.');
  let value = names.get(name);
  let path = name;
  for (const field of fields) {
    const children = new Map(childrenOf(value).map(([key, child]) => [String(key), child]));
    if (!children.has(field)) {
      const known = [...children.keys()];
      const hint = suggest(field, known) || ` Known fields: ${known.join(', ') || 'none'}.`;
      throw new UnknownReferenceError(`\${${reference}}: ${path} has no field ${field}.${hint}`);
    }
    value = children.get(field);
    path = `${path}.${field}`;
  }
  return value;
}
