import { chmodSync, existsSync, mkdirSync, realpathSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { BIN } from '../helpers/e2e/e2e.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { tempFolder } from '../helpers/temp-folder.js';

/** Reports the chosen directory on every version of Node, also on one without a compile cache. */
const REPORTING = `require('node:module').enableCompileCache = (directory) => console.error('CACHE ' + directory);`;
const AS_ANOTHER_USER = `process.geteuid = () => ${(process.geteuid?.() ?? 0) + 1};`;

/** The directories passed to Node's compile cache by one command. */
async function cachesOf(folder: TempFolder, env: Readonly<Record<string, string>>, script = REPORTING) {
  folder.write('preload.cjs', script);
  const words = ['--require', join(folder.path, 'preload.cjs'), BIN, 'status'];
  const options = { cwd: folder.path, env, extendEnv: false, stdin: 'ignore', reject: false } as const;
  const { exitCode, stderr } = await execa(process.execPath, words, options);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(/^error /m) });
  return Array.from(stderr.matchAll(/^CACHE (.*)$/gm), ([, directory]) => directory);
}

test('creates a private directory for compiled code in the home directory', async () => {
  using folder = tempFolder();
  const parent = process.platform === 'darwin' ? join(folder.path, 'Library') : folder.path;
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const home = join(parent, process.platform === 'darwin' ? 'Caches' : '.cache');
  const directory = join(home, 'pix-sandbox');
  for (const XDG_CACHE_HOME of ['', 'relative']) {
    const env = { HOME: folder.path, LOCALAPPDATA: home, XDG_CACHE_HOME };
    expect(await cachesOf(folder, env)).toEqual([realpathSync(directory)]);
  }
  expect(existsSync(join(folder.path, 'relative'))).toBe(false);
  for (const path of [home, directory]) expect(statSync(path).mode & 0o077).toBe(0);
});

describe('no compile cache', () => {
  const prepare = (folder: TempFolder) => {
    mkdirSync(join(folder.path, 'cache', 'pix-sandbox'), { recursive: true, mode: 0o700 });
    return { HOME: folder.path, XDG_CACHE_HOME: join(folder.path, 'cache') };
  };

  test.each(['.', 'cache', 'cache/pix-sandbox'])(
    'creates no compile cache where others can write to %s',
    async (path) => {
      using folder = tempFolder();
      const env = prepare(folder);
      chmodSync(join(folder.path, path), 0o777);
      expect(await cachesOf(folder, env)).toEqual([]);
      chmodSync(join(folder.path, path), 0o720);
      expect(await cachesOf(folder, env)).toEqual([]);
    },
  );

  test.each(['cache', 'cache/pix-sandbox'])(
    'creates no compile cache where %s is a symbolic link',
    async (path) => {
      using folder = tempFolder();
      const env = prepare(folder);
      renameSync(join(folder.path, path), join(folder.path, 'elsewhere'));
      symlinkSync(join(folder.path, 'elsewhere'), join(folder.path, path));
      expect(await cachesOf(folder, env)).toEqual([]);
    },
  );

  test('creates nothing in directories of another user', async () => {
    using folder = tempFolder();
    const script = `${REPORTING}\n${AS_ANOTHER_USER}`;
    expect(await cachesOf(folder, { HOME: folder.path }, script)).toEqual([]);
    expect(existsSync(join(folder.path, '.cache'))).toBe(false);
    expect(await cachesOf(folder, prepare(folder), script)).toEqual([]);
  });

  test('creates nothing in the temporary directory, where others could have been first', async () => {
    using folder = tempFolder();
    const cache = join('/tmp', `${basename(folder.path)}-cache`);
    expect(await cachesOf(folder, { HOME: '/tmp', XDG_CACHE_HOME: cache })).toEqual([]);
    expect(existsSync(cache)).toBe(false);
  });

  test('caches no compiled code where the cache cannot be created', async () => {
    using folder = tempFolder();
    folder.write('file', '');
    for (const XDG_CACHE_HOME of ['file', 'file/cache', 'missing/cache']) {
      const env = { HOME: folder.path, XDG_CACHE_HOME: join(folder.path, XDG_CACHE_HOME) };
      expect(await cachesOf(folder, env)).toEqual([]);
    }
  });
});

test('deletes a cache of compiled code that has grown too large', async () => {
  using folder = tempFolder();
  const env = { HOME: folder.path, XDG_CACHE_HOME: join(folder.path, 'cache') };
  const directory = join(folder.path, 'cache', 'pix-sandbox');
  await cachesOf(folder, env);
  for (const [name, count] of [
    ['kept', 100],
    ['removed', 2_000],
  ] as const) {
    for (let index = 0; index < count; index += 1) folder.write(`cache/pix-sandbox/${name}/${index}`, '');
    expect(await cachesOf(folder, env)).toEqual([realpathSync(directory)]);
    expect(existsSync(join(directory, 'kept'))).toBe(name === 'kept');
  }
});
