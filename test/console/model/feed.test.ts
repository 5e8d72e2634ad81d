import { expect, onTestFinished, test } from 'vitest';
import type { Transport } from '../../../src/client/control.js';
import { ControlClient, fetchTransport } from '../../../src/client/control.js';
import { createSandbox } from '../../../src/testing/create-sandbox.js';
import { clientOf, openConsole, until } from '../../helpers/console/console.js';
import { fakeTimers } from '../../helpers/fake-timers.js';

test('older entries whose answer is lost are said to be missing, and asked for again', async () => {
  fakeTimers();
  const sandbox = await createSandbox({ port: false, freezeAt: '2026-01-31T12:00:00Z' });
  onTestFinished(() => sandbox.close());
  await clientOf(sandbox).post('trigger', { body: { type: 'pix.settled', count: 100 } });
  const transport = fetchTransport(sandbox.url, (target, init) => sandbox.fetch(target, init));
  let isLost = true;
  const send: Transport['send'] = (sent) => {
    if (isLost && sent.target.includes('before=')) return Promise.reject(new Error('lost'));
    return transport.send(sent);
  };
  const model = openConsole(new ControlClient({ ...transport, send }));
  await model.feed.begin();
  await until('the loss to be said', () => !model.isConnected);
  expect(model.stories.get(1)).toBeUndefined();
  isLost = false;
  await until('the older entries', () => model.stories.get(1) !== undefined);
  expect(model.isConnected).toBe(true);
});

test('what was there before does not make the screen ask again', async () => {
  fakeTimers();
  const sandbox = await createSandbox({ port: false, freezeAt: '2026-01-31T12:00:00Z' });
  onTestFinished(() => sandbox.close());
  await clientOf(sandbox).post('trigger', { body: { type: 'pix.settled', count: 100 } });
  const transport = fetchTransport(sandbox.url, (target, init) => sandbox.fetch(target, init));
  const asked: string[] = [];
  const send: Transport['send'] = (sent) => {
    asked.push(sent.target);
    return transport.send(sent);
  };
  const model = openConsole(new ControlClient({ ...transport, send }));
  await model.feed.begin();
  model.resources.get('agenda');
  await until('all entries', () => model.stories.get(1) !== undefined && !model.resources.isLoading);
  expect(asked.filter((target) => target.includes('/agenda'))).toHaveLength(1);
});
