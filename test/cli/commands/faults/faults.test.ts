import { expect, test } from 'vitest';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../../src/contract/fault-kinds.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';

test('add knows every fault', async () => {
  await using sandbox = await cliSandbox({ restart: async () => {} });
  for (const [on, words] of [['call', CALL_FAULTS] as const, ['delivery', DELIVERY_FAULTS] as const]) {
    for (const action of Object.keys(words)) {
      await sandbox.run('faults add', { args: [action], options: { on } });
    }
  }
  expect(sandbox.server.sandbox.world.faults.size).toBe(25);
});
