import { describe, expect, test } from 'vitest';
import { Usage } from '../../../../src/cli/commands/exec/findings.js';
import { failedAttempt } from '../../../../src/delivery/attempt-failure.js';
import { turns } from '../../../helpers/delivery/attempts.js';
import { settle, startSandbox, listenTo } from '../../../helpers/sandbox/sandbox.js';
import { testApi } from '../../../helpers/http/api-client.js';

describe('a sandbox is used', () => {
  test('by a request to the payments or the identity API, even a refused one, and stays so after a reset', async () => {
    for (const path of ['/api/public/v1/pix', '/api/v1/kyc/sessions']) {
      const api = await testApi();
      const usage = new Usage(api.sandbox);
      await api.control('GET', 'status');
      expect(usage.isUsed).toBe(false);
      await api.send('GET', path);
      expect(usage.isUsed).toBe(true);
      api.sandbox.reset();
      expect(usage.isUsed).toBe(true);
    }
  });

  test('by a delivery to which a receiver responds', async () => {
    const sandbox = startSandbox();
    const usage = new Usage(sandbox);
    const listener = listenTo(sandbox, { status: () => undefined });
    settle(sandbox);
    await turns();
    const { attempt_id: id = '' } = listener.received[0] ?? {};
    sandbox.listeners.answer(listener.endpoint.id, id, failedAttempt('CONNECTION_REFUSED', 'ECONNREFUSED'));
    await turns();
    expect(usage.isUsed).toBe(false);
    settle(sandbox);
    await turns();
    listener.answer(listener.received[1], 500);
    await turns();
    expect(usage.isUsed).toBe(true);
  });

  test.each([{ command: 'check' }, { command: 'explore' }, { command: 'trigger', scenario: 'paid' }])(
    'by what registers with it as %j',
    (facts) => {
      const sandbox = startSandbox();
      const usage = new Usage(sandbox);
      sandbox.note({ kind: 'command', id: null, title: '', facts: { command: 'trigger' } });
      expect(usage.isUsed).toBe(false);
      sandbox.note({ kind: 'command', id: null, title: '', facts });
      expect(usage.isUsed).toBe(true);
    },
  );
});
