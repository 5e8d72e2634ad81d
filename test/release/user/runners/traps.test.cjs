// What is different in Jest: fake timers, module registries, errors and data of other realms, and jsdom.
const { createServer } = require('node:http');
const { createSandbox, SandboxError } = require('pix-sandbox');
const { createReceiver } = require('pix-sandbox/testing');

let sandbox;
let receiver;
beforeEach(async () => {
  sandbox = await createSandbox({ seed: '7' });
  receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
  sandbox.forwardTo(receiver);
});
afterEach(async () => {
  jest.useRealTimers();
  await sandbox.close();
  await receiver.close();
});

test('deliveries, waits and the clock work under fake timers', async () => {
  jest.useFakeTimers();
  await sandbox.trigger('pix.settled', { until: 'ended' });
  expect(await receiver.waitFor('pix.settled')).toMatchObject({ type: 'pix.settled' });
  await sandbox.clock.advance('2d');
  await expect(sandbox).toHaveDelivered('pix.settled');
});

test('a sandbox and the matchers recognize the classes of another registry', async () => {
  jest.resetModules();
  const again = require('pix-sandbox/testing').createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
  sandbox.forwardTo(again);
  await sandbox.trigger('pix.settled', { until: 'ended' });
  expect(again).toHaveReceived('pix.settled');
  const other = await require('pix-sandbox').createSandbox({ port: false });
  const refused = await other.charges.get('order-1').catch((error) => error);
  await other.close();
  expect(refused).toBeInstanceOf(SandboxError);
});

test('secrets are rejected with the class of pix-sandbox/signing', () => {
  const { SecretFormatError } = require('pix-sandbox/signing');
  expect(() => createReceiver({ secret: 'whsec_' })).toThrow(SecretFormatError);
});

test('names a URL at which nothing listens', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  sandbox.forwardTo(`http://localhost:${port}/`, { retries: 'off', name: 'away' });
  await sandbox.trigger('pix.settled', { until: 'ended' });
  const [{ id }] = await sandbox.deliveries.list({ status: 'FAILED' });
  const [attempt] = (await sandbox.deliveries.get(id)).attempt_log;
  expect(attempt).toMatchObject({
    error: 'CONNECTION_REFUSED',
    detail: expect.stringContaining('ECONNREFUSED'),
  });
});

test('compares fields of response.json() by their values', async () => {
  const { charges } = sandbox;
  const { id } = await charges.create({ code: 'order-1', amount: '10.00' });
  await charges.settle(id);
  await sandbox.idle();
  const answer = await fetch(`${sandbox.url}/_sandbox/charges/${id}`);
  const { fees } = await answer.json();
  expect(receiver).toHaveReceived('pix.settled', { fees });
});
