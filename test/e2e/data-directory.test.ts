import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { BIN, CACHE_HOME, Project, RunningSandbox } from '../helpers/e2e/e2e.js';

interface Status {
  readonly charges: Readonly<Record<string, number>>;
  readonly data: {
    readonly directory: string;
    readonly failure: string | null;
    readonly recovery: string | null;
  };
}

function environmentOf(project: Project) {
  const { folder, stateHome } = project;
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: stateHome, XDG_CACHE_HOME: CACHE_HOME };
  return { cwd: folder, env, extendEnv: false, stdin: 'ignore' } as const;
}

/** Starts a sandbox on the directory `data` of a project through another program, such as a shell. */
async function startThrough(
  project: Project,
  command: readonly [string, ...string[]],
): Promise<RunningSandbox> {
  const [file, ...args] = command;
  const child = execa(file, args, { ...environmentOf(project), reject: false });
  const sandbox = new RunningSandbox(child);
  sandbox.ready = await sandbox.stdout.nextJson<RunningSandbox['ready']>('ready');
  return sandbox;
}

const START = [BIN, 'start', '--json', '--quiet', '--port', '0', '--data', 'data'];

async function createCharge({ url }: RunningSandbox, code: string): Promise<void> {
  const response = await fetch(`${url}/_sandbox/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, amount: '1.00' }),
  });
  expect(response.status).toBe(201);
}

async function statusOf({ url }: RunningSandbox): Promise<Status> {
  return (await (await fetch(`${url}/_sandbox/status`)).json()) as Status;
}

/** A project with a sandbox that keeps one charge in the directory `data`. */
async function startWithCharge(project: Project): Promise<RunningSandbox> {
  const sandbox = await project.start(['--data', 'data', '--quiet']);
  await createCharge(sandbox, 'before');
  expect((await statusOf(sandbox)).data.failure).toBeNull();
  return sandbox;
}

describe('a data directory that disappears while the sandbox runs', () => {
  test('a missing data directory is reported in the terminal, the status and the exit code', async () => {
    using project = new Project();
    const data = join(project.folder, 'data');
    await using sandbox = await startWithCharge(project);
    renameSync(data, `${data}.moved`);
    mkdirSync(data);
    writeFileSync(join(data, 'lock'), 'of somebody else');
    const namesIn = () => readdirSync(project.folder, { recursive: true, encoding: 'utf8' }).sort();
    const before = namesIn();
    await createCharge(sandbox, 'after');
    expect((await statusOf(sandbox)).data.failure).toMatch(/deleted, moved or replaced/);
    await sandbox.stderr.next('Changes from now on are only in memory');
    const { exitCode, stderr, stdout } = await sandbox.leave();
    expect(exitCode).toBe(1);
    expect(stderr).not.toContain('Nothing is lost');
    expect(stdout).toMatch(/"code":"DATA_NOT_SAVED"/);
    expect(namesIn()).toEqual(before);
  });

  test('a missing data directory is reported without any change', async () => {
    using project = new Project();
    await using sandbox = await startWithCharge(project);
    rmSync(join(project.folder, 'data'), { recursive: true });
    await sandbox.stderr.next('deleted, moved or replaced');
    expect((await statusOf(sandbox)).data.failure).not.toBeNull();
    expect((await sandbox.leave()).exitCode).toBe(1);
  });
});

describe('a disk with space again', () => {
  /** Files are limited to so many blocks of 512 bytes until `prlimit` raises the limit. */
  const LIMITED: [string, ...string[]] = [
    'sh',
    '-c',
    `ulimit -S -f 32; exec "$0" "$@"`,
    process.execPath,
    ...START,
  ];
  const CHARGES = Array.from({ length: 100 }, (_, index) => `order-${index}`);
  const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

  test.runIf(hasPrlimit)(
    'receives every change, even from the time without space (needs prlimit of Linux)',
    async () => {
      using project = new Project();
      {
        await using sandbox = await startThrough(project, LIMITED);
        for (const code of CHARGES) await createCharge(sandbox, code);
        await sandbox.stderr.next('Changes from now on are only in memory');
        expect((await statusOf(sandbox)).data.failure).toContain('EFBIG');
        spawnSync('prlimit', ['--pid', String(sandbox.pid), '--fsize=unlimited']);
        await sandbox.stderr.next('All changes have been saved again');
        await createCharge(sandbox, 'last');
        expect((await statusOf(sandbox)).data).toMatchObject({
          failure: null,
          recovery: expect.stringContaining('EFBIG'),
        });
        expect((await project.run(['status'])).stdout).toMatch(
          /^data +in .*data\. All changes have been saved again since .*EFBIG/m,
        );
        sandbox.signal('SIGKILL');
        await sandbox.ended();
      }
      await using again = await project.start(['--data', 'data']);
      expect((await statusOf(again)).charges).toEqual({ PENDING: CHARGES.length + 1 });
    },
  );
});

describe('containers that share a data directory', () => {
  const NAMESPACE = ['--map-root-user', '--pid', '--fork', '--kill-child'] as const;
  const isPermitted = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;
  const startIn = (project: Project, ...options: readonly string[]) =>
    startThrough(project, ['unshare', ...NAMESPACE, ...options, process.execPath, ...START]);

  test
    .runIf(isPermitted)
    .each([['with its own /proc', ['--mount-proc']] as const, ['with the /proc of its host', []] as const])(
    'containers have one owner, and one killed and restarted reacquires it, %s (needs pid namespaces)',
    async (_, options) => {
      using project = new Project();
      {
        await using first = await startIn(project, ...options);
        await createCharge(first, 'before');
        const refused = await execa('unshare', [...NAMESPACE, ...options, process.execPath, ...START], {
          ...environmentOf(project),
          timeout: 60_000,
          reject: false,
        });
        expect(refused.exitCode).toBe(2);
        expect(refused.stdout).toContain('"code":"DATA_NOT_USABLE"');
        await createCharge(first, 'after');
        expect((await statusOf(first)).data.failure).toBeNull();
        first.signal('SIGKILL');
        await first.ended();
      }
      await using again = await startIn(project, ...options);
      expect((await statusOf(again)).charges).toEqual({ PENDING: 2 });
      expect(again.ready.pid).toBe(1);
    },
  );
});
