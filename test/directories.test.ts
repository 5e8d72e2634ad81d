import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findForeignOwner, getHomeDirectory, makeDirectory } from '../src/directories.js';
import { ANOTHER_USER, asUser, giveAway, ROOT } from './helpers/another-user.js';
import { tempFolder } from './helpers/temp-folder.js';

const noHome = (): string => {
  throw new Error('ENOENT: no such file or directory, uv_os_homedir');
};

test.each([
  [{ HOME: '/h' }, noHome, '/h'],
  [{}, () => '/s', '/s'],
  [{ HOME: '' }, () => '/s', '/s'],
  [{ HOME: 'here' }, noHome, undefined],
  [{}, noHome, undefined],
  [{}, () => '', undefined],
])('the home directory with %j is found or not, and never an error', (env, ofSystem, home) => {
  expect(getHomeDirectory(env, ofSystem)).toBe(home);
});

test('root does not use the home directory of another user', () => {
  using folder = tempFolder();
  const env = { HOME: folder.path };
  giveAway(folder.path);
  using _ = asUser(ROOT);
  expect(getHomeDirectory(env, () => '/root')).toBe('/root');
  expect(getHomeDirectory({ HOME: '/missing' }, noHome)).toBe('/missing');
});

test('only root looks elsewhere for a home directory', () => {
  using folder = tempFolder();
  using _ = asUser(ANOTHER_USER);
  expect(getHomeDirectory({ HOME: folder.path }, noHome)).toBe(folder.path);
});

test('names the owner of a path of another user', () => {
  using folder = tempFolder();
  const { uid } = statSync(folder.path);
  expect(findForeignOwner(folder.path)).toBeUndefined();
  using _ = asUser(ANOTHER_USER);
  expect(findForeignOwner(folder.path)).toBe(uid);
  expect(findForeignOwner(join(folder.path, 'missing'))).toBeUndefined();
  expect(findForeignOwner(join(folder.path, 'missing', 'inner'))).toBeUndefined();
});

test('creates a directory with its parents, and leaves an existing one unchanged', () => {
  using folder = tempFolder();
  const inner = join(folder.path, 'a', 'b', 'c');
  makeDirectory(inner, 0o700);
  expect([inner, join(folder.path, 'a')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  makeDirectory(inner);
  expect(statSync(inner).mode & 0o777).toBe(0o700);
});

test('throws EEXIST when a file is in the way', () => {
  using folder = tempFolder();
  folder.write('file', '');
  expect(() => makeDirectory(join(folder.path, 'file'))).toThrow('EEXIST');
  expect(() => makeDirectory(join(folder.path, 'file', 'a', 'b'))).toThrow('ENOTDIR');
});

test.skipIf(!existsSync('/proc/self'))('throws for a path in which nothing can be created', () => {
  expect(() => makeDirectory('/proc/a/b')).toThrow('ENOENT');
});
