import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import type { GuardPolicy } from '../../../src/http/server/guards.js';
import { guardRequest } from '../../../src/http/server/guards.js';
import { refusalText } from '../../helpers/core/world.js';

const LOCAL: GuardPolicy = {
  allowedHosts: new Set(['sandbox.internal']),
  isRegisteredOrigin: (origin) => origin === 'https://shop.example',
};
const PUBLIC: GuardPolicy = { ...LOCAL, publicOrigin: () => 'https://relay.example' };

interface Sent {
  readonly method?: string;
  readonly url?: string;
  readonly hosts?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the guards say of a request, in one line. */
function guarded(
  { method = 'GET', url = '/a', hosts = ['localhost'], headers = {} }: Sent,
  policy = LOCAL,
): string {
  const named: Record<string, string> = { ...headers };
  if (hosts[0] !== undefined) named['host'] = hosts[0];
  const rawHeaders = [...hosts.flatMap((host) => ['Host', host]), ...Object.entries(headers).flat()];
  const refusal = guardRequest(
    { method, url, headers: named, rawHeaders } as unknown as IncomingMessage,
    policy,
  );
  return refusal === undefined ? 'pass' : refusalText(refusal);
}

const ORIGIN = 'https://shop.example';
const JSON_BODY = { 'content-length': '2', 'content-type': 'application/json' };
const FORM_BODY = { 'content-length': '2', 'content-type': 'application/x-www-form-urlencoded' };
const body = (type: string) => ({ ...JSON_BODY, 'content-type': type });
const site = (from: string, more: Readonly<Record<string, string>> = {}) => ({
  'sec-fetch-site': from,
  ...more,
});
const FOLLOWED = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

const FOREIGN =
  'FORBIDDEN Web pages from other origins cannot send requests to the sandbox. → Send requests from your server: tokens and signing secrets never belong in a browser.';
const UNDECLARED = 'UNSUPPORTED_MEDIA_TYPE The request body requires Content-Type: application/json; ';
const mediaType = (type: string) =>
  `${UNDECLARED}received "${type}". → Send the header Content-Type: application/json.`;
const NO_MEDIA_TYPE = `${UNDECLARED}the header is missing. → Send the header Content-Type: application/json.`;
const HOST =
  'FORBIDDEN The Host header is neither loopback nor an allowed host. → Use localhost for the sandbox, or start it with --allow-host NAME.';

test.each<[Sent, string]>([
  [{}, 'pass'],
  [{ url: 'http://localhost/a' }, 'INVALID_REQUEST The request target must be a path that starts with /.'],
  [{ hosts: [] }, 'INVALID_REQUEST Exactly one Host header is required.'],
  [{ hosts: ['localhost', 'localhost'] }, 'INVALID_REQUEST Exactly one Host header is required.'],
  [{ hosts: ['sandbox.internal:80'] }, 'pass'],
  [{ hosts: ['SANDBOX.internal.'] }, 'pass'],
  [
    { headers: Object.fromEntries(Array.from({ length: LIMITS.requestHeaders }, (_, n) => [`a${n}`, ''])) },
    'HEADERS_TOO_LARGE A request can have at most 100 header lines; received 101. → Send fewer headers; headers added by a proxy also count.',
  ],
  [{ headers: { origin: 'HTTP://LOCALHOST' } }, 'pass'],
  [{ url: '/sdk.jsx', headers: { origin: ORIGIN } }, FOREIGN],
  [{ url: '/x/sdk.js', headers: { origin: ORIGIN } }, FOREIGN],
  [
    { url: '/sdk.js', headers: { origin: 'https://evil.example' } },
    'FORBIDDEN Only web pages from registered origins can use the browser SDK. → Register the origin: `npx sandbox start --origin https://shop.example`.',
  ],
  [{ url: '/openapi.json?x', method: 'HEAD', headers: { origin: ORIGIN } }, 'pass'],
  [{ url: '/openapi.json', method: 'POST', headers: { origin: ORIGIN } }, FOREIGN],
  [{ url: '/openapi.jsonx', headers: { origin: ORIGIN } }, FOREIGN],
  [{ url: '/x/openapi.json', headers: { origin: ORIGIN } }, FOREIGN],
  [{ url: '/openapi.json', hosts: ['evil.example'] }, HOST],
  [{ url: '/started', headers: site('cross-site') }, FOREIGN],
  [{ url: '/session/', headers: site('cross-site') }, FOREIGN],
  [{ url: '/session/a/b', headers: site('cross-site') }, FOREIGN],
  [{ url: '/pay/a/b/c', headers: site('cross-site', FOLLOWED) }, FOREIGN],
  [{ url: '/x/pay/a', headers: site('cross-site', FOLLOWED) }, FOREIGN],
  [{ headers: { 'content-type': 'text/plain' } }, 'pass'],
  [{ headers: { 'content-length': '0', 'content-type': 'text/plain' } }, 'pass'],
  [{ headers: { 'content-length': '1' } }, NO_MEDIA_TYPE],
  [{ headers: { 'transfer-encoding': 'chunked' } }, NO_MEDIA_TYPE],
  [{ headers: { ...JSON_BODY, 'transfer-encoding': 'chunked' } }, 'pass'],
  [{ headers: body('application/json; charset=utf8; x=y') }, 'pass'],
  [{ headers: body('application/json; charset=x-utf-8') }, mediaType('application/json; charset=x-utf-8')],
  [{ headers: body('application/json; charset') }, mediaType('application/json; charset')],
  [{ headers: body('application/jsonp') }, mediaType('application/jsonp')],
  [{ url: '/x/start', headers: FORM_BODY }, mediaType('application/x-www-form-urlencoded')],
  [{ url: '/start', headers: body('application/x-www-form-urlencoded ; charset=utf-8') }, 'pass'],
  [
    { url: '/start', headers: body('application/x-www-form-urlencodedx') },
    mediaType('application/x-www-form-urlencodedx'),
  ],
  [
    { url: '/start', headers: body('xapplication/x-www-form-urlencoded') },
    mediaType('xapplication/x-www-form-urlencoded'),
  ],
])('checks %j', (sent, outcome) => {
  expect(guarded(sent)).toBe(outcome);
});

test.each(
  'localhost LOCALHOST:1 localhost.:80 shop.localhost:3000 127.8.9.10:99 [::1] [::1]:7490'.split(' '),
)('accepts the host %s', (host) => {
  expect(guarded({ hosts: [host] })).toBe('pass');
});

test.each([
  'localhost.evil.example',
  'evil-localhost',
  '127.0.0.1.evil.example',
  '127.0.0.1@evil.example',
  'evil.example@127.0.0.1',
  '128.0.0.1',
  '0.0.0.0',
  '[::]',
  '[::ffff:127.0.0.1]',
  'sub.sandbox.internal',
  'localhost:7490:80',
  'localhost/x',
  'localhost ,evil',
  'http://localhost',
  '..',
])('rejects the host %s', (host) => {
  expect(guarded({ hosts: [host] })).toBe(HOST);
});

test.each([
  'http://localhost:3000',
  'https://localhost:7490',
  'http://127.0.0.1:7490',
  '',
  'http://localhost:7490, http://localhost:7490',
])('rejects the origin %s', (origin) => {
  expect(guarded({ hosts: ['localhost:7490'], headers: { origin } })).toBe(FOREIGN);
});

test.each<[Sent, string]>([
  [{ hosts: ['localhost'] }, 'FORBIDDEN The Host header does not match the public origin.'],
  [
    { hosts: ['relay.example'], headers: { origin: 'http://relay.example' } },
    'FORBIDDEN Web pages from other origins cannot send requests to the sandbox.',
  ],
  [{ hosts: ['relay.example'], headers: body('text/plain') }, `${UNDECLARED}received "text/plain".`],
])('checks behind a public URL: %j', (sent, outcome) => {
  expect(guarded(sent, PUBLIC)).toBe(outcome);
});

test('accepts nothing until there is a public URL', () => {
  expect(guarded({ hosts: ['relay.example'] }, { ...PUBLIC, publicOrigin: () => undefined })).toBe(
    'FORBIDDEN The Host header does not match the public origin.',
  );
});

test('no page loads the SDK without registered origins', () => {
  const { allowedHosts } = LOCAL;
  expect(guarded({ url: '/sdk.js', headers: { origin: ORIGIN } }, { allowedHosts })).toContain(
    'FORBIDDEN Only web pages',
  );
});
