import { expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/program/errors.js';
import { cliSandbox, LOCAL } from '../../../helpers/cli/cli-sandbox.js';

test('ledger ends with 1 and names the problems when it is not sound', async () => {
  await using sandbox = await cliSandbox(LOCAL);
  const [account] = sandbox.server.sandbox.world.accounts.values();
  if (account !== undefined) account.balanceCents += 1n;
  const { stderr, exitCode } = await sandbox.run('ledger');
  expect(stderr).toContain('transactions add up to 10000.00, the balance is 10000.01');
  expect(exitCode).toBe(EXIT.no);
});
