import assert from 'node:assert/strict';
import test from 'node:test';
import { server } from './donations.mjs';

const port = process.env.PORT || 3000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('a donation counts', async (t) => {
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });

  const url = `http://127.0.0.1:${port}`;
  const response = await fetch(`${url}/donations`, { method: 'POST', body: '{"cents":2500}' });
  assert.equal(response.status, 201);
  const { code } = await response.json();

  const settled = await fetch(`${process.env.SANDBOX_URL}/_sandbox/charges/${code}/settle`, {
    method: 'POST',
  });
  assert.equal(settled.status, 200, `settle: ${await settled.text()}`);

  const total = async () => (await (await fetch(`${url}/total`)).json()).total;
  for (let tries = 0; tries < 500 && (await total()) === 0; tries += 1) await pause(20);
  await fetch(`${process.env.SANDBOX_URL}/_sandbox/idle`);
  assert.equal(await total(), 2500);
});
