import { describe, expect, test } from 'vitest';
import { isRouterNotFound } from '../../../../src/cli/commands/listen/attempt-text.js';

const PATH = '/hooks/pix';

describe('a 404', () => {
  test.each([
    ['nothing', ''],
    [
      'Express',
      '<!DOCTYPE html>\n<html lang="en"><head><title>Error</title></head><body><pre>Cannot POST /hooks/pix</pre></body></html>\n',
    ],
    ['Flask', '<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n'],
    ['FastAPI', '{"detail":"Not Found"}'],
    ['NestJS', '{"message":"Cannot POST /hooks/pix","error":"Not Found","statusCode":404}'],
    ['Fastify', '{"message":"Route POST:/hooks/pix not found","error":"Not Found","statusCode":404}'],
    ['Koa', 'Not Found'],
    ['Hono', '404 Not Found'],
    ['Go', '404 page not found\n'],
    ['hapi', '{"statusCode":404,"error":"Not Found","message":"Not Found"}'],
    ['Rails', '{"status":404,"error":"Not Found"}'],
    ['Rails in development', 'No route matches [POST] "/hooks/pix"'],
    [
      'Spring',
      '{"timestamp":"2026-01-31T12:00:00.000+00:00","status":404,"error":"Not Found","message":"No message available","path":"/hooks/pix"}',
    ],
    [
      'Spring 6',
      '{"timestamp":"2026-01-31T12:00:00.000+00:00","status":404,"error":"Not Found","message":"No static resource hooks/pix.","path":"/hooks/pix"}',
    ],
    [
      'ASP.NET',
      '{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.5","title":"Not Found","status":404,"traceId":"00-84c1fd4063c38d9f3900d06e56542d48-85d1d4-00"}',
    ],
    ['Laravel', '{"message":"The route hooks/pix could not be found."}'],
    ['Phoenix', '{"errors":{"detail":"Not Found"}}'],
  ])('of the router of %s is about the path', (_, body) => {
    expect(isRouterNotFound(body, PATH)).toBe(true);
  });

  test.each([
    ['{"error":"order not found"}'],
    ['{"error":{"code":"ORDER_NOT_FOUND","message":"There is no order charge-1."}}'],
    ['{"message":"order not found","error":"Not Found","statusCode":404}'],
    ['{"detail":"Unknown order charge-1"}'],
    [
      '{"timestamp":"2026-01-31T12:00:00.000+00:00","status":404,"error":"Not Found","message":"unknown order","path":"/hooks/pix"}',
    ],
    ['{}'],
    ['[]'],
    ['order not found'],
    ['{"error":"hooks/pix knows no such order"}'],
    [`{"error":"${'x'.repeat(20_000)}`],
  ])('%.60s is the response of a handler', (body) => {
    expect(isRouterNotFound(body, PATH)).toBe(false);
  });

  test('of the path / is told by more than the slash', () => {
    expect(isRouterNotFound('{"error":"no order a/b"}', '/')).toBe(false);
    expect(isRouterNotFound('{"message":"Cannot POST /","error":"Not Found","statusCode":404}', '/')).toBe(
      true,
    );
    expect(isRouterNotFound('{"status":404,"error":"Not Found","path":"/"}', '/')).toBe(true);
  });
});
