import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { TempFolder } from '../helpers/temp-folder.js';
import { tempFolder } from '../helpers/temp-folder.js';

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
  .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
  .map((path) => path.replace('./', ''));

/** What else a user may find in the package. The types of the terminal are nobody's business. */
const WANTED = [
  /^(?:README\.md|LICENSE|CHANGELOG\.md|INTERFACE\.md|bin\/sandbox\.js|dist\/cli\.js|dist\/texts\.json|dist\/NOTICES\.txt)$/,
  /^dist\/chunks\/[\w-]+\.js$/,
  /^dist\/types\/(?!cli\/)[\w/-]+\.d\.ts$/,
  /^fixtures\//,
];

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

  test('holds what a user needs and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(EXPORTED));
    const others = paths.filter((path) => !EXPORTED.includes(path));
    expect(others.filter((path) => !WANTED.some((wanted) => wanted.test(path)))).toEqual([]);
    expect(WANTED.filter((wanted) => !others.some((path) => wanted.test(path)))).toEqual([]);
  });

  test('keeps the names of its classes, which Node prints with errors', async () => {
    const files = Object.values(packageJson.exports).flatMap((target) =>
      typeof target === 'string' ? [] : [join(ROOT, target.default)],
    );
    const modules = await Promise.all(files.map((file) => import(file) as Promise<Record<string, unknown>>));
    const classes = modules
      .flatMap((module) => Object.entries(module))
      .filter(([, value]) => String(value).startsWith('class'));
    expect(classes.map(([name]) => name)).toContain('SecretFormatError');
    expect(classes.map(([, value]) => (value as { name: string }).name)).toEqual(
      classes.map(([name]) => name),
    );
  });

  test('depends on nothing', () => {
    expect(packageJson).not.toHaveProperty('dependencies');
    const lock = readFileSync(join(home.path, 'user/package-lock.json'), 'utf8');
    expect(Object.keys((JSON.parse(lock) as { packages: object }).packages)).toEqual([
      '',
      'node_modules/pix-sandbox',
    ]);
  });

  test.each(['pix-sandbox', 'sandbox'])('runs as npx %s', async (name) => {
    const ran = await user('npx', ['--offline', '--no-install', name, '--version']);
    expect(ran).toMatchObject({ exitCode: 0, stdout: packageJson.version });
  });

  test('finds its fixtures', async () => {
    const bin = join(home.path, 'user/node_modules/pix-sandbox/bin/sandbox.js');
    const { stdout } = await user(process.execPath, [bin, 'fixtures', 'show', 'pix.settled']);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'pix.settled' });
  });

  test('signs and verifies from plain node', async () => {
    home.write(
      'user/check.js',
      `import { signWebhook, verifyWebhook } from 'pix-sandbox/signing';
      const secrets = ['whsec_' + Buffer.from('the secret of an endpoint').toString('base64')];
      const body = Buffer.from('{}');
      const headers = signWebhook({ id: 'msg_1', timestampS: 1000, body, secrets });
      const verdict = (nowS) => verifyWebhook({ headers, body, secrets, nowS });
      console.log(verdict(1300).ok, verdict(1301).ok, verdict(1301).cause);`,
    );
    expect(await user(process.execPath, ['check.js'])).toMatchObject({
      stderr: '',
      stdout: 'true false timestamp_too_old',
    });
  });

  test.each(['NodeNext', 'ESNext'])(
    'type-checks in a user’s strict TypeScript (module %s)',
    async (module) => {
      const compilerOptions = {
        module,
        moduleResolution: module === 'NodeNext' ? 'NodeNext' : 'Bundler',
        target: 'ES2022',
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        exactOptionalPropertyTypes: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
      };
      const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'];
      const files = ['check.ts', 'wrong.ts'];
      home.write('user/tsconfig.json', JSON.stringify({ compilerOptions, files }));
      const good = `import { signRequest, verifyWebhook, type WebhookVerdict } from 'pix-sandbox/signing';
      const body = new TextEncoder().encode('{}');
      const secrets = ['whsec_AAAA'];
      const verdict: WebhookVerdict = verifyWebhook({ headers: { 'webhook-id': 'a' }, body, secrets, nowS: 0 });
      export const cause: string = verdict.ok ? String(verdict.ageS) : verdict.cause;
      export const signed: string = signRequest({ method: 'POST', target: '/x', body, secret: 's', timestampS: 0 }).headers['x-signature'];`;
      home.write('user/check.ts', good);
      home.write('user/wrong.ts', good.replace('verdict.ok ? String(verdict.ageS) : ', ''));
      const { stdout } = await user(process.execPath, tsc);
      expect(stdout.match(/^\S+(?=\(\d+,\d+\): error)/gm)).toEqual(['wrong.ts']);
      expect(stdout).toContain("Property 'cause' does not exist");
    },
  );
});

test('the signing library loads node:crypto and nothing else', () => {
  const bundle = readFileSync(new URL('../../dist/signing.js', import.meta.url), 'utf8');
  const imported = Array.from(
    bundle.matchAll(/\bfrom\s*"([^"]+)"|\bimport\(\s*["']([^"']+)/g),
    (match) => match[1] ?? match[2],
  );
  expect(new Set(imported)).toEqual(new Set(['node:crypto']));
});
