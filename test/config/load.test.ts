import * as fc from 'fast-check';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings, PROJECT_FILE } from '../../src/config/load.js';
import type { SettingsInput } from '../../src/config/load.js';
import { getEnvironmentName, SETTINGS } from '../../src/config/settings.js';
import { asUser, giveAway, NOT_OWNER } from '../helpers/another-user.js';
import type { TempFolder } from '../helpers/temp-folder.js';
import { tempFolder } from '../helpers/temp-folder.js';

interface Layers {
  readonly given?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly project?: unknown;
  readonly command?: SettingsInput['command'];
}

/** Loads with the files written into the folder; texts are written as they are. */
function load(folder: TempFolder, { given = {}, env = {}, project, command }: Layers) {
  const text = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content));
  if (project !== undefined) folder.write(PROJECT_FILE, text(project));
  const settled = loadSettings({
    env,
    folder: folder.path,
    cwd: join(folder.path, 'within'),
    given,
    command,
  });
  const valueOf = (key: string) => settled.values.find(({ setting }) => setting.key === key);
  return { ...settled, valueOf };
}

/** A mistake as a line, with the folder left out. */
function mistakesOf(folder: TempFolder, layers: Layers): string[] {
  return load(folder, layers).issues.map(({ source, place, key, message }) => {
    const where = place === undefined ? '' : `:${place.line}:${place.column}`;
    return `${source.replace(`${folder.path}/`, '')}${where} ${key ?? ''} ${message}`;
  });
}

describe('precedence of settings', () => {
  /** The layers from the top, each with its own seed. */
  const LAYERS = [
    ['flag', '--seed', { given: { seed: 'flag' } }],
    ['environment', 'SANDBOX_SEED', { env: { SANDBOX_SEED: 'environment' } }],
    ['project', PROJECT_FILE, { project: { seed: 'project' } }],
  ] as const;

  test('uses the highest layer with a value, for every choice of layers', () => {
    fc.assert(
      fc.property(fc.subarray([...LAYERS]), (chosen) => {
        using folder = tempFolder();
        const layers: Layers = Object.assign({}, ...chosen.map(([, , layer]) => layer));
        const seed = load(folder, layers).valueOf('seed');
        const [from = 'default', name = ''] = chosen[0] ?? [];
        expect(seed?.value).toBe(chosen.length === 0 ? undefined : from);
        expect(seed?.source.from).toBe(from);
        expect(seed?.source.name.endsWith(name)).toBe(true);
      }),
    );
  });

  test('replaces the whole value of lower layers', () => {
    using folder = tempFolder();
    const { valueOf } = load(folder, {
      given: { strict: false },
      env: { SANDBOX_ASSUME: 'charge.lifetime=1h' },
      project: { assume: { 'fee.provider_rate': '1' }, strict: true, origin: ['https://a.example'] },
    });
    expect(valueOf('assume')?.value).toEqual(['charge.lifetime=1h']);
    expect(valueOf('strict')?.value).toBe(false);
    expect(valueOf('origin')?.value).toEqual(['https://a.example']);
  });

  test('ignores an empty variable', () => {
    using folder = tempFolder();
    expect(load(folder, { env: { SANDBOX_SEED: '' } }).valueOf('seed')?.source.from).toBe('default');
  });

  test('resolves paths where they are written', () => {
    using folder = tempFolder();
    const data = (layers: Layers) => load(folder, layers).valueOf('data')?.value;
    expect(data({ project: { data: '.sandbox' } })).toBe(join(folder.path, '.sandbox'));
    expect(data({ env: { SANDBOX_DATA: '.sandbox' } })).toBe(join(folder.path, 'within/.sandbox'));
    expect(data({ given: { data: '.sandbox' } })).toBe('.sandbox');
  });

  test('names every setting in the environment', () => {
    const texts: Readonly<Record<string, string>> = {
      count: '7',
      duration: '5s',
      delay: '2.8s~4.6s',
      rate: '100/1m',
      instant: '2026-01-31T12:00:00Z',
      switch: 'true',
      assumptions: 'charge.lifetime=1h',
      routes: 'https://a.example=3000',
      variables: 'PIX_TOKEN=SANDBOX_TOKEN',
    };
    using folder = tempFolder();
    for (const setting of SETTINGS) {
      const text = setting.choices?.[0] ?? texts[setting.kind] ?? 'text';
      const { issues, values } = load(folder, { env: { [getEnvironmentName(setting)]: text } });
      expect(issues).toEqual([]);
      expect(
        values.filter(({ source }) => source.from === 'environment').map(({ setting }) => setting),
      ).toEqual([setting]);
    }
  });

  test('limits a command to its own settings', () => {
    using folder = tempFolder();
    const keys = load(folder, { command: 'listen', project: { seed: 'x', retries: 'fast' } }).values.map(
      ({ setting }) => setting.key,
    );
    expect(keys).toContain('retries');
    expect(keys).not.toContain('seed');
  });
});

describe('configuration issues', () => {
  test('configuration issues are reported together, with their positions', () => {
    using folder = tempFolder();
    const project = '{\n  "prot": 7490,\n  "port": "x", "strict": "yes",\n  "seed": 1,\n  "seed": 2\n}';
    const env = { SANDBOX_RETRIES: 'slow', SANDBOX_PORT: '8000' };
    expect(mistakesOf(folder, { env, project })).toEqual([
      'SANDBOX_RETRIES  must be real, fast, off; got "slow"',
      'sandbox.config.json:2:3 prot is not a setting',
      'sandbox.config.json:3:3 port must be a whole number from 0 to 65535; got "x"',
      'sandbox.config.json:3:16 strict must be true or false; got "yes"',
      'sandbox.config.json:5:3 seed appears twice',
    ]);
  });

  test('configuration issues include a duplicate key at any depth, at its last position', () => {
    using folder = tempFolder();
    const project = '{"port": 1,\n"assume": {"charge.lifetime": "1h",\n"charge.lifetime": "2h"}, "port": 2}';
    expect(mistakesOf(folder, { project })).toEqual([
      'sandbox.config.json:3:1 assume["charge.lifetime"] appears twice',
      'sandbox.config.json:3:27 port appears twice',
    ]);
  });

  test('configuration issues name the invalid item of an object, and its position', () => {
    using folder = tempFolder();
    const project = '{\n"env": {"A": "SANDBOX_URL",\n "PIX-TOKEN": "SANDBOX_TOKEN"},\n "assume": {"a": "b"}}';
    expect(mistakesOf(folder, { project, env: { SANDBOX_ENV: 'A=SANDBOX_UR' } })).toEqual([
      expect.stringContaining('SANDBOX_ENV  has the unknown source "SANDBOX_UR". Did you mean SANDBOX_URL?'),
      expect.stringContaining('sandbox.config.json:3:2 env.PIX-TOKEN has the invalid name "PIX-TOKEN"'),
      'sandbox.config.json:4:13 assume.a cannot be used: Unknown assumption a',
    ]);
  });

  test('configuration issues in the environment count if the setting is used', () => {
    using folder = tempFolder();
    const env = { SANDBOX_TUNNEL_FOR: 'slow' };
    expect(mistakesOf(folder, { env, command: 'listen' })).toEqual([]);
    expect(mistakesOf(folder, { env, command: 'start' })).toHaveLength(1);
  });

  test.each([
    ['', '1:1  is not JSON: expected a value, got the end of the text'],
    ['[]', '1:1  must contain an object, such as {"port": 7490}'],
    ['7', '1:1  must contain an object, such as {"port": 7490}'],
    ['{"__proto__": {"port": 1}}', '1:2 __proto__ is not a setting'],
    ['{"port": 1}\u0000', '1:12  is not JSON: expected the end of the text, got "\\u0000"'],
  ])('configuration issues report %j: %s', (project, mistake) => {
    using folder = tempFolder();
    expect(mistakesOf(folder, { project })).toEqual([`sandbox.config.json:${mistake}`]);
  });

  test('configuration issues include a directory in place of the file', () => {
    using folder = tempFolder();
    mkdirSync(join(folder.path, PROJECT_FILE));
    expect(mistakesOf(folder, {})).toEqual(['sandbox.config.json  is not a file']);
  });

  test('configuration issues do not include a byte order mark or $schema, which editors write', () => {
    using folder = tempFolder();
    const { issues, valueOf } = load(folder, { project: '\ufeff{"$schema": "x", "port": 1}' });
    expect(issues).toEqual([]);
    expect(valueOf('port')?.value).toBe('1');
  });
});

describe('a settings file of another user', () => {
  const loadFrom = (folder: TempFolder, cwd: string) =>
    loadSettings({ env: {}, folder: folder.path, cwd, given: {} });

  test('a settings file of another user is rejected in a parent directory, and read in the current one', () => {
    using folder = tempFolder();
    const path = join(folder.path, folder.write(PROJECT_FILE, '{"port":1}'));
    giveAway(path);
    const { uid } = statSync(path);
    using _ = asUser(NOT_OWNER);
    const { values, issues } = loadFrom(folder, join(folder.path, 'within'));
    const message = `belongs to another user (uid ${uid}): run the command in the file's directory, or change the owner`;
    expect(issues).toEqual([{ source: path, message }]);
    expect(values.filter(({ source }) => source.from !== 'default')).toEqual([]);
    expect(loadFrom(folder, folder.path)).toMatchObject({ issues: [] });
  });
});
