import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import Module from 'node:module';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import { BIN, Project } from '../helpers/e2e/e2e.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { tempFolder } from '../helpers/temp-folder.js';
import { tries } from '../helpers/whole.js';

/** Prints at the end which of our files came out of the cache. */
const WATCHING = `const vm = require('node:vm');
const { basename } = require('node:path');
const { Script } = vm;
const files = [];
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    files.push([basename(options.filename), this.cachedDataRejected === false]);
  }
};
process.on('exit', () => console.error('FILES ' + JSON.stringify(files)));`;

/** Ends every command that prints with a bug. */
const BREAKING = `process.stdout.write = () => { throw new Error('broken'); };`;

/** A user, who runs one command. */
class User implements Disposable {
  readonly #folder: TempFolder = tempFolder();

  constructor() {
    this.#folder.write('project/package.json', '{}\n');
    this.#folder.write('watching.cjs', WATCHING);
    this.#folder.write('breaking.cjs', BREAKING);
  }

  get cacheHome(): string {
    return join(this.#folder.path, 'cache');
  }

  get folders(): string[] {
    return readdirSync(join(this.cacheHome, 'pix-sandbox')).map((name) =>
      join(this.cacheHome, 'pix-sandbox', name),
    );
  }

  /** The one that holds what \`sandbox config\` compiled. */
  get file(): string {
    const [file, ...others] = this.folders
      .map((path) => join(path, 'config'))
      .filter((path) => existsSync(path));
    if (file === undefined || others.length > 0)
      throw new Error(`Expected one file; got ${this.folders.join()}`);
    return file;
  }

  async run(words = 'config', env: Readonly<Record<string, string>> = {}, preloaded = 'watching.cjs') {
    const args = ['--require', join(this.#folder.path, preloaded), BIN, ...words.split(' ')];
    const { exitCode, stdout, stderr } = await execa(process.execPath, args, {
      cwd: join(this.#folder.path, 'project'),
      env: { PATH: process.env.PATH, HOME: this.#folder.path, XDG_CACHE_HOME: this.cacheHome, ...env },
      extendEnv: false,
      reject: false,
    });
    const [, files = '[]'] = /^FILES (.*)$/m.exec(stderr) ?? [];
    const all = JSON.parse(files) as [name: string, isCached: boolean][];
    const namesOf = (cached: boolean) => all.filter(([, is]) => is === cached).map(([name]) => name);
    return { exitCode, stdout, stderr, cached: namesOf(true), compiled: namesOf(false) };
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

const damages: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'cut in half': (bytes) => bytes.subarray(0, bytes.length / 2),
  empty: () => Buffer.alloc(0),
  'full of zeros': (bytes) => Buffer.alloc(bytes.length),
  'wrong in one bit': (bytes) => {
    const damaged = Buffer.from(bytes);
    damaged[bytes.length / 2] = (damaged[bytes.length / 2] ?? 0) ^ 1;
    return damaged;
  },
};

// Later versions of Node have a cache of their own.
describe.skipIf('enableCompileCache' in Module)('compiled code', () => {
  test('is kept by the first run, and the second takes it and writes nothing', async () => {
    using user = new User();
    const first = await user.run();
    expect(first).toMatchObject({ exitCode: 0, cached: [] });
    expect(first.compiled).toContain('cli.cjs');
    const { ino } = statSync(user.file);
    const second = await user.run();
    expect(second).toMatchObject({ exitCode: 0, stdout: first.stdout, compiled: [] });
    expect(second.cached).toEqual(first.compiled);
    expect(statSync(user.file).ino).toBe(ino);
    expect(readdirSync(dirname(user.file))).toEqual(['config']);
  });

  test.skipIf(process.platform === 'win32')('is for its user alone', async () => {
    using user = new User();
    await user.run();
    const parent = dirname(user.file);
    const modes = [dirname(parent), parent, user.file].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  test('gets what a later run of the command loads besides', async () => {
    using user = new User();
    const plain = await user.run('charges list');
    const other = await user.run('charges show 1234');
    expect(other.cached).toContain('cli.cjs');
    expect((await user.run('charges list')).cached).toEqual(plain.compiled);
    expect((await user.run('charges show 1234')).compiled).toEqual([]);
  });

  const DAMAGES = Object.keys(damages);

  test.each(tries({ part: DAMAGES.slice(-1), whole: DAMAGES }))('that is %s is made anew', async (damage) => {
    using user = new User();
    const { stdout } = await user.run();
    const bytes = readFileSync(user.file);
    writeFileSync(user.file, damages[damage]?.(bytes) ?? bytes);
    expect(await user.run()).toMatchObject({ exitCode: 0, stdout });
    expect(await user.run()).toMatchObject({ exitCode: 0, stdout, compiled: [] });
  });

  test('of other flags of V8 is made anew', async () => {
    using user = new User();
    await user.run();
    const env = { NODE_OPTIONS: '--stack-trace-limit=9 --max-old-space-size=300' };
    expect(await user.run('config', env)).toMatchObject({ exitCode: 0, cached: [] });
    expect(await user.run('config', env)).toMatchObject({ exitCode: 0, compiled: [] });
  });

  test('of earlier builds goes, but for the newest', async () => {
    using user = new User();
    for (const age of [1, 2, 3, 4, 5, 6]) {
      const folder = join(user.cacheHome, 'pix-sandbox', `code-${age}`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      utimesSync(folder, 1_000_000 - age, 1_000_000 - age);
    }
    writeFileSync(join(user.cacheHome, 'pix-sandbox', 'other'), '');
    chmodSync(join(user.cacheHome, 'pix-sandbox'), 0o700);
    await user.run();
    const names = user.folders.map((path) => path.slice(path.lastIndexOf('pix-sandbox')));
    const earlier = ['code-1', 'code-2', 'code-3', 'other'].map((name) => join('pix-sandbox', name));
    expect(names).toEqual(expect.arrayContaining(earlier));
    expect(names).toHaveLength(5);
  });

  test.skipIf(process.platform === 'win32').each(tries({ part: ['..'], whole: ['', '..'] }))(
    'in a folder that others can write (%s) is not used',
    async (place) => {
      using user = new User();
      const { stdout } = await user.run();
      const { ino } = statSync(user.file);
      chmodSync(join(dirname(user.file), place), 0o777);
      expect(await user.run()).toMatchObject({ exitCode: 0, stdout, cached: [] });
      expect(statSync(user.file).ino).toBe(ino);
    },
  );

  test.skipIf(process.platform === 'win32')('in a file that others can write is not used', async () => {
    using user = new User();
    await user.run();
    chmodSync(user.file, 0o666);
    expect((await user.run()).cached).toEqual([]);
    expect(statSync(user.file).mode & 0o777).toBe(0o600);
  });

  test('is not kept where it cannot be', async () => {
    using user = new User();
    const { stdout } = await user.run();
    const places = [user.file, ...(process.platform === 'linux' ? ['/proc'] : [])];
    for (const XDG_CACHE_HOME of places) {
      const ran = await user.run('config', { XDG_CACHE_HOME });
      expect(ran).toMatchObject({ exitCode: 0, stdout, cached: [] });
      expect(ran.stderr).toMatch(/^FILES .*$/);
    }
  });

  test('is not kept with NODE_DISABLE_COMPILE_CACHE, nor for a mistyped command', async () => {
    using user = new User();
    expect(await user.run('config', { NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject({ exitCode: 0 });
    expect(await user.run('confg')).toMatchObject({ exitCode: 2 });
    expect(existsSync(user.cacheHome)).toBe(false);
  });

  test('is in the home directory without XDG_CACHE_HOME, or where that is relative', async () => {
    using user = new User();
    await user.run();
    const home = user.cacheHome;
    for (const XDG_CACHE_HOME of ['', 'cache']) {
      await user.run('config', { HOME: home, XDG_CACHE_HOME });
      const place = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
      expect(existsSync(join(home, place, 'pix-sandbox'))).toBe(process.platform !== 'darwin');
    }
  });

  test('says in the same places where a bug is', async () => {
    using user = new User();
    const bug = async (env = {}) => {
      const { exitCode, stderr } = await user.run('config', env, 'breaking.cjs');
      return { exitCode, stack: stderr.split('\n').filter((line) => line.includes('dist')) };
    };
    const uncached = await bug({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(uncached.exitCode).toBe(70);
    expect(uncached.stack).not.toEqual([]);
    expect(await bug()).toEqual(uncached);
    expect(await bug()).toEqual(uncached);
  });

  test('of a sandbox is kept while it runs, so also of one that gets killed', async () => {
    using project = new Project();
    using user = new User();
    await using sandbox = await project.start([], { env: { XDG_CACHE_HOME: user.cacheHome } });
    await vi.waitFor(
      () => expect(user.folders.map((path) => readdirSync(path))).toEqual([['start']]),
      60_000,
    );
    expect(sandbox.url).toMatch(/^http/);
  });
});
