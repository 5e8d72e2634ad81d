import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createConnections } from '../../src/delivery/connections.js';
import { parseEndpointUrl } from '../../src/delivery/endpoint-url.js';
import { goodCertificate, wrongHostCertificate } from '../helpers/delivery/receiver-certificates.js';
import { startRawReceiver } from '../helpers/delivery/receiver-server.js';
import { testAuthority } from '../helpers/delivery/receivers.js';

const connections = createConnections(testAuthority);
afterEach(() => connections.destroy());

const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];

/** Opens a request to a name that resolves nowhere, pinned to the loopback address. */
function open(text: string, kind: 'kept' | 'fresh' = 'kept') {
  const url = parseEndpointUrl(text);
  if (url === null) throw new Error(`Expected a URL, got ${text}`);
  return connections.open({ ok: true, url, target: url, addresses: LOOPBACK }, {}, kind);
}

async function statusOf(request: ReturnType<typeof open>): Promise<number | undefined> {
  const answered = once(request, 'response');
  request.end('{}');
  const [response]: IncomingMessage[] = await answered;
  response?.resume();
  if (response !== undefined) await once(response, 'end');
  return response?.statusCode;
}

describe('a connection', () => {
  test('goes to the checked address and keeps the name for Host and certificate', async () => {
    const hosts: (string | undefined)[] = [];
    await using receiver = await startRawReceiver(
      (socket, _ordinal, request) => {
        hosts.push(/^host: (.*)\r$/im.exec(request.toString('latin1'))?.[1]);
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      },
      { certificate: goodCertificate },
    );
    const { port } = new URL(receiver.url);
    expect(await statusOf(open(`https://shop.sandbox.example:${port}/`))).toBe(204);
    expect(hosts).toEqual([`shop.sandbox.example:${port}`]);
  });

  test('is refused when the certificate of that address is for another name', async () => {
    await using receiver = await startRawReceiver(() => {}, { certificate: wrongHostCertificate });
    const { port } = new URL(receiver.url);
    await expect(statusOf(open(`https://shop.sandbox.example:${port}/`))).rejects.toThrow(/altnames/);
    expect(receiver.requests()).toBe(0);
  });

  test('is used again, the last one first', async () => {
    const asked: Socket[] = [];
    await using receiver = await startRawReceiver((socket) => {
      asked.push(socket);
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const url = `http://shop.example:${new URL(receiver.url).port}/`;
    await Promise.all([statusOf(open(url)), statusOf(open(url))]);
    for (let more = 0; more < 3; more += 1) await statusOf(open(url));
    expect(asked.slice(2).every((socket) => socket === asked[1])).toBe(true);
    expect(receiver.connections()).toBe(2);
  });

  test.each([
    ['timeout=1', 2],
    ['timeout=5, max=100', 1],
  ])('whose receiver says keep-alive: %s: two requests take %i', async (hint, connected) => {
    await using receiver = await startRawReceiver((socket) =>
      socket.write(`HTTP/1.1 204 No Content\r\nKeep-Alive: ${hint}\r\n\r\n`),
    );
    const url = `http://shop.example:${new URL(receiver.url).port}/`;
    for (let made = 0; made < 2; made += 1) await statusOf(open(url));
    expect(receiver.connections()).toBe(connected);
  });

  test('that is made for one request is neither taken from nor given to the kept ones', async () => {
    await using receiver = await startRawReceiver((socket) =>
      socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
    );
    const url = `http://shop.example:${new URL(receiver.url).port}/`;
    for (const kind of ['kept', 'fresh', 'kept', 'fresh'] as const) await statusOf(open(url, kind));
    expect(receiver.connections()).toBe(3);
  });
});
