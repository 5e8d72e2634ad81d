import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { listenWithin } from '../../../../src/cli/commands/listen/listen.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { cliSandbox, trigger, worldOf } from '../../../helpers/cli/cli-sandbox.js';

test('a listen within another command gives up an answer that does not come, and prints nothing of it', async () => {
  await using sandbox = await cliSandbox();
  const app = createServer(() => {});
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  const forwardTo = [`127.0.0.1:${(app.address() as AddressInfo).port}`];
  const { io, stdout } = fakeIo({ json: true });
  const within = await listenWithin({ by: 'start', io, options: { forwardTo }, server: sandbox.server });
  const came = once(app, 'request');
  trigger(sandbox);
  await came;
  const left = within.leave();
  within.abandon();
  await left;
  expect(stdout().trimEnd().split('\n')).toEqual([expect.stringContaining('"type":"forwarding"')]);
  expect([...worldOf(sandbox).endpoints.values()]).toMatchObject([{ connected: false }]);
  app.close();
  app.closeAllConnections();
});
