import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createLoader } from '../../../src/http/server/serve.js';
import { systemError } from '../../helpers/system-error.js';

test('loads again after a failure, which only the callers of that load see', async () => {
  const failures = [systemError('EMFILE'), systemError('ENFILE')];
  const load = createLoader(async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return 'loaded';
  });
  const [first, second] = await Promise.allSettled([load(), load()]);
  expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
  await expect(load()).rejects.toThrow('ENFILE');
  expect(await Promise.all([load(), load()])).toEqual(['loaded', 'loaded']);
  expect(load()).toBe('loaded');
});

/** Assignments that store the promise of an import, so that a failed one would be returned forever. */
const STORED_IMPORT = /\?\?=[^;]*?\b(?:import|load\w*)\(/;

test('no source file stores the promise of an import itself', () => {
  const folder = new URL('../../../src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  expect(files.length).toBeGreaterThan(100);
  const found = files.filter((name) => STORED_IMPORT.test(readFileSync(new URL(name, folder), 'utf8')));
  expect(found).toEqual(['http/server/serve.ts']);
  expect(STORED_IMPORT.test("web ??= import('./surfaces.js').then((loaded) => loaded);")).toBe(true);
  expect(STORED_IMPORT.test('all ??= Promise.all([\n  import("./a.js"), load()]);')).toBe(true);
});
