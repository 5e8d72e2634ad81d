import { expect, test } from 'vitest';
import { Usage } from '../../../src/cli/commands/exec/findings.js';
import { testApi } from '../../helpers/http/api-client.js';

test('a command that registers uses the sandbox, and is on the timeline', async () => {
  const api = await testApi();
  const usage = new Usage(api.sandbox);
  const refused = await api.control('POST', 'uses', { command: 'logs' });
  expect([refused.status, usage.isUsed]).toEqual([400, false]);
  const registered = await api.control('POST', 'uses', { command: 'explore' });
  expect([registered.status, registered.body, usage.isUsed]).toEqual([200, { used_by: 'explore' }, true]);
  const { ring } = api.sandbox.timeline;
  expect(ring.get(ring.newest)).toMatchObject({ kind: 'command', title: 'used by explore' });
});
