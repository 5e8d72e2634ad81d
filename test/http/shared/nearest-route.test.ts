import { describe, expect, test } from 'vitest';
import { findNearestRoute, formatRoute } from '../../../src/http/shared/unsupported-operations.js';

const V1 = '/api/public/v1';
const ROUTES = [
  ['POST', `${V1}/pix`],
  ['GET', `${V1}/withdrawals`],
  ['GET', `${V1}/accounts/:id/transactions`],
  ['POST', `${V1}/webhook-endpoints`],
  ['GET', `${V1}/webhook-endpoints`],
  ['GET', `${V1}/webhook-endpoints/:id`],
  ['POST', `${V1}/webhook-endpoints/:id/rotate-secret`],
  ['POST', '/api/v1/kyc/sessions'],
].map(([method = '', path = '']) => ({ method, path }));

function nearest(method: string, path: string): string | undefined {
  return findNearestRoute({ method, path }, ROUTES);
}

describe('the nearest route', () => {
  test.each([
    ['POST', `${V1}/pixx`, `POST ${V1}/pix`],
    ['POST', `${V1}/charges`, `POST ${V1}/pix`],
    ['POST', '/pix', `POST ${V1}/pix`],
    ['GET', '/api/v1/withdrawals', `GET ${V1}/withdrawals`],
    ['POST', `${V1}/webhooks-endpoint`, `POST ${V1}/webhook-endpoints`],
    ['POST', '/kyc/sessions', 'POST /api/v1/kyc/sessions'],
  ])('the nearest route of %s %s is %s', (method, path, expected) => {
    expect(nearest(method, path)).toBe(expected);
  });

  test('accepts path parameters unchanged, however long', () => {
    const id = '849e0378-bb69-4963-9fcd-10e97bbc2ef9';
    expect(nearest('GET', `${V1}/account/${id}/transaction`)).toBe(`GET ${V1}/accounts/{id}/transactions`);
    expect(nearest('POST', `/webhook-endpoints/${id}/rotate`)).toBe(
      `POST ${V1}/webhook-endpoints/{id}/rotate-secret`,
    );
  });

  test.each([
    ['GET', '/'],
    ['GET', '/favicon.ico'],
    ['POST', `/${'x'.repeat(100_000)}`],
  ])('the nearest route of %s %.30s does not exist', (method, path) => {
    expect(nearest(method, path)).toBeUndefined();
  });

  test('no route is suggested if the nearest route destroys something', () => {
    const routes = ['/_sandbox/reset', '/_sandbox/state/snapshots/:name/restore'].map((path) => {
      return { method: 'POST', path };
    });
    expect(findNearestRoute({ method: 'POST', path: '/_sandbox/rest' }, routes)).toBeUndefined();
    expect(
      findNearestRoute({ method: 'POST', path: '/_sandbox/state/snapshots/a/restor' }, routes),
    ).toBeUndefined();
  });
});

test('a route is shown with its parameters in braces', () => {
  expect(formatRoute({ method: 'GET', path: '/a/:id/b/:otherId' })).toBe('GET /a/{id}/b/{otherId}');
});
