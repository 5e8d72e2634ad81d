import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runLine } from '../helpers/cli/cli-line.js';
import type { Ran } from '../helpers/cli/cli-io.js';
import { COMMANDS } from '../helpers/cli/commands.js';
import type { RunningSandbox } from '../helpers/e2e/e2e.js';
import { Project } from '../helpers/e2e/e2e.js';
import { App } from '../helpers/e2e/e2e-app.js';

/** Those that run until they are told to leave. */
const LASTING = ['start', 'listen', 'exec'];
const BODY = '{"type":"pix.settled"}';

interface Stage {
  readonly project: Project;
  readonly sandbox: RunningSandbox;
  readonly app: App;
  /** Runs a command that must succeed, and gives what it printed. */
  readonly run: (args: string, exitCode?: number) => Promise<string>;
}

/** Calls every command that comes to an end, in an order in which all of them succeed. */
async function everyCommand({ project, sandbox, app, run }: Stage): Promise<void> {
  const each = async (group: string, verbs: readonly string[]) => {
    for (const verb of verbs) await run(`${group} ${verb}`);
  };
  const newest = async (what: string) => {
    const { data } = JSON.parse(await run(`${what} list`)) as { data: { id: string }[] };
    return data[0]?.id ?? '';
  };
  for (const args of ['env', 'status', 'agenda', 'ledger', 'assumptions']) await run(args);
  for (const args of ['config', 'completion bash', 'doctor']) await run(args);
  await each('apps', ['list', 'create --name second --organization second', 'add-account second']);
  await each('wait', ['ready', 'idle']);
  for (const verb of ['settle', 'fail', 'expire']) {
    await each('charges', [`create --amount 10.00 --code ${verb}`, `${verb} ${verb}`]);
  }
  for (const verb of ['process', 'settle', 'fail']) {
    await each('withdrawals', [`create --amount 10.00 --code ${verb}`, `${verb} ${verb}`]);
  }
  await each('withdrawals', ['return settle', 'list', 'show settle']);
  await each('charges', ['list', 'show settle']);
  await run('trace expire');
  await run(`endpoints create ${app.url} --events pix.settled`);
  const endpoint = await newest('endpoints');
  await each('endpoints', ['list', `rotate ${endpoint}`, `disable ${endpoint}`, `enable ${endpoint}`]);
  // The application does not know the secret of that endpoint, so it answers 400.
  await run('trigger pix.settled');
  await each('clock', ['show', 'next', 'advance 46h', 'freeze', 'speed 60', 'reset']);
  await run('wait delivery --status FAILED');
  const delivery = await newest('deliveries');
  await each('deliveries', ['list', `show ${delivery}`, `show ${delivery} --curl`, `diff ${delivery}`]);
  await each('deliveries', [`retry ${delivery}`, 'pause', 'resume']);
  const event = await newest('events');
  await each('events', ['list', `show ${event}`, `resend ${event}`]);
  await run(`endpoints delete ${endpoint}`);
  await each('faults', ['list', 'add duplicate --event pix.*', 'list', 'remove --all']);
  await run('kyc create');
  const session = await newest('kyc');
  await each('kyc', ['list', `show ${session}`, `decide ${session} approved`]);
  for (const args of ['calls list', 'logs', 'logs --failed']) await run(args);
  const result = await fetch(`${sandbox.url}/api/v1/kyc/sessions/${session}/result`, {
    headers: { authorization: `Bearer ${sandbox.env('SANDBOX_KYC_TOKEN')}` },
  });
  const call = result.headers.get('x-request-id') ?? '';
  await each('calls', [
    'list',
    `show ${call}`,
    `show ${call} --curl`,
    `replay ${call}`,
    `diff ${call} ${call}`,
  ]);
  await each('sign', ['request POST /api/public/v1/pix body.json', 'webhook body.json']);
  const { headers } = JSON.parse(await run('sign webhook body.json')) as { headers: object };
  project.write('headers.txt', JSON.stringify(headers));
  await run('verify body.json --headers headers.txt');
  await each('fixtures', ['list', 'show pix.settled', 'export out']);
  await run('run paid --fresh');
  await each('state', ['save before', 'list', 'compare before', 'restore before', 'drop before']);
  await run('check --list');
  await run('explore --pairs 0 true', 1);
  await each('state', ['save before', 'list', 'restore before', 'drop before']);
  await each('state', ['export world.json', 'import world.json']);
  for (const args of ['help trigger', 'init --yes']) await run(args);
  await run('reset');
  await run('stop');
}

/** One object, or a line for each of several after one that says that it is ready. */
function isJson(text: string): boolean {
  const lines = text.split('\n');
  return (
    lines.every(isJsonObject) && (lines.length === 1 || lines[0]?.startsWith('{"type":"ready"') === true)
  );
}

function isJsonObject(text: string): boolean {
  return /^\{.*\}$/.test(text) && typeof JSON.parse(text) === 'object';
}

/** What each prints for people is looked at by commands.test.ts. */
describe('every command', () => {
  test('answers in JSON on stdout alone and shows no secret that was not asked for', async () => {
    using project = new Project();
    project.write('body.json', BODY);
    await using sandbox = await project.start(['--allow-local-endpoints']);
    await using app = await App.start(sandbox.env('SANDBOX_WEBHOOK_SECRET'));
    const env = { HOME: project.stateHome, XDG_STATE_HOME: project.stateHome };
    const past = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    onTestFinished(() => past.forEach((spy) => spy.mockRestore()));
    const runs: (Ran & { readonly args: string; readonly name: string })[] = [];
    const run = async (args: string, exitCode = 0) => {
      const ran = await runLine([...args.split(' '), '--json'], { cwd: project.folder, env });
      if (ran.exitCode !== exitCode) throw new Error(`sandbox ${args} failed: ${JSON.stringify(ran)}`);
      const name = COMMANDS.find((spec) => `${args} `.startsWith(`${spec.name} `))?.name ?? args;
      runs.push({ args, name, ...ran, stdout: ran.stdout.trimEnd() });
      return ran.stdout;
    };
    await everyCommand({ project, sandbox, app, run });
    await sandbox.ended();
    expect(past.flatMap((spy) => spy.mock.calls)).toEqual([]);

    const called = new Set(runs.map(({ name }) => name));
    expect(COMMANDS.map(({ name }) => name).filter((name) => !called.has(name))).toEqual(LASTING);
    expect(runs.filter(({ stdout, stderr }) => stderr !== '' || !isJson(stdout))).toEqual([]);
    expect(runs.filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes('\u001b'))).toEqual([]);

    const created = runs.find(({ name }) => name === 'endpoints create')?.stdout ?? '';
    const secrets = [
      ...(/whsec_[\w+/=]+/.exec(created) ?? []),
      ...['TOKEN', 'SIGNING_SECRET', 'WEBHOOK_SECRET', 'KYC_TOKEN'].map((name) =>
        sandbox.env(`SANDBOX_${name}`),
      ),
    ];
    const hasSecret = (text: string) => secrets.some((secret) => text.includes(secret));
    expect(secrets).toHaveLength(5);
    expect(runs.filter(({ stdout, stderr }) => hasSecret(stdout + stderr)).map(({ args }) => args)).toEqual([
      'env',
      `endpoints create ${app.url} --events pix.settled`,
    ]);
    const [_ready, ...calls] = sandbox.stdout.text().trimEnd().split('\n');
    // That of the test, and its replay.
    expect(calls).toHaveLength(2);
    expect(calls.filter((call) => hasSecret(call) || /kyc_[0-9a-f]{16}/.test(call))).toEqual([]);
  });
});

describe('colour', () => {
  /** On which streams there is colour when nobody receives an event, which is said on both. */
  const coloured = async (project: Project, env: Record<string, string>, ...more: string[]) => {
    const { stdout, stderr } = await project.run(['trigger', 'pix.settled', ...more], { env });
    expect(stderr).toContain('No endpoint and no listener receives this event.');
    return { stdout: stdout.includes('\u001b'), stderr: stderr.includes('\u001b') };
  };
  const both = { stdout: true, stderr: true };
  const none = { stdout: false, stderr: false };

  test('follows FORCE_COLOR, NO_COLOR and --no-color, and there is none beside JSON', async () => {
    using project = new Project();
    await using _sandbox = await project.start();
    expect(await coloured(project, {})).toEqual(none);
    expect(await coloured(project, { FORCE_COLOR: '1' })).toEqual(both);
    expect(await coloured(project, { FORCE_COLOR: '0' })).toEqual(none);
    expect(await coloured(project, { FORCE_COLOR: '1', NO_COLOR: '1' })).toEqual(none);
    expect(await coloured(project, { FORCE_COLOR: '1' }, '--no-color')).toEqual(none);
    expect(await coloured(project, { FORCE_COLOR: '1' }, '--json')).toEqual(none);
  });
});

describe('width', () => {
  test('every help fits 80 columns', async () => {
    const names = COMMANDS.flatMap(({ name }) => [name, name.split(' ')[0] ?? '']);
    for (const name of ['', ...new Set(names)]) {
      const { stdout, stderr, exitCode } = await runLine(`${name} --help`);
      expect({ name, exitCode, stderr }).toEqual({ name, exitCode: 0, stderr: '' });
      expect(stdout).toMatch(/^NAME$|^Usage/m);
      expect({ name, wide: stdout.split('\n').filter((line) => line.length > 80) }).toEqual({
        name,
        wide: [],
      });
    }
  });

  test('a pipe has no width: nothing in a table is cut', async () => {
    using project = new Project();
    await using _sandbox = await project.start();
    const payer = 'Maria Aparecida do Nascimento Albuquerque e Silva da Conceição';
    await project.json([
      'charges',
      'create',
      '--amount',
      '10.00',
      '--code',
      'c'.repeat(100),
      '--payer-name',
      payer,
    ]);
    const { stdout } = await project.run(['charges', 'list']);
    expect(stdout).toContain('c'.repeat(100));
    expect(stdout).not.toContain('…');
  });
});
