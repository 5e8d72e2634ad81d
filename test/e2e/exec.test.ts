import { join } from 'node:path';
import { execa } from 'execa';
import type { Options } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import { isRunning } from '../../src/client/is-running.js';
import { freePort } from '../helpers/free-port.js';
import { tempFolder } from '../helpers/temp-folder.js';

const BIN = process.env.SANDBOX_BIN ?? join(import.meta.dirname, '../../bin/sandbox.js');
const NODE = process.execPath;

/** Runs `sandbox exec` with these words, and kills it when the test takes too long. */
function exec(words: readonly string[], options: Options = {}) {
  return execa(NODE, [BIN, 'exec', ...words], {
    reject: false,
    timeout: 100_000,
    killSignal: 'SIGKILL',
    stdin: 'ignore',
    ...options,
    encoding: 'utf8',
    env: { NO_COLOR: '1', GITHUB_ACTIONS: '', ...options.env },
  });
}

/** Whether a process is gone; a zombie that nobody has reaped is, too. */
async function gone(pid: number): Promise<boolean> {
  const { stdout } = await execa('ps', ['-o', 'stat=', '-p', String(pid)], { reject: false });
  return !isRunning({ pid }) || stdout.trim() === '' || stdout.trim().startsWith('Z');
}

/** A program that starts one that ends at no polite signal, says its process id, and does something before and after that. */
const grandparent = ({ before = '', after = '' } = {}) => `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); process.on("SIGINT", () => {}); setInterval(() => {}, 1000); console.log("up")'], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', () => { ${before} console.log(child.pid); ${after} });
`;

// Most of the time they wait.
describe.concurrent('exec', () => {
  test.each([
    ['process.exit(42)', 42],
    ["process.kill(process.pid, 'SIGKILL')", 137],
  ])('exits like its command, which is %s, with %i', async (script, code) => {
    expect((await exec(['--', NODE, '-e', script])).exitCode).toBe(code);
  });

  test('reports a missing command', async () => {
    const { exitCode, stderr } = await exec(['--', 'no-such-command']);
    expect([exitCode, stderr]).toEqual([127, expect.stringContaining('Command no-such-command not found')]);
    expect((await exec([])).exitCode).toBe(2);
    expect((await exec(['--fail-on', 'rain', '--', 'true'])).exitCode).toBe(2);
  });

  test('reports a file that is not executable, even with --json', async () => {
    using folder = tempFolder();
    const place = join(folder.path, folder.write('run.sh', 'echo never'));
    const { exitCode, stderr } = await exec(['--', place]);
    expect([exitCode, stderr]).toEqual([126, expect.stringContaining(`Cannot run ${place}`)]);
    const json = await exec(['--json', '--', place]);
    expect(JSON.parse(String(json.stdout))).toMatchObject({
      exit_code: 126,
      error: { code: 'COMMAND_NOT_STARTED', hint: expect.stringContaining('chmod +x') },
    });
  });

  test('passes its words and environment to the command, with a ready sandbox', async () => {
    const script = `
      fetch(process.env.SANDBOX_URL + '/_sandbox/readyz').then(async (response) => {
        console.log(JSON.stringify([await response.json(), process.argv.slice(1), process.env.MINE, process.env.SANDBOX_TOKEN]));
      });`;
    const run = await exec(['--', NODE, '-e', script, 'a b', '--json'], { env: { MINE: 'kept' } });
    expect(JSON.parse(String(run.stdout))).toMatchObject([
      { ready: true },
      ['a b', '--json'],
      'kept',
      expect.stringMatching(/^pix_test_/),
    ]);
  });

  test('delivers events, drains, and turns observed problems into a failure', async () => {
    // The command leaves at once; its application, which it leaves running, answers only then.
    const app = (status: number) => `
      const { createServer } = require('node:http');
      const left = new Promise((resolve) => process.stdin.resume().once('end', resolve));
      createServer((request, response) => {
        request.resume().on('end', () => left.then(() => response.writeHead(${status}).end()));
      }).listen(process.env.PORT, '127.0.0.1', () => console.log('up'));`;
    const command = (status: number) => `
      const app = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(app(status))}]);
      app.stdout.once('data', async () => {
        await fetch(process.env.SANDBOX_URL + '/_sandbox/trigger', { method: 'POST', body: '{"type":"pix.settled"}', headers: { 'content-type': 'application/json' } });
        process.exit();
      });`;
    const run = async (status: number, env = {}) => {
      const PORT = String(await freePort());
      const words = ['--forward-to', `127.0.0.1:${PORT}`, '--fail-on', 'undelivered,ledger'];
      return exec([...words, '--retries', 'off', '--', NODE, '-e', command(status)], {
        env: { PORT, ...env },
      });
    };
    const good = await run(204);
    expect([good.exitCode, good.stderr]).toEqual([0, expect.stringContaining('204')]);
    const bad = await run(500, { GITHUB_ACTIONS: 'true' });
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toMatch(/undelivered pix.settled of charge-1 is FAILED .*HTTP_STATUS 500/);
    expect(bad.stderr).toContain('::error title=pix-sandbox undelivered::pix.settled');
  });

  test('leaves no grandchild running', async () => {
    const { stdout, exitCode } = await exec(['--', NODE, '-e', grandparent({ after: 'process.exit(3)' })]);
    expect(exitCode).toBe(3);
    expect(await gone(Number(stdout))).toBe(true);
  });

  test('ends everything at SIGTERM', async () => {
    const running = exec(['--', NODE, '-e', grandparent()]);
    const pid = await firstNumber(running);
    running.kill('SIGTERM');
    const { exitCode } = await running;
    expect([exitCode, await gone(pid)]).toEqual([143, true]);
  });

  test('exits with the code of a command that handles a signal', async () => {
    const graceful =
      'process.on("SIGINT", () => process.exit(7)); setInterval(() => {}, 1000); console.log(1);';
    const running = exec(['--', NODE, '-e', graceful]);
    await firstNumber(running);
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(7);
  });

  test.skipIf(process.platform === 'win32')('leaves nothing running when it is killed itself', async () => {
    const running = exec(['--', NODE, '-e', grandparent({ after: 'console.log(process.pid);' })]);
    const pids = (await text(running, /^\d+\n\d+\n/m)).match(/^\d+$/gm) ?? [];
    expect(pids).toHaveLength(2);
    running.kill('SIGKILL');
    expect((await running).signal).toBe('SIGKILL');
    await vi.waitFor(
      async () => expect(await Promise.all(pids.map(Number).map(gone))).toEqual([true, true]),
      {
        timeout: 20_000,
        interval: 100,
      },
    );
  });

  test('kills an unresponsive command at the second Ctrl-C', async () => {
    const stubborn = grandparent({ before: 'process.on("SIGINT", () => console.log("no"));' });
    const running = exec(['--', NODE, '-e', stubborn]);
    const pid = await firstNumber(running);
    running.kill('SIGINT');
    await text(running, 'no');
    running.kill('SIGINT');
    const { exitCode } = await running;
    expect([exitCode, await gone(pid)]).toEqual([130, true]);
  });
});

type Running = ReturnType<typeof exec>;

async function firstNumber(running: Running): Promise<number> {
  return Number(await text(running, /^\d+\n/m));
}

/** Resolves to the output as soon as it holds the text. */
function text({ stdout }: Running, wanted: string | RegExp): Promise<string> {
  let seen = '';
  return new Promise((resolve, reject) => {
    stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      if (typeof wanted === 'string' ? seen.includes(wanted) : wanted.test(seen)) resolve(seen);
    });
    stdout?.on('end', () => reject(new Error(`Expected ${String(wanted)}; got ${seen}`)));
  });
}
