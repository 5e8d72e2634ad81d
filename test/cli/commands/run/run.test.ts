import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CliError, EXIT_CODES } from '../../../../src/cli/program/errors.js';
import { commandNamed, fakeIo, runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox, worldOf } from '../../../helpers/cli/cli-sandbox.js';
import { BUILT_INS } from '../../../helpers/scenario/scenarios.js';
import { tempFolder } from '../../../helpers/temp-folder.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const FAILING = JSON.stringify({
  name: 'broken\u001b[31m',
  steps: [
    { trigger: 'pix.settled' },
    { expect: { events: ['pix.failed'] }, note: 'Paid.' },
    { advance: '1h' },
  ],
});

async function errorOf(work: Promise<unknown>): Promise<CliError> {
  return rejectionOf(work, CliError);
}

describe('run', () => {
  test('runs built-in scenarios, each in a fresh sandbox, and says so on stderr', async () => {
    const { stdout, stderr, exitCode } = await runBody('run', { args: ['paid', 'rotation'] });
    expect(stdout).toMatch(/^passed {2}paid {2}\d+ ms\npassed {2}rotation {2}\d+ ms\n2 passed\.\n$/);
    expect(stderr).toBe('Running each scenario in a new sandbox.\n');
    expect(exitCode).toBe(EXIT_CODES.done);
  });

  test('reports failures to GitHub', async () => {
    using folder = tempFolder();
    const failing = '{ "steps": [\n  { "trigger": "pix.settled" },\n\n  { "expect": { "events": [] } }\n] }';
    mkdirSync(join(folder.path, 'checks, all'));
    folder.write('checks, all/a.json', failing);
    folder.write('wrong.json', '{\n  "steps": [ { "expect": { "event": [] } } ]\n}');
    const annotations = async (workspace: string, args: readonly string[], stdin?: string) => {
      const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace, XDG_STATE_HOME: folder.path };
      const { io, stderr } = fakeIo({ cwd: join(folder.path, 'checks, all'), env, ...(stdin && { stdin }) });
      await (await commandNamed('run')).invoke({ io, args, given: {} }).catch(() => undefined);
      return stderr().match(/^::error .*$/gm);
    };
    const message = 'title=pix-sandbox scenario::a, step 2 (expect events): events';
    expect(await annotations(folder.path, ['a.json', 'paid'])).toEqual([
      expect.stringContaining(`::error file=checks%2C all/a.json,line=4,${message}`),
    ]);
    expect(await annotations('', ['./a.json'])).toEqual([
      expect.stringContaining(`::error file=a.json,line=4,${message}`),
    ]);
    expect(await annotations('/elsewhere', ['a.json'])).toEqual([
      expect.stringContaining(`::error file=${folder.path}/checks%2C all/a.json,line=4,${message}`),
    ]);
    expect(await annotations(folder.path, ['-'], failing)).toEqual([
      expect.stringContaining('::error title=pix-sandbox scenario::-, step 2'),
    ]);
    expect(await annotations(folder.path, ['../wrong.json'])).toEqual([
      expect.stringMatching(
        /^::error file=wrong\.json,line=2,title=pix-sandbox scenario::.*Did you mean events/,
      ),
    ]);
  });

  test('writes JUnit XML', async () => {
    using folder = tempFolder();
    folder.write('a.json', FAILING);
    await runBody('run', { cwd: folder.path, args: ['a.json', 'failed'], options: { junit: 'report.xml' } });
    const xml = folder.read('report.xml').toString();
    expect(xml).toContain('<testsuite name="pix-sandbox scenarios" tests="2" failures="1"');
    expect(xml).toContain('<testcase name="broken[31m" classname="a.json"');
    const error = await errorOf(
      runBody('run', { cwd: folder.path, args: ['paid'], options: { junit: 'no/report.xml' } }),
    );
    expect(error).toMatchObject({
      exitCode: EXIT_CODES.usage,
      message: 'Cannot write no/report.xml: there is no such file.',
    });
  });

  test('ends at a signal', async () => {
    const { io, stop, stdout } = fakeIo();
    stop();
    const { invoke } = await commandNamed('run');
    await expect(invoke({ io, args: ['paid'], given: {} })).rejects.toThrow('aborted');
    expect(stdout()).toBe('');
  });
});

describe('run --list', () => {
  test('shows the built-in scenarios, one per line', async () => {
    const { stdout } = await runBody('run', { options: { list: true } });
    expect(stdout.trimEnd().split('\n')).toHaveLength(BUILT_INS.size + 1);
    expect(stdout).toMatch(/^paid-late +A charge expires and is paid/m);
    const json = await runBody('run', { options: { list: true }, json: true });
    const { scenarios } = JSON.parse(json.stdout) as { scenarios: { file: string }[] };
    expect(scenarios.every(({ file }) => existsSync(file))).toBe(true);
    expect(scenarios).toHaveLength(BUILT_INS.size);
  });
});

describe('a run against a running sandbox', () => {
  test('leaves it unchanged with --fresh', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('run', { args: ['paid'], options: { fresh: true } });
    expect(worldOf(sandbox).charges.rows).toEqual([]);
  });

  test('works with a control token', async () => {
    await using sandbox = await cliSandbox({ controlToken: 'secret-token' });
    const env = { SANDBOX_URL: sandbox.server.url, SANDBOX_CONTROL_TOKEN: 'secret-token' };
    const { exitCode, stdout } = await runBody('run', { args: ['paid'], env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('1 passed.') });
  });
});

test('run --forward-to passes to the application what the receiver accepts', async () => {
  const types: string[] = [];
  const app = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      types.push((JSON.parse(Buffer.concat(chunks).toString()) as { type: string }).type);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const target = `127.0.0.1:${(app.address() as AddressInfo).port}/hooks`;
  const { exitCode } = await runBody('run', { args: ['paid-late'], options: { forwardTo: target } });
  app.closeAllConnections();
  await new Promise((resolve) => app.close(resolve));
  expect({ exitCode, types }).toEqual({ exitCode: EXIT_CODES.done, types: ['pix.expired', 'pix.settled'] });
});

describe('run --record', () => {
  test('writes a scenario of the history, which passes on a fresh sandbox', async () => {
    await using sandbox = await cliSandbox();
    using folder = tempFolder();
    await sandbox.run('run', { args: ['paid', 'withdrawal-returned', 'identity-approved'] });
    const { stdout, stderr } = await sandbox.run('run', {
      cwd: folder.path,
      options: { record: 'made.json' },
    });
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^\d+ steps written to made\.json\.\n$/),
      stderr: '',
    });
    const again = await runBody('run', { cwd: folder.path, args: ['made.json'] });
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 passed.') });
  });

  test('overwrites nothing without --force', async () => {
    await using sandbox = await cliSandbox();
    using folder = tempFolder();
    folder.write('made.json', 'mine');
    const record = (options: object) =>
      sandbox.runJson('run', { cwd: folder.path, options: { record: 'made.json', ...options } });
    expect(await errorOf(record({}))).toMatchObject({ exitCode: EXIT_CODES.usage, code: 'FILE_EXISTS' });
    expect(readFileSync(join(folder.path, 'made.json'), 'utf8')).toBe('mine');
    expect(await record({ force: true })).toMatchObject({
      file: join(folder.path, 'made.json'),
      passes: true,
    });
    expect(readFileSync(join(folder.path, 'made.json'), 'utf8')).toContain('"steps"');
  });

  test('needs a running sandbox, and runs nothing else', async () => {
    using folder = tempFolder();
    const env = { XDG_STATE_HOME: folder.path };
    const none = runBody('run', { cwd: folder.path, env, options: { record: 'made.json' } });
    expect(await errorOf(none)).toMatchObject({ exitCode: EXIT_CODES.notRunning });
    const both = runBody('run', { cwd: folder.path, args: ['paid'], options: { record: 'made.json' } });
    expect(await errorOf(both)).toMatchObject({ exitCode: EXIT_CODES.usage });
  });
});
