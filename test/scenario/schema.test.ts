import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SCENARIO_SCHEMA } from '../../src/scenario/steps.js';
import { createScenarioSchema } from '../../src/scenario/parse.js';
import { read } from '../../src/schema/schema.js';
import { BUILT_INS, SCHEMA_FILE } from '../helpers/scenario/scenarios.js';

const accepts = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(
  createScenarioSchema(),
);

function parserAccepts(value: unknown): boolean {
  return read(SCENARIO_SCHEMA, value).issues.length === 0;
}

test('the published schema matches the declaration (UPDATE_SCHEMA=1 writes it)', () => {
  const text = `${JSON.stringify(createScenarioSchema(), null, 2)}\n`;
  if (process.env.UPDATE_SCHEMA) writeFileSync(SCHEMA_FILE, text);
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(text);
});

test.each([...BUILT_INS])('%s is valid under the schema, and names it', (_, text) => {
  const value: unknown = JSON.parse(text);
  accepts(value);
  expect(accepts.errors).toBeNull();
  expect(value).toMatchObject({ $schema: './scenario.schema.json' });
});

/** Every place of a value: its parent, and the key under which it stands there. */
function placesOf(value: unknown): { parent: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Record<string, unknown>;
  const keys = Object.keys(parent);
  return keys.map((key) => ({ parent, key })).concat(keys.flatMap((key) => placesOf(parent[key])));
}

const REPLACEMENTS = [
  null,
  true,
  false,
  0,
  1,
  -1,
  200,
  0.5,
  1e9,
  '',
  'pix.settled',
  'next',
  '45h',
  '${run}',
  '/x',
  'POST',
  [],
  {},
  ['pix.expired'],
  [500],
  { id: 'a' },
];

const mutated = fc
  .record({
    text: fc.constantFrom(...BUILT_INS.values()),
    place: fc.nat(),
    how: fc.constantFrom('replace', 'remove', 'rename', 'add', 'move'),
    value: fc.oneof(fc.constantFrom<unknown>(...REPLACEMENTS), fc.jsonValue({ maxDepth: 2 })),
    name: fc.constantFrom(
      'create',
      'expect',
      'receiver',
      'as',
      'note',
      'count',
      'type',
      'charge',
      'fault',
      'advance',
      'reset',
      'steps',
      'unknown',
      '__proto__',
      'toString',
    ),
  })
  .map(({ text, place, how, value, name }) => {
    const scenario = JSON.parse(text) as Record<string, unknown>;
    const places = placesOf(scenario);
    const { parent, key } = places[place % places.length] ?? { parent: scenario, key: 'steps' };
    const set = (at: string, what: unknown) =>
      Object.defineProperty(parent, at, {
        value: what,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    if (how === 'replace') set(key, value);
    if (how === 'add' && !Array.isArray(parent)) set(name, value);
    if (how === 'move' && !Array.isArray(parent)) set(name, parent[key]);
    if (how === 'rename' && !Array.isArray(parent)) {
      const kept = parent[key];
      delete parent[key];
      set(name, kept);
    }
    if (how === 'remove' && !Array.isArray(parent)) delete parent[key];
    return scenario;
  });

test('the parser rejects exactly what the schema rejects', () => {
  let refused = 0;
  fc.assert(
    fc.property(mutated, (value) => {
      const isRefused = !parserAccepts(value);
      refused += Number(isRefused);
      expect({ value, isRefused }).toEqual({ value, isRefused: !accepts(value) });
    }),
    { numRuns: 1_500 },
  );
  expect(refused).toBeGreaterThan(250);
});
