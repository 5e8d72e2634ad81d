import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ANOTHER_USER, asUser, giveAway, NOT_OWNER, ROOT } from '../helpers/another-user.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunFile } from '../../src/client/run-file.js';
import {
  readAllRunFiles,
  findProjectFolder,
  readRunFile,
  removeRunFile,
  runFilePath,
  runFilesOf,
  resolveStateDirectory,
  writeRunFile,
} from '../../src/client/run-file.js';

let root: string;
let env: { XDG_STATE_HOME: string };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'run-file-'));
  env = { XDG_STATE_HOME: join(root, 'state') };
});

afterEach(() => rmSync(root, { recursive: true }));

function runFile(run: Partial<RunFile> = {}): RunFile {
  return { url: 'http://127.0.0.1:7490', pid: 7, instance_id: 'i-1', folder: '/shop', version: '1', ...run };
}

test('reads back a written run file by the project directory', () => {
  const run = runFile({ control_token: 'secret' });
  writeRunFile(run, env);
  expect(readRunFile('/shop', env)).toEqual(run);
  expect(readRunFile('/other', env)).toBeUndefined();
});

test('the file and its directory are private to their user', () => {
  const path = writeRunFile(runFile(), env);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(env.XDG_STATE_HOME, 'pix-sandbox')).mode & 0o777).toBe(0o700);
});

test('finds the later of two sandboxes, and the earlier again once the later has stopped', () => {
  const earlier = runFile({ started_at: '2026-01-31T12:00:00.000Z' });
  const later = runFile({ instance_id: 'i-2', started_at: '2026-01-31T12:00:00.001Z' });
  for (const run of [later, earlier]) writeRunFile(run, env);
  writeRunFile(runFile({ folder: '/other', instance_id: 'i-3' }), env);
  expect(runFilesOf('/shop', env)).toEqual([later, earlier]);
  removeRunFile(later, env);
  expect(readRunFile('/shop', env)).toEqual(earlier);
  removeRunFile(earlier, env);
  expect(readRunFile('/shop', env)).toBeUndefined();
  expect(readAllRunFiles(env)).toHaveLength(1);
});

test('finds a running sandbox before a later crashed one', () => {
  const running = runFile({ pid: process.pid, started_at: '2026-01-31T12:00:00.000Z' });
  const crashed = runFile({ pid: 2 ** 22 + 1, instance_id: 'i-2', started_at: '2026-01-31T13:00:00.000Z' });
  for (const run of [running, crashed]) writeRunFile(run, env);
  expect(runFilesOf('/shop', env)).toEqual([running, crashed]);
  removeRunFile(running, env);
  expect(readRunFile('/shop', env)).toEqual(crashed);
  removeRunFile(crashed, env);
  expect(readRunFile('/shop', env)).toBeUndefined();
  expect(readdirSync(join(env.XDG_STATE_HOME, 'pix-sandbox'))).toEqual([]);
});

test('lists all run files, and skips a broken one', () => {
  expect(readAllRunFiles(env)).toEqual([]);
  writeRunFile(runFile(), env);
  writeRunFile(runFile({ folder: '/other' }), env);
  const broken = writeRunFile(runFile({ folder: '/broken' }), env);
  writeFileSync(broken, '{"url":');
  expect(
    readAllRunFiles(env)
      .map(({ folder }) => folder)
      .sort(),
  ).toEqual(['/other', '/shop']);
  expect(readRunFile('/broken', env)).toBeUndefined();
});

describe('projectFolder', () => {
  test.each(['package.json', '.git'])('projectFolder is the nearest parent directory with a %s', (mark) => {
    const inner = join(root, 'shop', 'src', 'deep');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(root, 'shop', mark), '');
    expect(findProjectFolder(inner)).toBe(join(root, 'shop'));
  });

  test('projectFolder is the provided directory without a project', () => {
    const inner = join(root, 'plain');
    mkdirSync(inner);
    expect(findProjectFolder(inner)).toBe(inner);
  });
});

test.each(['null', '{}', '[]', '{"url":7}', '{"url":"x","pid":1,"instance_id":"i","folder":"/shop"}'])(
  'rejects a run file that contains %s',
  (text) => {
    writeFileSync(writeRunFile(runFile(), env), text);
    expect(readRunFile('/shop', env)).toBeUndefined();
    expect(readAllRunFiles(env)).toEqual([]);
  },
);

test('reports a file in place of the state directory only on writing, and finds no run files in it', () => {
  writeFileSync(env.XDG_STATE_HOME, '');
  expect(readAllRunFiles(env)).toEqual([]);
  expect(readRunFile('/shop', env)).toBeUndefined();
  removeRunFile(runFile(), env);
  expect(() => writeRunFile(runFile(), env)).toThrow('ENOTDIR');
});

test('a directory in place of a run file leaves no draft behind', () => {
  const path = runFilePath(runFile(), env) ?? '';
  mkdirSync(join(path, 'inner'), { recursive: true });
  expect(() => writeRunFile(runFile(), env)).toThrow('rename');
  expect(readdirSync(join(path, '..'))).toEqual([basename(path)]);
});

test.each(['linux', 'darwin', 'win32'] as const)(
  'a user without a home has no state directory on %s',
  (os) => {
    expect(resolveStateDirectory({}, os, () => undefined)).toBeUndefined();
    expect(resolveStateDirectory({ XDG_STATE_HOME: '/x' }, os, () => undefined)).toBe(
      join('/x', 'pix-sandbox'),
    );
  },
);

test('uses the standard state directory of each platform', () => {
  expect(resolveStateDirectory({ XDG_STATE_HOME: '/x' }, 'darwin')).toBe(join('/x', 'pix-sandbox'));
  expect(resolveStateDirectory({ HOME: '/home/ana' }, 'linux')).toBe('/home/ana/.local/state/pix-sandbox');
  expect(resolveStateDirectory({}, 'darwin')).toMatch(/Library\/Application Support\/pix-sandbox$/);
  expect(resolveStateDirectory({ LOCALAPPDATA: '/local' }, 'win32')).toBe(join('/local', 'pix-sandbox'));
});

describe('run files in another user’s directory', () => {
  test('run files in another user’s directory are neither read nor written', () => {
    writeRunFile(runFile(), env);
    const directory = join(env.XDG_STATE_HOME, 'pix-sandbox');
    giveAway(directory);
    const { uid } = statSync(directory);
    using _ = asUser(NOT_OWNER);
    expect(readAllRunFiles(env)).toEqual([]);
    expect(readRunFile('/shop', env)).toBeUndefined();
    expect(() => writeRunFile(runFile({ instance_id: 'i-2' }), env)).toThrow(
      `${directory} belongs to another user (uid ${uid})`,
    );
    expect(readdirSync(directory)).toHaveLength(1);
  });

  test('run files in another user’s directory are not created by root, who would lock that user out', () => {
    giveAway(root);
    using _ = asUser(ROOT);
    expect(() => writeRunFile(runFile(), env)).toThrow(`${root} belongs to another user`);
    expect(existsSync(env.XDG_STATE_HOME)).toBe(false);
  });

  test('run files in another user’s directory are created by other users in a shared directory', () => {
    const directory = join(root, 'shared', 'pix-sandbox');
    using _ = asUser(ANOTHER_USER);
    const write = () => writeRunFile(runFile(), { XDG_STATE_HOME: join(root, 'shared') });
    expect(write()).toContain(directory);
    // The new directory belongs to the real user of this process.
    expect(write).toThrow('belongs to another user');
  });
});
