import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bundledPackages, isPermissive, listedPackages, noticesOf } from '../../build.notices.js';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pix-sandbox-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Plants a package; returns the id of one of its modules. */
function plant(path, packageJson, files = {}) {
  const home = join(folder, 'node_modules', path);
  mkdirSync(join(home, 'dist'), { recursive: true });
  const all = { 'package.json': JSON.stringify(packageJson), ...files };
  for (const [name, content] of Object.entries(all)) writeFileSync(join(home, name), content);
  return join(home, 'dist', 'index.js');
}

const chunk = (...ids) => ({ modules: Object.fromEntries(ids.map((id) => [id, { renderedLength: 1 }])) });

describe('the packages that are bundled', () => {
  test('are those of the modules with any code, also inside of others and of both versions', () => {
    const scoped = plant(
      '@scope/b',
      { name: '@scope/b', version: '1.0.0', license: 'MIT' },
      { license: 'B' },
    );
    const outer = plant(
      'a',
      { name: 'a', version: '2.0.0', license: 'ISC' },
      { 'LICENSE.md': 'A2\r\nmore\n' },
    );
    const inner = plant(
      'a/node_modules/a',
      { name: 'a', version: '1.0.0', license: 'ISC' },
      { 'LICENCE-MIT.txt': 'A1', NOTICE: 'N', 'licenses.js': 'no text' },
    );
    const shaken = plant('shaken', { name: 'shaken', version: '1.0.0' });
    const ours = join(folder, 'src', 'index.ts');
    const chunks = [
      chunk(ours, scoped, outer),
      chunk(outer, inner),
      { modules: { [shaken]: { renderedLength: 0 } } },
      {},
    ];
    expect(bundledPackages(chunks)).toEqual([
      { name: '@scope/b', version: '1.0.0', licence: 'MIT', texts: ['B'] },
      { name: 'a', version: '1.0.0', licence: 'ISC', texts: ['A1', 'N'] },
      { name: 'a', version: '2.0.0', licence: 'ISC', texts: ['A2\nmore'] },
    ]);
  });

  test('are the bundler, where it puts in helpers of its own', () => {
    const [bundler] = bundledPackages([chunk('\0rolldown/runtime.js')]);
    expect(bundler).toMatchObject({ name: 'rolldown', licence: 'MIT' });
    expect(bundler?.texts.join('\n')).toContain('Permission is hereby granted');
  });
});

test.each([
  ['MIT', true],
  ['(MIT OR Apache-2.0)', true],
  ['GPL-3.0 OR MIT', true],
  ['MIT AND ISC', true],
  ['MIT AND GPL-3.0', false],
  ['GPL-3.0', false],
  ['UNLICENSED', false],
  ['SEE LICENSE IN x', false],
  ['', false],
])('%j is permissive: %j', (expression, expected) => {
  expect(isPermissive(expression)).toBe(expected);
});

describe('the notices', () => {
  const fine = { name: '@scope/a', version: '1.0.0', licence: 'MIT', texts: ['The text.', 'Another.'] };

  test('name each package with every text, and can be read back', () => {
    const text = noticesOf([fine, { ...fine, name: 'b', licence: '(MIT OR Apache-2.0)' }]);
    expect(text.split('The text.\n\nAnother.\n')).toHaveLength(3);
    expect(listedPackages(text)).toEqual([
      { name: '@scope/a', version: '1.0.0', licence: 'MIT' },
      { name: 'b', version: '1.0.0', licence: '(MIT OR Apache-2.0)' },
    ]);
  });

  test.each([
    [{ licence: 'GPL-3.0' }, '@scope/a 1.0.0: expected one of MIT, .*; got GPL-3.0'],
    [{ licence: '' }, 'got no licence'],
    [{ texts: [] }, '@scope/a 1.0.0: expected a file with the text of its licence; found none'],
  ])('refuse %j', (wrong, message) => {
    expect(() => noticesOf([fine, { ...fine, ...wrong }])).toThrow(new RegExp(message));
  });
});
