import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { socketTarget } from '../../src/check/send.js';

test('sends a split body in two writes', async () => {
  const chunks: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => chunks.push(chunk.toString('latin1')));
    request.on('end', () => response.end(request.headers['content-length']));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = socketTarget(new URL(`http://127.0.0.1:${port}/`), 5_000);
  try {
    const body = Buffer.from('"São"');
    const { status } = await target.send(
      { method: 'POST', headers: {}, body, splitAt: 3 },
      new AbortController().signal,
    );
    expect([status, chunks]).toEqual([200, ['"S\u00C3', '\u00A3o"']]);
  } finally {
    target.close();
    server.close();
  }
});
