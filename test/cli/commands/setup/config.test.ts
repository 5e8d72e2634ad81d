import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConfigSchema } from '../../../../src/config/values.js';
import { SETTINGS } from '../../../../src/config/settings.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

interface Shown {
  readonly files: readonly { readonly exists: boolean }[];
  readonly settings: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly source: { readonly from: string; readonly name: string | null };
  }[];
}

const SECRET = 'Bearer 0123456789abcdef';

function run(folder: { readonly path: string }, more: Parameters<typeof runBody>[1] = {}) {
  const env = { SANDBOX_STRICT: '1', ...more.env };
  return runBody('config', { cwd: folder.path, ...more, env });
}

function project(content: object) {
  const folder = tempFolder();
  folder.write('sandbox.config.json', JSON.stringify(content));
  return folder;
}

describe('config', () => {
  test('prints each value and its source', async () => {
    using folder = project({ seed: 7, origin: ['https://a.example', 'https://b.example'] });
    const { stdout, stderr } = await run(folder, { options: { port: '8000' } });
    const file = join(folder.path, 'sandbox.config.json');
    const lines = stdout.split('\n').map((line) => line.trimEnd().split(/ {2,}/));
    expect(lines[0]).toEqual(['SETTING', 'VALUE', 'FROM', 'COMMANDS']);
    expect(lines).toContainEqual(['port', '8000', '--port', 'start']);
    expect(lines).toContainEqual(['host', 'loopback', 'default', 'start']);
    expect(lines).toContainEqual(['seed', '7', file, 'start exec explore']);
    expect(lines).toContainEqual(['strict', 'yes', 'SANDBOX_STRICT', 'start exec']);
    expect(lines).toContainEqual([
      'origin',
      'https://a.example, https://b.example',
      file,
      'start exec explore',
    ]);
    expect(lines).toContainEqual(['project file', file]);
    expect(stderr).toBe('');
  });

  test('prints JSON', async () => {
    using folder = project({ seed: 7 });
    const { stdout } = await run(folder, {
      json: true,
      options: { strict: false, route: ['https://a.example=3'] },
    });
    const { files, settings } = JSON.parse(stdout) as Shown;
    expect(settings.map(({ key }) => key)).toEqual(SETTINGS.map(({ key }) => key));
    const shown = Object.fromEntries(
      settings.map(({ key, value, source }) => [key, [value, source.from, source.name]]),
    );
    expect(shown).toMatchObject({
      port: [null, 'default', null],
      seed: ['7', 'project', join(folder.path, 'sandbox.config.json')],
      strict: [false, 'flag', '--strict'],
      route: [['https://a.example=3'], 'flag', '--route'],
    });
    expect(files.map(({ exists }) => exists)).toEqual([true]);
  });

  test.each([true, false])('shortens secrets (JSON: %s)', async (json) => {
    using folder = project({
      header: [`authorization: ${SECRET}`, SECRET],
      forwardTo: ['http://user:0123456789abcdef@localhost:3000/x?token=0123456789abcdef'],
    });
    const { stdout } = await run(folder, { json });
    expect(stdout).not.toContain('0123456789abcdef');
    expect(stdout).toContain('authorization: Bearer 0…ef');
    expect(stdout).toContain('http://…@localhost:3000/x?token=…');
  });

  test('prints the schema with --schema', async () => {
    using folder = project({ wrong: 'settings do not matter' });
    for (const json of [true, false]) {
      const { stdout } = await run(folder, { json, options: { schema: true } });
      expect(JSON.parse(stdout)).toEqual(createConfigSchema());
    }
  });

  test.each([
    [{ port: '99999999' }, '--port must be a number from 0 to 65535; got 99999999.'],
    [{ retries: 'hard' }, 'Unknown --retries value hard.'],
    [{ freeze: 'soon' }, '--freeze must be an instant such as 2026-01-31T12:00:00Z; got soon.'],
  ])('rejects an invalid flag as the command would: %o', async (options, message) => {
    using folder = project({});
    await expect(run(folder, { options })).rejects.toThrow(message);
  });
});
