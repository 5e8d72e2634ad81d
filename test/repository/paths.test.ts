import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PATH = /(?<![\w./@-])(?:src|test|fixtures)\/[\w./[\]-]*\w/g;

/** The configuration and the runners that name files of the repository; the samples in their own tests do not exist. */
const LISTS = [
  'package.json',
  'vitest.config.ts',
  'vitest.soak.config.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  '.ci/run',
  ...['test/mutation', 'test/bench', 'test/release', 'test/soak'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((name) => /\.[jt]s$/.test(name) && !/\.test\.js$|\/(?:shops|receivers|projects)\//.test(name)),
  ),
];

test.each(LISTS)('%s names only existing paths', (list) => {
  const paths = readFileSync(join(ROOT, list), 'utf8').match(PATH) ?? [];
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
