import { matchesGlob } from '../../text/globs.js';

const LONGEST_SHOWN = 120;

/** A value in a message, shortened where it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/**
 * The differences between a value and its expectation, in words. An expected object names the fields that matter; a `*` in an
 * expected text matches anything, and null also for a field that is absent.
 */
export function differences(expected: unknown, actual: unknown, name = ''): string[] {
  if (Array.isArray(expected)) return listDifferences(expected, actual, name);
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
      return [difference(name, expected, actual)];
    const fields = new Map<string, unknown>(Object.entries(actual));
    return Object.entries(expected).flatMap(([field, value]: [string, unknown]) =>
      differences(value, fields.get(field), name === '' ? field : `${name}.${field}`),
    );
  }
  return isSame(expected, actual) ? [] : [difference(name, expected, actual)];
}

function listDifferences(expected: readonly unknown[], actual: unknown, name: string): string[] {
  if (!Array.isArray(actual) || actual.length !== expected.length)
    return [difference(name, expected, actual)];
  return expected.flatMap((value, index) => differences(value, actual[index], `${name}[${index}]`));
}

function isSame(expected: unknown, actual: unknown): boolean {
  if (expected === null) return actual === null || actual === undefined;
  if (typeof expected !== 'string' || !expected.includes('*')) return expected === actual;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof actual);
  return isPlain && matchesGlob(expected, String(actual));
}

function difference(name: string, expected: unknown, actual: unknown): string {
  return `${name === '' ? 'it' : name} is ${shown(actual)}, expected ${shown(expected)}`;
}
