import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { findPackageFolder } from '../../../src/cli/program/input-bytes.js';
import { tempFolder } from '../../helpers/temp-folder.js';

test('is the directory of the package that contains a module, however deep', () => {
  using folder = tempFolder();
  folder.write('package.json', '{"name":"pix-sandbox"}');
  folder.write('dist/package.json', '{"type":"module"}');
  const module = pathToFileURL(join(folder.path, 'dist/chunks/fixtures-abc.js')).href;
  expect(findPackageFolder(module)).toBe(folder.path);
  expect(findPackageFolder()).toBe(join(import.meta.dirname, '../../..'));
});

test('does not accept another package', () => {
  using folder = tempFolder();
  folder.write('package.json', '{"name":"another"}');
  const module = pathToFileURL(join(folder.path, 'module.js')).href;
  expect(() => findPackageFolder(module)).toThrow(
    `Expected ${folder.path} to be inside the package pix-sandbox`,
  );
});
