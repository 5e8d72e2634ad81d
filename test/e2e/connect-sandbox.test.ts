import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';

const ROOT = join(import.meta.dirname, '../..');

/** A test of a user: the receiver is not ready for the first attempt, and the clock of `exec` moves to the second. */
const TEST = `
import assert from 'node:assert/strict';
import { connectSandbox } from 'pix-sandbox';
import { createReceiver, matchers } from 'pix-sandbox/testing';

const sandbox = await connectSandbox();
let isReady = false;
const receiver = createReceiver({
  secret: process.env.SANDBOX_WEBHOOK_SECRET,
  onEvent: () => {
    if (!isReady) throw new Error('not yet');
  },
});
const { fetch } = receiver;
await sandbox.forwardTo({ fetch: (request) => fetch(request).finally(() => (isReady = true)) });
await sandbox.charges.create({ code: 'order-1', amount: '10.00' });
await sandbox.charges.settle('order-1');
const event = await receiver.waitFor('pix.settled');
const delivery = await sandbox.deliveries.waitFor({ type: 'pix.settled', status: 'DELIVERED' });
const { pass, message } = await matchers.toHaveDelivered(sandbox, 'pix.settled', { code: 'order-1', times: 1 });
assert.ok(pass, message());
await sandbox.close();
const { status } = await globalThis.fetch(sandbox.url + '/_sandbox/livez');
console.log(JSON.stringify([event.data.object.amount, delivery.attempts, status]));
`;

function projectWithTest(): Project {
  const project = new Project();
  mkdirSync(join(project.folder, 'node_modules'));
  symlinkSync(ROOT, join(project.folder, 'node_modules/pix-sandbox'), 'dir');
  project.write('order.test.mjs', TEST);
  return project;
}

test('a test under exec uses the API, receives deliveries, and leaves the sandbox running', async () => {
  using project = projectWithTest();
  const options = ['--freeze', '2026-01-31T12:00:00Z', '--fail-on', 'undelivered,ledger'];
  const ran = await project.run(['exec', ...options, '--', process.execPath, 'order.test.mjs']);
  expect(ran).toMatchObject({ exitCode: 0, stderr: 'Deliveries at the end: 1 DELIVERED.' });
  expect(JSON.parse(ran.stdout)).toEqual(['10.00', 2, 200]);
});
