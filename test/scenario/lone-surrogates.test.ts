import { expect, test } from 'vitest';
import { parseScenario } from '../../src/scenario/parse.js';
import { BUILT_INS, runFresh } from '../helpers/scenario/scenarios.js';

const HALF = '\ud800';

/** The places of all texts in a JSON value. */
function textPlaces(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => textPlaces(item, [...path, key]));
}

/** The value with half of a surrogate pair at the end of one text. */
function spoiled(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return `${String(value)}${HALF}`;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (String(index) === key ? spoiled(item, rest) : item));
  }
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: spoiled(fields[key], rest) };
}

/** Every built-in scenario with half of a surrogate pair in each of its texts, those of equal fields once. */
function variants(): [place: string, text: string][] {
  const found = new Map<string, string>();
  for (const text of BUILT_INS.values()) {
    const value: unknown = JSON.parse(text);
    for (const path of textPlaces(value)) {
      const field = path.filter((part) => !/^\d+$/.test(part)).join('.');
      if (!found.has(field)) found.set(field, JSON.stringify(spoiled(value, path)));
    }
  }
  return [...found];
}

test('half of a surrogate pair in any text is a mistake, or what it is in fails as other wrong texts do', async () => {
  const accepted: string[] = [];
  const all = variants();
  for (const [field, text] of all) {
    if (parseScenario(text).mistakes.length > 0) continue;
    accepted.push(field);
    await expect(runFresh(text)).resolves.toMatchObject({ passed: false });
  }
  expect(all.length).toBeGreaterThan(accepted.length * 2);
  expect(accepted.length).toBeGreaterThan(0);
});
