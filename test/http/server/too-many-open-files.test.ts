import { expect, test } from 'vitest';
import { createConsoleApp } from '../../../src/http/console/app.js';
import type { FetchHandler } from '../../../src/http/server/serve.js';
import { serve } from '../../../src/http/server/serve.js';
import { RawConnection } from '../../helpers/http/http-raw.js';
import { systemError } from '../../helpers/system-error.js';

const SENTENCE = 'The sandbox cannot handle this request now: this process has too many open files (EMFILE).';

/** Fails once without file descriptors, and then loads. */
function failsOnce<Value>(value: Value): () => Promise<Value> {
  let loads = 0;
  return async () => {
    loads += 1;
    if (loads === 1) throw systemError('EMFILE');
    return value;
  };
}

test('a server whose handler cannot be loaded responds 503 and serves the next request', async () => {
  const load = failsOnce<FetchHandler>(() => new Response('{}', { headers: { 'content-length': '2' } }));
  const served = await serve({ load, guards: { allowedHosts: new Set() }, hosts: ['127.0.0.1'], port: 0 });
  try {
    await using connection = new RawConnection(served.port);
    const lines = ['GET / HTTP/1.1', 'Host: localhost'];
    const refused = await connection.request(lines).response();
    expect([refused.status, refused.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.text).toContain(SENTENCE);
    expect(refused.text).toContain('ulimit -n');
    expect((await connection.request(lines).response()).status).toBe(200);
  } finally {
    await served.close(0);
  }
});

test('a document that cannot be loaded is a 503, and available again afterwards', async () => {
  const app = createConsoleApp(failsOnce({ openapi: '3.1.0' }));
  const refused = await app.request('/openapi.json', {}, {});
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', message: SENTENCE } });
  expect(await (await app.request('/openapi.json', {}, {})).json()).toEqual({ openapi: '3.1.0' });
});
