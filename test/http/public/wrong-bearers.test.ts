import { expect, test } from 'vitest';
import { testApi } from '../../helpers/http/api-client.js';
import { publicDoors } from '../../helpers/http/public-doors.js';

/** Doubled from 100 ms to 5 s, the delays of so many would take longer than the test may. */
const MANY = 20;
/** An operation of the payments API and one of the identity API. */
const PATHS = ['/api/public/v1/withdrawals', '/api/v1/kyc/sessions/kyc_1/result'];

test('the tunnel responds to every wrong bearer token immediately, so that none holds one of its connections', async () => {
  await using doors = await publicDoors();
  for (let sent = 0; sent < MANY; sent += 1) {
    const { status } = await doors.ask(`GET ${PATHS[sent % 2]}`, ['Authorization: Bearer wrong']);
    expect(status).toBe(401);
  }
}, 10_000);

test('a sandbox that other machines can reach responds to every wrong bearer token immediately', async () => {
  const api = await testApi({ controlToken: 'right' });
  const headers = { authorization: 'Bearer wrong' };
  for (let sent = 0; sent < MANY; sent += 1) {
    const path = [...PATHS, '/_sandbox/status'][sent % 3] ?? '';
    expect((await api.send('GET', path, { sign: false, headers })).status).toBe(401);
  }
}, 10_000);
