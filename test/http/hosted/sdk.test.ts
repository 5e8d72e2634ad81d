import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import { RawConnection } from '../../helpers/http/http-raw.js';

let server: SandboxServer;

beforeAll(async () => {
  server = await startServer({ port: 0, origins: ['https://shop.example'] });
});

afterAll(async () => {
  await server.close(0);
});

async function ask(start: string, lines: readonly string[] = [], body = '') {
  await using connection = new RawConnection(server.port);
  return await connection.request([`${start} HTTP/1.1`, 'Host: localhost', ...lines], body).response();
}

describe('/sdk.js', () => {
  test.for(['https://shop.example', 'http://localhost:3000', 'http://localhost'])(
    '/sdk.js may be read by %s',
    async (origin) => {
      const { status, headers, text } = await ask('GET /sdk.js', [`Origin: ${origin}`]);
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect(headers.get('vary')).toBe('origin');
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(text).toContain('export function openVerification');
    },
  );

  test('/sdk.js is a module with one export', async () => {
    const { text } = await ask('GET /sdk.js');
    const module = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as object;
    expect(Object.keys(module)).toEqual(['openVerification']);
  });
});

describe('forms', () => {
  const FORM = 'Content-Type: application/x-www-form-urlencoded';
  const post = (target: string, ...lines: string[]) =>
    ask(`POST ${target}`, [FORM, 'Content-Length: 3', ...lines], 'a=b');

  test.for(
    '/session/../_sandbox/reset /session/ /start/ /sdk.js /_sandbox/reset /api/v1/kyc/sessions'.split(' '),
  )('forms are rejected at %s', async (target) => {
    const { status, code } = await post(target);
    expect([status, code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});
