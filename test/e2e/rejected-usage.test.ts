import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../helpers/cli/commands.js';
import { runLine } from '../helpers/cli/cli-line.js';
import type { RunOptions } from '../helpers/e2e/e2e.js';
import { inParallel, Project } from '../helpers/e2e/e2e.js';

interface Refused {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
  readonly exit_code: number;
}

/**
 * Runs a command in this process that must be refused, for people and with `--json`; returns what it said, which is the same
 * in both.
 */
async function refused(project: Project, args: string, exitCode: number, options: RunOptions = {}) {
  const words = args === '' ? [] : args.split(' ');
  const { cwd = project.folder, env } = options;
  const surroundings = { cwd, env: { HOME: project.folder, XDG_STATE_HOME: project.stateHome, ...env } };
  const human = await runLine(words, surroundings);
  const json = await runLine([...words, '--json'], surroundings);
  expect({ args, ...human }).toMatchObject({ exitCode, stdout: '' });
  expect({ args, ...json }).toMatchObject({
    exitCode,
    stderr: '',
    stdout: expect.stringMatching(/^\{[^\n]*\}\n$/),
  });
  expect(human.stderr).not.toContain('\u001b');
  const { error, exit_code } = JSON.parse(json.stdout) as Refused;
  expect(exit_code).toBe(exitCode);
  const [firstLine = ''] = error.message.split('\n');
  expect(human.stderr).toContain(firstLine);
  return { code: error.code, text: human.stderr };
}

test('the built command rejects the same usage', async () => {
  using project = new Project();
  for (const args of ['strat', 'clock advance soon', 'status']) {
    const { code, text } = await refused(project, args, args === 'status' ? 3 : 2);
    const human = await project.run(args.split(' '));
    expect(human).toMatchObject({ stdout: '', stderr: text.trimEnd(), exitCode: args === 'status' ? 3 : 2 });
    const json = await project.run([...args.split(' '), '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code }, exit_code: human.exitCode });
  }
});

describe('usage errors that exit with 2 and suggest a command', () => {
  test.each([
    ['strat', 'Did you mean start?'],
    ['frobnicate', '`npx sandbox --help`'],
    ['clock advence 1h', 'Did you mean advance?'],
    ['status --nope', '`npx sandbox status --help`'],
    ['status now', '`npx sandbox status --help`'],
    ['status --url nonsense', 'http://127.0.0.1:7490'],
    ['charges show', "missing required argument 'id'"],
    ['charges list --status OPEN', 'PENDING, EXPIRED, SETTLED, FAILED'],
    ['trigger', 'pix.settled, pix.failed, pix.expired, withdrawal.settled, withdrawal.failed'],
    ['trigger pix.setled', 'Did you mean pix.settled?'],
    ['trigger withdrawl.faild', 'Did you mean withdrawal.failed?'],
    ['trigger pix.settled --count 0', '--count must be a positive integer; got 0'],
    ['trigger pix.settled --rate fast', '--rate must be a positive integer'],
    ['trigger pix.settled --wait --timeout 5', 'Write 90s, 5m, 2h, 1d'],
    ['trigger pix.settled --override amount', '--override expects path=value or path:=json; got amount'],
    ['listen --forward-to ftp://x', 'an http URL; got ftp://x'],
    ['listen --forward-to 3000 --events pix.setled', 'Did you mean pix.settled?'],
    ['listen --forward-to 3000 --retries slow', 'real, fast, off'],
    ['listen --forward-to 3000 --concurrency 0', '--concurrency must be a number from 1 to 64'],
    ['listen --forward-to 3000 --timeout 5', 'Write 90s, 5m, 2h, 1d'],
    ['listen --forward-to 3000 --simulate 700', '500, timeout, reset, slow:3s, lost or ok'],
    ['listen --forward-to 3000 --duplicate 2', 'a probability above 0 and up to 1'],
    ['listen --forward-to 3000 --header nonsense', "--header must have the form 'Name: value'"],
    ['start --port 99999', 'from 0 to 65535; got 99999'],
    ['start --freeze soon', 'such as 2026-01-31T12:00:00Z; got soon'],
    ['start --assume nope=1', 'charge.lifetime'],
    ['start --route x', 'https://shop.example=http://localhost:3000'],
    ['start --auto-settle 3', 'a larger 99th percentile such as 2.8s~4.6s, or spi'],
    ['start --host 0.0.0.0 --seed 1', 'Remove one of the two options'],
    ['wait', 'ready, idle, delivery'],
    ['wait redy', 'Did you mean ready?'],
    ['clock advance soon', 'Write 90s, 5m, 2h, 1d'],
    ['clock speed fast', 'must be a number above 0; got fast'],
    ['env --format yaml', 'dotenv, json, shell, github'],
    ['endpoints create https://shop.example --events pix.setled', 'Did you mean pix.settled?'],
    ['faults add explode', 'lose-response'],
    ['faults remove', '`npx sandbox faults list`'],
    ['deliveries retry', '--failed'],
    ['kyc decide kyc_1', 'under_review, approved, rejected'],
    ['verify body.json', '--headers FILE'],
    ['sign request POST', "missing required argument 'path-or-url'"],
    ['sign webhook body.json', '--secret whsec_'],
    ['fixtures show nope', 'events/pix.settled.json'],
  ])('rejects %s', async (args, says) => {
    using project = new Project();
    project.write('body.json', '{}');
    const { code, text } = await refused(project, args, 2);
    expect(code).toMatch(/^(?:USAGE|INVALID_REQUEST)$/);
    expect(text).toContain(says);
  });

  test('rejects what the sandbox rejects', async () => {
    using project = new Project();
    await using _sandbox = await project.start();
    for (const [args, says] of [
      ['charges create --amount -1', 'amount'],
      ['charges list --limit 51', '50'],
      ['trigger pix.settled --override data.object.nope=1', 'data.object.amount'],
      ['trigger pix.settled --withdrawal x', 'withdrawal'],
      ['clock freeze 2020-01-01T00:00:00Z', '--freeze to begin at an earlier instant'],
      ['faults add status --status 99', 'status'],
    ] as const) {
      const { text } = await refused(project, args, 2);
      expect(text).toContain(says);
    }
  });
});

test('a rejection exits with 1', async () => {
  using project = new Project();
  await using _sandbox = await project.start(['--allow-local-endpoints']);
  const none = '00000000-0000-4000-8000-00000000000f';
  await project.json(['charges', 'create', '--amount', '10.00', '--code', 'paid']);
  await project.json(['charges', 'settle', 'paid']);
  for (const [args, code] of [
    ['charges show nope', 'NOT_FOUND'],
    ['charges settle paid', 'INVALID_TRANSITION'],
    ['charges create --amount 11.00 --code paid', 'CODE_REUSED'],
    [`deliveries show ${none}`, 'NOT_FOUND'],
    [`endpoints delete ${none}`, 'NOT_FOUND'],
    [`events resend evt_0`, 'NOT_FOUND'],
    ['withdrawals create --amount 99999.00', 'INSUFFICIENT_BALANCE'],
    ['endpoints create ftp://shop.example', 'ENDPOINT_URL_NOT_ALLOWED'],
    ['kyc show kyc_0', 'NOT_FOUND'],
    ['calls show req_0', 'NOT_FOUND'],
  ] as const) {
    expect(await refused(project, args, 1)).toMatchObject({ code });
  }
});

/** Arguments for the commands that need some. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  listen: '--forward-to 3000',
  trigger: 'pix.settled',
  wait: 'idle',
  'clock advance': '1h',
  'clock speed': '2',
  'kyc decide': 'kyc_1 approved',
  'faults add': 'reset',
  'incident start': 'api-down',
  'faults remove': '--all',
  'deliveries retry': '00000000-0000-4000-8000-00000000000f',
};
/** Those that have an answer without a sandbox, or that make one. */
const ALONE =
  /^(?:start|exec|explore|run|check|parity|mcp|assumptions|verify|sign|init|config|completion|doctor|help|fixtures)(?: |$)/;

test('every command that needs a sandbox exits with 3 without one and says how to start it', async () => {
  using project = new Project();
  const needing = COMMANDS.filter(({ name }) => !ALONE.test(name));
  expect(needing.length).toBeGreaterThan(35);
  await inParallel(needing, async ({ name, args }) => {
    const needed = Object.entries(args).filter(([word, { form }]) => form === 'required' || word === 'id');
    const required = needed.map(() => 'x');
    const { code, text } = await refused(
      project,
      `${name} ${ARGUMENTS[name] ?? required.join(' ')}`.trim(),
      3,
    );
    expect(code).toBe('NOT_RUNNING');
    expect(text).toContain('npx sandbox start');
  });
});

test('a timeout exits with 4', async () => {
  using project = new Project();
  expect(await refused(project, 'wait ready --timeout 50ms', 4)).toMatchObject({ code: 'TIMED_OUT' });
  await using _sandbox = await project.start(['--allow-local-endpoints', '--freeze', '2026-01-31T12:00:00Z']);
  expect(await refused(project, 'wait delivery --timeout 50ms', 4)).toMatchObject({ code: 'TIMED_OUT' });
  await project.json(['endpoints', 'create', 'http://127.0.0.1:1/']);
  const pending = await project.run(['trigger', 'pix.settled', '--wait', '--timeout', '50ms']);
  expect(pending.exitCode).toBe(4);
  expect(pending.stdout).toContain('  PENDING  ');
  expect(pending.stderr).toContain('`npx sandbox clock advance 45h`');
});
