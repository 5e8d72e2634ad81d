import { describe, expect, onTestFinished, test } from 'vitest';
import type { SandboxServer, ServerOptions } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';

const NAVIGATION = {
  accept: 'text/html,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

async function start(options: ServerOptions = {}): Promise<SandboxServer> {
  const server = await startServer(options);
  onTestFinished(() => server.close(0));
  return server;
}

const ask = ({ fetch, url }: SandboxServer, target: string, init: RequestInit = {}) =>
  fetch(new Request(url + target, init), {});

const ERROR = {
  error: {
    code: 'NOT_FOUND',
    message: expect.any(String) as string,
    request_id: expect.any(String) as string,
    details: [],
  },
};

describe('the console shell', () => {
  test.each(['/', '/?q=status%3A5xx', '/charges', '/deliveries/1', '/setup'])(
    'the console shell is served at %s',
    async (target) => {
      const server = await start();
      const { newest } = server.sandbox.timeline.ring;
      const answer = await ask(server, target, { headers: NAVIGATION });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await answer.text()).toContain('<div id="console">');
      expect(server.sandbox.timeline.ring.newest).toBe(newest);
    },
  );

  test('contains no data and no inline script, and forbids framing', async () => {
    const server = await start({ controlToken: 'a-token-that-nothing-shows' });
    const answer = await ask(server, '/', { headers: NAVIGATION });
    const page = await answer.text();
    for (const value of [...Object.values(server.env), 'a-token-that-nothing-shows', server.instanceId]) {
      expect(page).not.toContain(value);
    }
    expect(page).not.toMatch(/<script(?![^>]* src="\/console\/)|<style|\son\w+=|javascript:|https?:/i);
    const policy = (answer.headers.get('content-security-policy') ?? '').split('; ');
    const rules = ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"];
    expect(policy).toEqual(expect.arrayContaining([...rules, "require-trusted-types-for 'script'"]));
    expect(policy.join()).not.toMatch(/unsafe|\*/);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
  });

  test('the console shell is revalidated by its tag, and then not sent', async () => {
    const server = await start();
    const first = await ask(server, '/', { headers: NAVIGATION });
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{8,}"$/);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await ask(server, '/charges', { headers: { ...NAVIGATION, 'if-none-match': known } });
      expect([known, again.status, await again.text()]).toEqual([known, 304, '']);
      expect(again.headers.get('etag')).toBe(tag);
      expect(again.headers.get('content-security-policy')).not.toBeNull();
    }
    const other = await ask(server, '/', { headers: { ...NAVIGATION, 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });
});

describe('a file of the console', () => {
  const namesOf = async (server: SandboxServer) => {
    const shell = await (await ask(server, '/', { headers: NAVIGATION })).text();
    return [...shell.matchAll(/"(\/console\/[^"]+)"/g)].map(([, name = '']) => name);
  };

  test('a file of the console is cached permanently, because its name changes with its content', async () => {
    const server = await start();
    const names = await namesOf(server);
    expect(new Set(names.map((name) => name.split('.').pop()))).toEqual(new Set(['css', 'js', 'svg']));
    for (const name of names) {
      const answer = await ask(server, name);
      expect([name, answer.status]).toEqual([name, 200]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const head = await ask(server, name, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(String((await answer.arrayBuffer()).byteLength));
    }
  });

  test.each(
    [
      '/console/console.js /console/ /console/constructor /console/..%2f..%2fpackage.json',
      '/console/a/b.js /console/%',
    ].flatMap((line) => line.split(' ')),
  )('a file of the console is rejected in JSON if it is missing: %s', async (target) => {
    const server = await start();
    for (const headers of [{}, NAVIGATION]) {
      const answer = await ask(server, target, { headers });
      expect([target, answer.status]).toEqual([target, 404]);
      expect(await answer.json()).toMatchObject(ERROR);
    }
  });

  test('a file of the console is read-only', async () => {
    const server = await start();
    const [name = ''] = await namesOf(server);
    const answer = await ask(server, name, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a request for / without a browser', () => {
  test('gets an index of the APIs', async () => {
    const answer = await ask(await start(), '/', { headers: { accept: '*/*' } });
    expect(await answer.json()).toMatchObject({
      service: 'PIX sandbox',
      surfaces: { control: '/_sandbox/' },
    });
  });

  test('gets the response of the service itself if configured; a browser still gets the console', async () => {
    const server = await start({ strict: true });
    const answer = await ask(server, '/', { headers: { accept: '*/*' } });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject(ERROR);
    const page = await ask(server, '/', { headers: NAVIGATION });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const head = await ask(server, '/charges', { method: 'HEAD', headers: NAVIGATION });
    expect(head.status).toBe(200);
  });
});
