import { expect, test } from 'vitest';
import { socketClient } from '../../src/client/socket.js';
import { observe } from '../../src/explore/observe.js';
import { startServer } from '../../src/http/server/start.js';
import { RawConnection } from '../helpers/http/http-raw.js';

test('requests that were refused before they reached their API are not counted, as no fault on calls meets them', async () => {
  const server = await startServer({ port: 0 });
  try {
    const { token } = server.sandbox.credentials;
    for (const host of ['shop.example', 'localhost']) {
      await using connection = new RawConnection(server.port);
      const lines = ['GET /api/public/v1/withdrawals HTTP/1.1', `Host: ${host}`];
      await connection.request([...lines, `Authorization: Bearer ${token}`]).response();
    }
    expect(server.sandbox.calls.newest().map(({ status }) => status)).toEqual([200, 403]);
    const { points } = await observe(socketClient({ url: server.url, token: undefined }), { faults: [] });
    expect(points).toMatchObject([{ method: 'GET', nth: 1 }]);
  } finally {
    await server.close(0);
  }
});
