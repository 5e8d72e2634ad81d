import { describe, expect, test } from 'vitest';
import { CliError, EXIT_CODES } from '../../../src/cli/program/errors.js';
import { cliSandbox, LOCAL, register } from '../../helpers/cli/cli-sandbox.js';
import { askedIn, completed } from '../../helpers/cli/fake-prompter.js';
import { freePort } from '../../helpers/free-port.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

async function withCharges(...codes: readonly string[]) {
  const sandbox = await cliSandbox();
  for (const code of codes) await sandbox.run('charges create', { options: { code } });
  return sandbox;
}

describe('moving a payment', () => {
  test('offers matching payments, the newest first', async () => {
    await using sandbox = await withCharges('one', 'two', 'three', 'four');
    await sandbox.run('charges settle', { args: ['two'] });
    await sandbox.run('charges expire', { args: ['one'] });
    const fail = await askedIn(sandbox, 'charges fail', ['three  100.00  PENDING'], {
      options: { reason: 'AC03' },
    });
    expect(fail.asked).toEqual([
      {
        question: 'Which charge do you want to fail?',
        offered: ['four  100.00  PENDING', 'three  100.00  PENDING'],
      },
    ]);
    expect(fail).toMatchObject({
      args: ['three'],
      options: { reason: 'AC03' },
      command: '$ npx sandbox charges fail three --reason AC03',
    });
    const settle = await askedIn(sandbox, 'charges settle', ['one  100.00  EXPIRED']);
    expect(settle.asked[0]?.offered).toHaveLength(3);
    expect(settle.args).toEqual(['one']);
  });

  test.each([
    ['process', ['PENDING']],
    ['settle', ['PROCESSING', 'PENDING']],
    ['fail', ['PENDING', 'PROCESSING']],
    ['return', ['SETTLED']],
  ])('offers withdrawals to %s that are %s', async (verb, states) => {
    await using sandbox = await cliSandbox();
    for (const code of ['new', 'processing', 'settled', 'failed']) {
      await sandbox.run('withdrawals create', { options: { code, amount: '10.00' } });
    }
    await sandbox.run('withdrawals process', { args: ['processing'] });
    await sandbox.run('withdrawals settle', { args: ['settled'] });
    await sandbox.run('withdrawals fail', { args: ['failed'] });
    const codes = { PENDING: 'new', PROCESSING: 'processing', SETTLED: 'settled' };
    const offered = Object.entries(codes)
      .filter(([status]) => states.includes(status))
      .map(([status, code]) => `${code}  10.00  ${status}`);
    const { asked, args } = await askedIn(sandbox, `withdrawals ${verb}`, [offered[0] ?? '']);
    expect(asked[0]?.offered.toSorted()).toEqual(offered.toSorted());
    // What is offered is what the sandbox then takes.
    await sandbox.run(`withdrawals ${verb}`, { args });
  });

  test('accepts another one by name if there are more than shown', async () => {
    await using sandbox = await withCharges(...Array.from({ length: 51 }, (_, index) => `order-${index}`));
    const { asked, args } = await askedIn(sandbox, 'charges settle', ['another one', 'order-0']);
    expect(asked[0]?.offered).toHaveLength(51);
    expect(asked[1]?.question).toBe('Code or id of the charge:');
    expect(args).toEqual(['order-0']);
  });

  test('reports the delivery of its event like `trigger`, with the cause of a failure', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    const moved = async (code: string, verb: string, json = false) => {
      await sandbox.run('charges create', { options: { code } });
      const { stdout, stderr } = await sandbox.run(`charges ${verb}`, { args: [code], json, columns: 80 });
      return { stdout, stderr };
    };
    expect((await moved('order-1', 'settle')).stderr).toContain(
      'No endpoint or listener receives this event.',
    );
    register(sandbox, `http://127.0.0.1:${await freePort()}/hook`);
    const { stdout, stderr } = await moved('order-2', 'settle');
    expect(stdout).toBe('charge order-2 of 100.00 is SETTLED.\n');
    expect(stderr).toMatch(
      /^ {2}PENDING {2}CONNECTION_REFUSED .*\n {4}→ .*\n {4}delivery \S+\n {4}Nothing is listening/,
    );
    expect((await moved('order-3', 'expire')).stderr).toContain('receives only pix.settled');
    expect((await moved('order-4', 'settle', true)).stderr).toBe('');
  });

  test('reports that there is nothing to move', async () => {
    await using sandbox = await withCharges();
    const error = await rejectionOf(askedIn(sandbox, 'charges expire', []), CliError);
    expect(error).toMatchObject({ exitCode: EXIT_CODES.no, code: 'NOTHING_TO_CHOOSE' });
    expect(error.message).toBe('There is no charge to expire: none is PENDING.');
  });
});

describe('a new payment', () => {
  test('a new payment has an amount and, on request, a code', async () => {
    const named = await completed('charges create', ['7.50', 'order-1']);
    expect(named.command).toBe('$ npx sandbox charges create --amount 7.50 --code order-1');
    const unnamed = await completed('withdrawals create', ['the likely one', '']);
    expect(unnamed.command).toBe('$ npx sandbox withdrawals create --amount 10.00');
  });

  test.each([
    [['ten', ''], /must be a decimal number/],
    [['0', ''], /must be above zero/],
    [['1', 'a b'], /printable/],
    [['1', 'x'.repeat(101)], /printable/],
  ])('asks again after %j', async (answers, problem) => {
    await expect(completed('charges create', answers)).rejects.toThrow(problem);
  });
});

test('ledger exits with 1 and names the problems of an unbalanced ledger', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const [account] = sandbox.server.sandbox.world.accounts.values();
  if (account !== undefined) account.balanceCents += 1n;
  const { stderr, exitCode } = await sandbox.run('ledger');
  expect(stderr).toContain('transactions add up to 10000.00, but the balance is 10000.01');
  expect(exitCode).toBe(EXIT_CODES.no);
});
