import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const TOP = readdirSync(ROOT).filter((name) => name !== 'node_modules' && name !== 'dist' && name !== '.git');
const INNER = ['bin', 'fixtures', 'src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
);
const FILES = [...TOP, ...INNER];
/** Also relative to src and without the extension, as the documents and the table of layers write them. */
const PATHS = new Set(
  FILES.flatMap((file) => [file, file.replace(/^src\//, '')]).flatMap((file) => [
    file,
    file.replace(/\.tsx?$/, ''),
  ]),
);
const FILE_NAMES = new Set(FILES.map((file) => basename(file)));
const FIRST_FOLDERS = new Set(
  [...PATHS].filter((path) => path.includes('/')).map((path) => path.split('/')[0]),
);

/** Returns the paths and file names in backticks that do not exist. */
function missingPaths(markdown: string): string[] {
  const code = Array.from(markdown.matchAll(/`([^`]+)`/g), ([, text = '']) => text);
  return code
    .flatMap((text) => text.split(/\s+/))
    .filter((word) => {
      const path = word.replace(/<.*$/, '').replace(/\/$/, '');
      if (path.includes('/')) return FIRST_FOLDERS.has(path.split('/')[0]) && !PATHS.has(path);
      return /^[\w.-]+\.(?:tsx?|js|json|md)$/.test(path) && !FILE_NAMES.has(path);
    });
}

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('every path in %s exists', (file) => {
  const markdown = readFileSync(join(ROOT, file), 'utf8');
  expect(missingPaths(markdown)).toEqual([]);
  expect(missingPaths(`${markdown}\n\`core/aply.ts\``)).toEqual(['core/aply.ts']);
});

test('a wrong path, folder, command argument or file name in a document is found', () => {
  const right = '`src/core/apply.ts` `core/apply` `src/cli/commands/<name>/` `build.js` `hono/jsx`';
  expect(missingPaths(right)).toEqual([]);
  const wrong = '`core/aply.ts` `test/nowhere/` `npx vitest run\ntest/gone.test.ts` `gone.ts`';
  expect(missingPaths(wrong)).toEqual(['core/aply.ts', 'test/nowhere/', 'test/gone.test.ts', 'gone.ts']);
});
