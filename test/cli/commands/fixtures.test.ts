import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as fixtures from '../../../src/cli/commands/fixtures.js';
import { CliError, EXIT } from '../../../src/cli/errors.js';
import { runBody } from '../../helpers/cli-io.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

const FOLDER = join(import.meta.dirname, '../../../fixtures');
const SETTLED = readFileSync(join(FOLDER, 'events/pix.settled.json'), 'utf8');

async function usage(work: Promise<unknown>): Promise<CliError> {
  const error = await rejectionOf(work, CliError);
  expect(error.exitCode).toBe(EXIT.usage);
  return error;
}

interface Written {
  readonly written: string[];
  readonly unchanged: string[];
}

async function exported(cwd: string, options: object = {}): Promise<Written> {
  const { stdout } = await runBody(fixtures.exportAll, {
    cwd,
    args: ['out'],
    json: true,
    options: { ...options },
  });
  return JSON.parse(stdout) as Written;
}

describe('fixtures list', () => {
  test('names every file and what it holds', async () => {
    const { stdout } = await runBody(fixtures.list);
    expect(stdout).toMatch(/^events\/pix\.settled\.json +a payload of pix\.settled +\d+$/m);
    expect(stdout).toMatch(/^signatures\/webhooks-accepted\.json +\d+ vectors +\d+$/m);
    expect(stdout).toMatch(/^signatures\/README\.md +how to use them +\d+$/m);
    expect(stdout).toMatch(/^examples\/shop\/package\.json +an example that runs +\d+$/m);
  });

  test('as JSON', async () => {
    const { stdout } = await runBody(fixtures.list, { json: true });
    const { folder, fixtures: rows } = JSON.parse(stdout) as { folder: string; fixtures: { name: string }[] };
    expect(folder).toBe(FOLDER);
    const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(rows).toHaveLength(files.length);
  });
});

describe('fixtures show', () => {
  test.each(['pix.settled', 'pix.settled.json', 'events/pix.settled', 'events/pix.settled.json'])(
    '%s prints the file as it is',
    async (name) => {
      expect((await runBody(fixtures.show, { args: [name] })).stdout).toBe(SETTLED);
    },
  );

  test('as JSON it is one line: the body as it travels', async () => {
    const { stdout } = await runBody(fixtures.show, { args: ['pix.settled'], json: true });
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(SETTLED))}\n`);
    const readme = await runBody(fixtures.show, { args: ['events/README.md'], json: true });
    expect(JSON.parse(readme.stdout)).toMatchObject({ name: 'events/README.md' });
  });

  test('an unknown or ambiguous name is a usage error that names the close ones', async () => {
    const unknown = await usage(runBody(fixtures.show, { args: ['events/pix.setled.json'] }));
    expect(unknown.message).toBe('There is no fixture events/pix.setled.json.');
    expect(unknown.hint).toContain('Did you mean events/pix.settled.json?');
    const ambiguous = await usage(runBody(fixtures.show, { args: ['README.md'] }));
    expect(ambiguous.hint).toMatch(/events\/README\.md .*signatures\/README\.md/);
  });
});

describe('fixtures export', () => {
  test('writes every file once', async () => {
    using folder = tempFolder();
    const first = await exported(folder.path);
    expect(first.written).toContain('events/pix.settled.json');
    expect(first.unchanged).toEqual([]);
    const changed = first.written.filter(
      (name) => !folder.read(`out/${name}`).equals(readFileSync(join(FOLDER, name))),
    );
    expect(changed).toEqual([]);
    expect(await exported(folder.path)).toEqual({ ...first, written: [], unchanged: first.written });
    const { stdout } = await runBody(fixtures.exportAll, { cwd: folder.path, args: ['out'] });
    expect(stdout).toBe(
      `0 files written to ${join(folder.path, 'out')}; ${first.written.length} were there already.\n`,
    );
  });

  test('overwrites a file with other content only by force, and writes nothing before', async () => {
    using folder = tempFolder();
    const mine = folder.write('out/signatures/README.md', 'mine');
    const error = await usage(runBody(fixtures.exportAll, { cwd: folder.path, args: ['out'] }));
    expect(error.hint).toContain('--force');
    expect(error.details).toEqual([{ field: 'signatures/README.md', message: 'exists with other content' }]);
    expect(folder.read(mine).toString()).toBe('mine');
    expect(readdirSync(join(folder.path, 'out'))).toEqual(['signatures']);
    const { written } = await exported(folder.path, { force: true });
    expect(written).toContain('signatures/README.md');
    expect(folder.read(mine).toString()).toBe(readFileSync(join(FOLDER, 'signatures/README.md'), 'utf8'));
  });

  test('into what is no folder is a usage error', async () => {
    using folder = tempFolder();
    folder.write('out', 'a file');
    const error = await usage(runBody(fixtures.exportAll, { cwd: folder.path, args: ['out'] }));
    expect(error.message).toMatch(/^Cannot write .*: a part of its path is not a folder\.$/);
  });
});
