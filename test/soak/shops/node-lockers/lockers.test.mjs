import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, Lockers } from './lockers.mjs';

const PORT = Number(process.env.PORT ?? 3000);
const lockers = new Lockers();
const server = createApp(lockers);

before(async () => {
  server.listen(PORT, '127.0.0.1');
  await once(server, 'listening');
});
after(() => {
  server.close();
  server.closeAllConnections();
});

async function rent(code, amount) {
  const response = await fetch(`http://127.0.0.1:${PORT}/rentals/${code}`, {
    method: 'PUT',
    body: JSON.stringify({ amount }),
  });
  assert.equal(response.status, 201, await response.text());
}

async function sandbox(method, path) {
  const response = await fetch(`${process.env.SANDBOX_URL}/_sandbox${path}`, { method });
  assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}

async function waitForStatus(code, status) {
  const deadline = Date.now() + 15_000;
  const current = async () => (await (await fetch(`http://127.0.0.1:${PORT}/rentals/${code}`)).json()).status;
  while ((await current()) !== status) {
    if (Date.now() > deadline) assert.fail(`${code} is ${await current()}, expected ${status}`);
    await sleep(20);
  }
}

test('a payment opens the locker once', async () => {
  await rent('locker-1', '12.50');
  await sandbox('POST', '/charges/locker-1/settle');
  await waitForStatus('locker-1', 'paid');
  await sandbox('GET', '/idle');
  assert.equal(lockers.rentals.get('locker-1').status, 'paid');
  assert.deepEqual(
    lockers.opened.filter((code) => code === 'locker-1'),
    ['locker-1'],
  );
});

test('renting again returns the same charge', async () => {
  await rent('locker-2', '8.00');
  const { qrCode } = lockers.rentals.get('locker-2');
  await rent('locker-2', '8.00');
  assert.equal(lockers.rentals.get('locker-2').qrCode, qrCode);
});
