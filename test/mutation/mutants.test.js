import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { draw, keyOf, mutatedFiles } from './mutants.js';

describe('the files that are mutated', () => {
  const all = readdirSync('src', { recursive: true }).map((name) => `src/${name.replaceAll(sep, '/')}`);

  test.each(['core', 'signing', 'delivery', 'sandbox', 'store'])('are all of src/%s', (room) => {
    const files = all.filter((name) => name.startsWith(`src/${room}/`) && name.endsWith('.ts'));
    expect(files).not.toEqual([]);
    expect(mutatedFiles(all).filter((name) => name.startsWith(`src/${room}/`))).toEqual(files);
  });

  test('are what stands before the doors, wherever it is in http, and nothing else of it', () => {
    const files = mutatedFiles(all).filter((name) => name.startsWith('src/http/'));
    expect(new Set(files.map((name) => name.split('/').at(-1)))).toEqual(new Set(['guards.ts', 'serve.ts']));
    expect(mutatedFiles(['src/http/server/guards.ts', 'src/http/api/app.ts', 'src/globals.d.ts'])).toEqual([
      'src/http/server/guards.ts',
    ]);
  });
});

describe('a draw', () => {
  const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);

  test('is the same by the same seed, in whatever order, and another by another', () => {
    const drawn = draw(keys, 10, 1);
    expect(new Set(drawn).size).toBe(10);
    expect(draw(keys.toReversed(), 10, 1)).toEqual(drawn);
    expect(draw(keys, 10, 2)).not.toEqual(drawn);
  });

  test('of more than there are is all of them', () => {
    expect(draw(keys, 1000, 1).toSorted()).toEqual(keys.toSorted());
  });
});

test('a key tells mutants of one place apart, and a place from another', () => {
  const location = { start: { line: 1, column: 2 }, end: { line: 3, column: 4 } };
  const mutant = { fileName: 'a.ts', mutatorName: 'Less', replacement: 'a <= b', location };
  const others = [
    { ...mutant, replacement: 'a >= b' },
    { ...mutant, mutatorName: 'More' },
    { ...mutant, location: { ...location, end: { line: 3, column: 5 } } },
  ];
  const named = [...[mutant, ...others].map((one) => keyOf(one, 'a.ts')), keyOf(mutant, 'b.ts')];
  expect(new Set(named).size).toBe(named.length);
});
