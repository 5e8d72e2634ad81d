import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveConfiguredOptions } from '../../../src/cli/program/configured-options.js';
import { CliError } from '../../../src/cli/program/errors.js';
import type { ConfiguredCommand } from '../../../src/config/settings.js';
import { fakeIo } from '../../helpers/cli/cli-io.js';
import type { TempFolder } from '../../helpers/temp-folder.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { thrownBy } from '../../helpers/thrown-by.js';

interface Situation {
  readonly command?: ConfiguredCommand;
  readonly given?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly project?: object;
}

function configured(folder: TempFolder, { command = 'start', given = {}, env, project = {} }: Situation) {
  folder.write('sandbox.config.json', JSON.stringify(project));
  const { io, stderr } = fakeIo({ cwd: folder.path, env });
  return { ...resolveConfiguredOptions(command, given, io), stderr };
}

test('reads options without flags from the environment and the files, and marks their source', () => {
  using folder = tempFolder();
  const { options, origins, stderr } = configured(folder, {
    given: { port: '1', json: true },
    env: { SANDBOX_SEED: 'x', SANDBOX_PORT: '2' },
    project: { strict: true, route: { 'https://a.example': '3000' }, retries: 'fast' },
  });
  expect(options).toEqual({
    port: '1',
    json: true,
    seed: 'x',
    strict: true,
    route: ['https://a.example=3000'],
  });
  const file = join(folder.path, 'sandbox.config.json');
  expect(origins).toEqual(['seed (SANDBOX_SEED)', `route (${file})`, `strict (${file})`]);
  expect(stderr()).toBe('');
});

test('ignores the settings of a switch that is off', () => {
  using folder = tempFolder();
  const project = { tunnelHost: 'https://relay.example' };
  expect(configured(folder, { project }).options).toEqual({});
  expect(configured(folder, { project, given: { tunnel: true } }).options).toEqual({
    tunnel: true,
    ...project,
  });
});

test('start and listen forward to the same setting, with the same options', () => {
  using folder = tempFolder();
  const how = { events: 'pix.*', retries: 'fast', header: ['X-Tenant: a'], concurrency: '2' };
  const project = { forwardTo: ['3000'], ...how, header: 'X-Tenant: a', concurrency: 2 };
  for (const command of ['start', 'listen'] as const) {
    expect(configured(folder, { project, command }).options).toEqual({ forwardTo: ['3000'], ...how });
  }
  const given = { forwardTo: ['5000'] };
  expect(configured(folder, { project, given }).options).toEqual({ ...given, ...how });
  const env = { SANDBOX_FORWARD_TO: '6000/a,b' };
  expect(configured(folder, { project, env }).options).toMatchObject({ forwardTo: ['6000/a,b'] });
  expect(configured(folder, { project: { ...project, forwardTo: undefined } }).options).toEqual({});
});

test('prefers the setting of one command to the general setting, and a flag to both', () => {
  using folder = tempFolder();
  const project = { forwardTo: '3000', 'check.forwardTo': '4000', 'explore.forwardTo': [] };
  const targetOf = (command: ConfiguredCommand, given = {}) =>
    configured(folder, { project, command, given }).options['forwardTo'];
  expect(targetOf('start')).toEqual(['3000']);
  expect(targetOf('check')).toEqual(['4000']);
  expect(targetOf('explore')).toEqual([]);
  expect(targetOf('check', { forwardTo: ['5000'] })).toEqual(['5000']);
});

test('rejects issues together, with suggestions', () => {
  using folder = tempFolder();
  const error = thrownBy(
    () =>
      configured(folder, { project: { prot: 1, 'allow-host': 'a', zzz: 1 }, env: { SANDBOX_STRICT: '?' } }),
    CliError,
  );
  const file = join(folder.path, 'sandbox.config.json');
  expect(error).toMatchObject({
    exitCode: 2,
    code: 'CONFIG_INVALID',
    message: 'The configuration contains 4 errors.',
    details: [
      { field: 'SANDBOX_STRICT', message: 'must be true or false; got "?".' },
      { field: `${file}:1:2 prot`, message: 'is not a setting. Did you mean port?' },
      { field: `${file}:1:11 allow-host`, message: 'is not a setting. Did you mean allowHost?' },
      { field: `${file}:1:28 zzz`, message: 'is not a setting.' },
    ],
  });
  expect(error.hint).toMatch(/^Settings: port, host, seed, /);
});

test('a key with control characters changes nothing on the terminal', () => {
  using folder = tempFolder();
  const { details } = thrownBy(() => configured(folder, { project: { '\u001b[2J\nok': 1 } }), CliError);
  expect(JSON.stringify(details)).not.toMatch(/\\u001b|\\n/);
});

describe('a name in the environment', () => {
  test.each([
    ['SANDBOX_PROT', 'SANDBOX_PORT'],
    ['SANDBOX_SEEED', 'SANDBOX_SEED'],
    ['SANDBOX_ALLOW_LOCAL_ENPOINT', 'SANDBOX_ALLOW_LOCAL_ENDPOINTS'],
    ['SANDBOX_FORWARD-T0', 'SANDBOX_FORWARD_TO'],
  ])('suggests for %s the name %s', (name, meant) => {
    using folder = tempFolder();
    const { stderr } = configured(folder, { env: { [name]: 'x' } });
    expect(stderr()).toBe(`warning ${name} is not a setting. Did you mean ${meant}?\n`);
  });

  test.each(['SANDBOX_TEST', 'SANDBOX_ROOT', 'SANDBOX_TOKEN', 'SANDBOX_CONTROL_TOKEN', 'SANDBOX_', 'PORT'])(
    '%s belongs to another program',
    (name) => {
      using folder = tempFolder();
      expect(configured(folder, { env: { [name]: 'x' } }).stderr()).toBe('');
    },
  );
});
