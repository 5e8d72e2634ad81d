import { expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/program/errors.js';
import { cliSandbox, LOCAL } from '../../../helpers/cli/cli-sandbox.js';

test('ledger shows time, what, code, amount and balance', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const { sandbox: world } = sandbox.server;
  world.dispatch({
    type: 'trigger',
    event: 'pix.settled',
    chargeFields: { code: 'order-1', amountCents: 1_000 },
  });
  const shown = await sandbox.run('ledger', { options: { limit: '2' } });
  expect(shown.stdout.split('\n')).toEqual([
    'TIME                  WHAT    CODE     AMOUNT  BALANCE',
    '2026-01-01T00:00:00Z  fee     order-1  -0.50   10009.50',
    '2026-01-01T00:00:00Z  charge  order-1  10.00   10010.00',
    '',
  ]);
  expect(shown.stderr).toMatch(/^older: --after \S+\n$/);
  expect(shown.exitCode).toBe(EXIT.done);
  expect(await sandbox.runJson('ledger')).toMatchObject({ problems: [], data: [{}, {}, {}] });
});

test('ledger ends with 1 and names the problems when it is not sound', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const [account] = sandbox.server.sandbox.world.accounts.values();
  if (account !== undefined) account.balanceCents += 1n;
  const { stderr, exitCode } = await sandbox.run('ledger');
  expect(stderr).toContain('transactions add up to 10000.00, the balance is 10000.01');
  expect(exitCode).toBe(EXIT.no);
});
