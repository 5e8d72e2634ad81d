import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { TempFolder } from '../helpers/temp-folder.js';
import { tempFolder } from '../helpers/temp-folder.js';
import { tries } from '../helpers/soak-scale.js';

const ROOT = join(import.meta.dirname, '../..');
/** In the scripts' place: the package is what was built before. */
const PACK = ['pack', '--json', '--ignore-scripts'];

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

function npm(cwd: string, args: readonly string[], home: string) {
  const env = { PATH: process.env.PATH, HOME: home, npm_config_cache: join(home, 'cache') };
  return execa('npm', args, { cwd, env, extendEnv: false });
}

/** What can be imported, with its types. */
const EXPORTED = Object.values(packageJson.exports)
  .flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target).flatMap(Object.values<string>),
  )
  .map((path) => path.replace('./', ''));

/** What else a user may find in the package. The types of the terminal are nobody's business. */
const WANTED = [
  /^(?:README\.md|AGENTS\.md|LICENSE|CHANGELOG\.md|INTERFACE\.md|SECURITY\.md|bin\/(?:sandbox\.js|package\.json)|dist\/cli\.cjs|dist\/NOTICES\.txt)$/,
  /^dist\/(?:cjs\/)?chunks\/[\w-]+\.cjs$/,
  /^dist\/types\/(?!cli\/)[\w/-]+\.d\.c?ts$/,
  /^fixtures\//,
  /^README\.pt-BR\.md$/,
  /^dist\/console\/(?:index\.html|(?:console|icon|guides)-[\w-]+\.(?:js|css|svg|json))$/,
];

/** Of the console's script and style, compressed as a server would, in bytes. */
const MOST_CONSOLE_BYTES = 60 * 1024;

describe('the package', () => {
  let home: TempFolder;
  let packed: Packed;

  beforeAll(async () => {
    home = tempFolder();
    const { stdout } = await npm(ROOT, [...PACK, '--pack-destination', home.path], home.path);
    const [one] = JSON.parse(stdout) as Packed[];
    if (one === undefined) throw new Error(`Expected one package; got ${stdout}`);
    packed = one;
    home.write('user/package.json', '{"name":"user","type":"module"}\n');
    const install = ['install', '--offline', '--no-audit', '--no-fund', join(home.path, packed.filename)];
    await npm(join(home.path, 'user'), install, home.path);
    return () => home[Symbol.dispose]();
  });

  const user = (file: string, args: readonly string[]) =>
    execa(file, args, {
      cwd: join(home.path, 'user'),
      env: { PATH: process.env.PATH, HOME: home.path, npm_config_cache: join(home.path, 'cache') },
      extendEnv: false,
      reject: false,
    });

  test('contains only what a user needs', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(EXPORTED));
    const others = paths.filter((path) => !EXPORTED.includes(path));
    expect(others.filter((path) => !WANTED.some((wanted) => wanted.test(path)))).toEqual([]);
    expect(WANTED.filter((wanted) => !others.some((path) => wanted.test(path)))).toEqual([]);
  });

  test('preserves the names of its classes, which Node prints with errors', async () => {
    const files = ['index', 'testing', 'signing'].map((name) => join(ROOT, `dist/${name}.js`));
    const modules = await Promise.all(files.map((file) => import(file) as Promise<Record<string, unknown>>));
    const classes = modules
      .flatMap((module) => Object.entries(module))
      .filter(([, value]) => String(value).startsWith('class'));
    expect(classes.map(([name]) => name)).toContain('SecretFormatError');
    expect(classes.map(([, value]) => (value as { name: string }).name)).toEqual(
      classes.map(([name]) => name),
    );
  });

  test.each(tries({ part: ['sandbox'], whole: ['pix-sandbox', 'sandbox'] }))(
    'runs as npx %s',
    async (name) => {
      const ran = await user(join(home.path, 'user/node_modules/.bin', name), ['--version']);
      expect(ran).toMatchObject({ exitCode: 0, stdout: packageJson.version });
      const bad = await user('npx', ['--offline', '--no-install', name, 'nope']);
      expect(bad).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`npx ${name} --help`) });
    },
  );

  test('finds its fixtures', async () => {
    const bin = join(home.path, 'user/node_modules/pix-sandbox/bin/sandbox.js');
    const { stdout } = await user(process.execPath, [bin, 'fixtures', 'show', 'pix.settled']);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'pix.settled' });
  });

  test('serves its small console from the installed package', async () => {
    home.write(
      'user/console.js',
      `import { createSandbox } from 'pix-sandbox';
      import { once } from 'node:events';
      import { get } from 'node:http';
      import { text } from 'node:stream/consumers';
      import { gzipSync } from 'node:zlib';
      const sandbox = await createSandbox({ port: 0 });
      // Node's fetch would say that it is no navigation.
      const [answer] = await once(get(sandbox.url + '/charges', { headers: { accept: 'text/html' } }), 'response');
      const page = await text(answer);
      const names = page.match(/\\/console\\/[^"]+/g);
      const files = await Promise.all(names.map(async (name) => fetch(sandbox.url + name)));
      const bodies = await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer())));
      await sandbox.close();
      console.log(JSON.stringify({
        files: files.map((file) => [file.status, file.headers.get('content-type')]),
        bytes: bodies.reduce((sum, body) => sum + gzipSync(body).byteLength, 0),
      }));`,
    );
    const { stdout, stderr } = await user(process.execPath, ['console.js']);
    expect(stderr).toBe('');
    const { files, bytes } = JSON.parse(stdout) as { files: unknown; bytes: number };
    expect(files).toEqual([
      [200, 'image/svg+xml; charset=utf-8'],
      [200, 'text/css; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
    ]);
    expect(bytes).toBeLessThan(MOST_CONSOLE_BYTES);
  });

  test('exports the same to require and import', async () => {
    home.write(
      'user/both.cjs',
      `const names = ['pix-sandbox', 'pix-sandbox/testing', 'pix-sandbox/signing'];
      Promise.all(names.map((name) => import(name))).then(async (imported) => {
        const required = names.map((name) => require(name));
        const sandbox = await required[0].createSandbox({ port: false });
        const refused = await sandbox.charges.get('order-1').catch((error) => error);
        await sandbox.close();
        let thrown;
        try { required[1].createReceiver({ secret: '' }); } catch (error) { thrown = error; }
        console.log(JSON.stringify({
          isOne: [0, 1].flatMap((at) => Object.keys(required[at]).map((key) => required[at][key] === imported[at][key])),
          errors: [refused instanceof imported[0].SandboxError, refused.code, thrown instanceof imported[2].SecretFormatError],
        }));
      });`,
    );
    const { stdout, stderr } = await user(process.execPath, ['both.cjs']);
    expect({ ...(JSON.parse(stdout) as object), stderr }).toEqual({
      isOne: [true, true, true, true, true, true, true, true],
      errors: [true, 'NOT_FOUND', true],
      stderr: '',
    });
  });

  test('registers its matchers in Jest and in Vitest with one line', async () => {
    const runner = (name: string, type: string, text: string) => {
      home.write(`user/node_modules/${name}/package.json`, JSON.stringify({ name, type, main: 'index.js' }));
      home.write(`user/node_modules/${name}/index.js`, text);
    };
    const expectation = `{ extend: (matchers) => console.log(Object.keys(matchers).length, 'matchers') }`;
    runner('@jest/globals', 'commonjs', `exports.expect = ${expectation};`);
    runner('vitest', 'module', `export const expect = ${expectation};`);
    home.write('user/jest.cjs', "require('pix-sandbox/testing/jest');");
    home.write('user/runners.js', "import 'pix-sandbox/testing/jest';\nimport 'pix-sandbox/testing/vitest';");
    for (const [file, registered] of [
      ['jest.cjs', 1],
      ['runners.js', 2],
    ] as const) {
      const { stdout, stderr } = await user(process.execPath, [file]);
      expect({ stdout, stderr }).toEqual({
        stdout: Array(registered).fill('3 matchers').join('\n'),
        stderr: '',
      });
    }
  });
});

test('the library has no import(), which Jest rejects, and requires each of its files immediately', () => {
  const names = readdirSync(join(ROOT, 'dist/cjs'), { recursive: true, encoding: 'utf8' });
  const texts = names
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => readFileSync(join(ROOT, 'dist/cjs', name), 'utf8'));
  for (const text of texts) expect(text).not.toMatch(/\bimport\s*\(|then\(\s*\(\)\s*=>\s*\w*\(?require\(/);
});

test('signing loads only node:crypto', () => {
  const bundle = readFileSync(join(ROOT, 'dist/cjs/signing.cjs'), 'utf8');
  const imported = Array.from(
    bundle.matchAll(/\bfrom\s*"([^"]+)"|\b(?:import|require)\(\s*["'`]([^"'`]+)/g),
    (match) => match[1] ?? match[2],
  );
  expect(new Set(imported)).toEqual(new Set(['node:crypto']));
});

test('script and style of the console are at most 60 KiB compressed', () => {
  const folder = join(ROOT, 'dist/console');
  const files = readdirSync(folder).filter((name) => /^console-.*\.(?:js|css)$/.test(name));
  expect(files).toHaveLength(2);
  const sizes = files.map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(60 * 1024);
});
