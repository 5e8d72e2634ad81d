import { describe, expect, test } from 'vitest';
import { fileProblems, manifestProblems } from './checks/contents.js';

const PACKAGE_JSON = {
  files: ['bin', 'dist', 'fixtures'],
  bin: { tool: 'bin/tool.js' },
  exports: { '.': { types: './dist/types/index.d.ts', default: './dist/index.js' } },
  scripts: { prepare: 'npm run build', test: 'vitest run' },
};
const PATHS = [
  'LICENSE',
  'README.md',
  'bin/tool.js',
  'dist/NOTICES.txt',
  'dist/index.js',
  'dist/types/index.d.ts',
  'fixtures/events/one.json',
  'fixtures/examples/shop/test/paid.test.js',
  'fixtures/examples/receiver.ts',
  'package.json',
];

describe('the files of a package', () => {
  test('are fine when all that is promised is there, and examples may have tests', () => {
    expect(fileProblems(PATHS, PACKAGE_JSON, ['fixtures/events'])).toEqual([]);
  });

  test.each([
    'src/index.ts',
    'test/index.test.js',
    'dist/index.js.map',
    'dist/index.ts',
    'dist/index.test.js',
    '.env',
    'fixtures/.DS_Store',
    'fixtures/examples/shop/node_modules/a/index.js',
    'fixtures/examples/python/__pycache__/receiver.pyc',
    'binding.gyp',
    'pix-sandbox-0.1.0.tgz',
  ])('do not hold %s', (path) => {
    expect(fileProblems([...PATHS, path], PACKAGE_JSON)).toEqual([
      expect.stringContaining(`${path} must not ship`),
    ]);
  });

  test.each([
    'LICENSE',
    'README.md',
    'bin/tool.js',
    'dist/NOTICES.txt',
    'dist/index.js',
    'dist/types/index.d.ts',
  ])('do not lack %s', (path) => {
    const others = PATHS.filter((other) => other !== path);
    expect(fileProblems(others, PACKAGE_JSON)).toContain(`${path} is missing: the package promises it.`);
  });

  test('do not lack a folder that is promised', () => {
    expect(fileProblems(PATHS, PACKAGE_JSON, ['fixtures/event'])).toEqual([
      'fixtures/event is missing: the package promises it.',
    ]);
  });
});

describe('an installation', () => {
  test('may have scripts that only a clone runs', () => {
    expect(manifestProblems(PACKAGE_JSON)).toEqual([]);
  });

  test.each(['preinstall', 'install', 'postinstall'])('runs no %s', (name) => {
    expect(manifestProblems({ scripts: { [name]: 'node x.js' } })).toEqual([expect.stringContaining(name)]);
  });

  test.each(['dependencies', 'optionalDependencies', 'peerDependencies'])('brings no %s', (field) => {
    expect(manifestProblems({ [field]: {} })).toEqual([]);
    expect(manifestProblems({ [field]: { hono: '^4' } })).toEqual([expect.stringContaining('got hono')]);
  });
});
