import { describe, expect, test } from 'vitest';
import { explainResponse, isRouterNotFound } from '../../src/check/response-causes.js';

const URL_OF_RECEIVER = new URL('http://localhost:3000/hooks/pix');

function explain(
  status: number | null,
  body = '',
  error: string | null = 'HTTP_STATUS',
  headers: [string, string][] = [],
) {
  return explainResponse(URL_OF_RECEIVER, { status, error, headers, body: Buffer.from(body) });
}

const KEY = [/secret is used as text \(remove whsec_/, /different secret/];

describe('an explanation of a response', () => {
  test.each([
    [401, '{"error":"no"}', [...KEY, /body parser/, /timestamp/, /middleware/], true],
    [400, 'Unexpected token o in JSON', [/body parser/, ...KEY], true],
    [400, 'Message timestamp too old', [/timestamp check/, ...KEY], true],
    [403, '', [...KEY, /body parser/, /CSRF/, /firewall or host check .*localhost:3000/], true],
    [403, 'Blocked host: localhost', [/firewall or host check/, ...KEY], true],
    [403, 'invalid signature', [...KEY, /body parser/, /CSRF/], true],
    [403, '{"status":403,"error":"Forbidden","path":"/hooks/pix"}', [/CSRF/, ...KEY], true],
    [419, '', [/CSRF/, /middleware/], false],
    [422, '', [/validates the event too strictly/], false],
    [500, 'TypeError: x is not a function', [/uncaught error/], false],
    [500, 'No matching signature found', [...KEY, /uncaught error/], true],
    [418, '', [/middleware/], false],
  ] as const)('%i %j lists the suspects that the body names first', (status, body, causes, isSigning) => {
    const found = explain(status, body);
    expect(found?.message).toContain(`(${status})`);
    for (const [index, cause] of causes.entries()) expect(found?.suspects[index]).toMatch(cause);
    expect(found?.fix).toContain(found?.suspects.join('; '));
    expect(found?.isSigning).toBe(isSigning);
  });

  test.each([
    [403, 'CSRF verification failed', null, /CSRF protection rejects/],
    [422, '<h1>The change you wanted was rejected.</h1>', null, /CSRF protection rejects/],
    [404, 'Cannot POST /hooks/pix', null, /^POST \/hooks\/pix does not exist \(404\)/],
    [404, '{"error":"no such order"}', null, /application itself responded with 404/],
    [409, '{"error":"seen"}', null, /application itself responded with 409/],
    [405, '', null, /does not accept POST/],
    [413, '', null, /too large/],
    [415, '', null, /Content-Type/],
    [429, '', null, /rate limit/],
    [308, '', null, /redirects/],
    [502, '', null, /proxy at localhost:3000/],
    [null, '', 'CONNECTION_REFUSED', /Nothing is listening on localhost:3000/],
    [null, '', 'TIMEOUT', /did not respond in time/],
    [null, '', 'CONNECTION_RESET', /closed without a response/],
    [null, '', 'DNS_FAILED', /does not resolve/],
    [null, '', 'TLS_FAILED', /TLS handshake/],
    [null, '', 'SANDBOX_STOPPED', /sandbox stopped/],
  ] as const)('%s %j %s has one cause with a fix', (status, body, error, message) => {
    const found = explain(status, body, error ?? 'HTTP_STATUS');
    expect(found).toMatchObject({ message: expect.stringMatching(message), suspects: [], isSigning: false });
    expect(found?.fix).toMatch(/^\S.*\.$/);
  });

  test('suspects CSRF first if only a header names it', () => {
    const suspects = explain(403, '', undefined, [['Set-Cookie', 'XSRF-TOKEN=1']])?.suspects;
    expect(suspects?.[0]).toMatch(/CSRF/);
  });

  test('exists only for a refused attempt', () => {
    expect(explain(204, '', null)).toBeUndefined();
  });
});

describe('a 404 response', () => {
  test.each([
    ['nothing', '', true],
    ['Flask', '<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n', true],
    ['NestJS', '{"message":"Cannot POST /hooks/pix","error":"Not Found","statusCode":404}', true],
    ['Go', '404 page not found\n', true],
    ['Rails in development', 'No route matches [POST] "/hooks/pix"', true],
    [
      'Spring 6',
      '{"timestamp":"2026-01-31T12:00:00.000+00:00","status":404,"error":"Not Found","message":"No static resource hooks/pix.","path":"/hooks/pix"}',
      true,
    ],
    [
      'ASP.NET',
      '{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.5","title":"Not Found","status":404,"traceId":"00-84c1fd4063c38d9f3900d06e56542d48-85d1d4-00"}',
      true,
    ],
    ['a handler', '{"error":{"code":"ORDER_NOT_FOUND","message":"There is no order charge-1."}}', false],
    ['a handler of NestJS', '{"message":"order not found","error":"Not Found","statusCode":404}', false],
    ['a handler without words', '{}', false],
    ['a handler in plain text', 'order not found', false],
    ['a handler that names something else', '{"error":"hooks/pix knows no such order"}', false],
    ['a handler, cut off', `{"error":"${'x'.repeat(20_000)}`, false],
  ])('the 404 response of %s comes from a router or not', (_, body, isRouter) => {
    expect(isRouterNotFound(body, '/hooks/pix')).toBe(isRouter);
  });

  test('a 404 response of the path / is recognized by more than the slash', () => {
    expect(isRouterNotFound('{"error":"no order a/b"}', '/')).toBe(false);
    expect(isRouterNotFound('{"message":"Cannot POST /","error":"Not Found","statusCode":404}', '/')).toBe(
      true,
    );
  });
});
