import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const IMPORTED = /(?:from|import)\s*\(?["']([^"']+)["']/g;

interface PackageJson {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageJson;
const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry]));

/** The packages that a file imports, and the files that it imports. */
function packagesOf(file: string, seen: Set<string>, typesOnly: boolean): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...readFileSync(file, 'utf8').matchAll(IMPORTED)].flatMap(([, target = '']) => {
    if (!target.startsWith('.')) return target.startsWith('node:') ? [] : [`${target} of ${file}`];
    const path = join(dirname(file), typesOnly ? target.replace(/\.js$/, '.d.ts') : target);
    return packagesOf(path, seen, typesOnly);
  });
}

test.each(entries)('$types needs no package', ({ types }) => {
  const seen = new Set<string>();
  expect(packagesOf(join(ROOT, types), seen, true)).toEqual([]);
  expect(seen.size).toBeGreaterThan(3);
});

test.each(entries)('$default can be imported', async ({ default: file }) => {
  const names = Object.keys((await import(join(ROOT, file))) as object);
  expect(names.length).toBeGreaterThan(1);
});
