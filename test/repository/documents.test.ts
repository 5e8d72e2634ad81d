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

function codeIn(markdown: string): string[] {
  return Array.from(markdown.matchAll(/`([^`]+)`/g), ([, text = '']) => text);
}

/** Every word of the code, without those of comments. */
const NAMES = new Set(
  [...FILES]
    .filter((file) => /^(?:src|bin|test)\/.*\.[cm]?[jt]sx?$|^\w+\.js$/.test(file))
    .filter((file) => file !== 'test/repository/documents.test.ts')
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .flatMap((text) => text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '').match(/[A-Za-z_$][\w$]*/g) ?? []),
);
/** A name in camelCase, PascalCase or UPPER_CASE, or of a function with its parenthesis; no part of a path or a header. */
const NAME =
  /(?<![\w$/-])(?:[a-z]+\w*[A-Z]\w*|[A-Z][A-Z\d_]+|[A-Z][a-z]\w*|[A-Za-z]\w*(?=\())(?![\w$/-]|\.[a-z]+\b(?!\())/g;

/** Returns the code names in backticks that no code contains. */
function missingNames(markdown: string): string[] {
  return codeIn(markdown)
    .flatMap((text) => text.match(NAME) ?? [])
    .filter((name) => !NAMES.has(name));
}

/** Returns the paths and file names in backticks that do not exist. */
function missingPaths(markdown: string): string[] {
  return codeIn(markdown)
    .flatMap((text) => text.split(/\s+/))
    .filter((word) => {
      const path = word.replace(/<.*$/, '').replace(/\/$/, '');
      if (path.includes('/')) return FIRST_FOLDERS.has(path.split('/')[0]) && !PATHS.has(path);
      return /^[\w.-]+\.(?:tsx?|js|json|md)$/.test(path) && !FILE_NAMES.has(path);
    });
}

const DOCUMENTS = ['ARCHITECTURE.md', 'CONTRIBUTING.md'];

test.each(DOCUMENTS)('%s has at most 120 lines, and every code name in it exists', (file) => {
  const markdown = readFileSync(join(ROOT, file), 'utf8');
  expect(markdown.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  expect(missingNames(markdown)).toEqual([]);
  expect(missingNames(`${markdown}\n\`RETRY_SCHEDULE\``)).toEqual(['RETRY_SCHEDULE']);
});

test('finds a code name in a document that no code contains', () => {
  const right =
    '`MOVES` `sandbox.dispatch(command)` `X-Timestamp` `Receiver.java` `timeoutMs` `apply(world)` `World`';
  expect(missingNames(right)).toEqual([]);
  const wrong =
    '`MOVEMENTS` `sandbox.despatch(command)` `timeoutMillis` `Wurld` `handleWhithFaults` and MOVEMENTS';
  expect(missingNames(wrong)).toEqual([
    'MOVEMENTS',
    'despatch',
    'timeoutMillis',
    'Wurld',
    'handleWhithFaults',
  ]);
});

test.each(DOCUMENTS)('every path in %s exists', (file) => {
  const markdown = readFileSync(join(ROOT, file), 'utf8');
  expect(missingPaths(markdown)).toEqual([]);
  expect(missingPaths(`${markdown}\n\`core/aply.ts\``)).toEqual(['core/aply.ts']);
});

test('finds an invalid path, directory, command argument or file name in a document', () => {
  const right = '`src/core/apply.ts` `core/apply` `src/cli/commands/<name>/` `build.js` `hono/jsx`';
  expect(missingPaths(right)).toEqual([]);
  const wrong = '`core/aply.ts` `test/nowhere/` `npx vitest run\ntest/gone.test.ts` `gone.ts`';
  expect(missingPaths(wrong)).toEqual(['core/aply.ts', 'test/nowhere/', 'test/gone.test.ts', 'gone.ts']);
});

test('test/README.md names every file of test/helpers, and no others', () => {
  const markdown = readFileSync(join(ROOT, 'test/README.md'), 'utf8');
  const named = new Set(codeIn(markdown));
  const helpers = FILES.filter((file) => /^test\/helpers\/.*\.(?:c?js|ts|py)$/.test(file));
  expect(helpers.filter((file) => !named.has(basename(file)))).toEqual([]);
  expect(missingPaths(markdown)).toEqual([]);
});
