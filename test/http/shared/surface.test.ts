import { describe, expect, test } from 'vitest';
import { isConsoleRequest } from '../../../src/http/shared/surface.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };

describe('the audience of the console', () => {
  test.each(['/', '/?q=status%3A5xx', '/deliveries/1?q=x', '/setup', '/console/a.js'])(
    'includes a browser that opens %s',
    (target) => {
      expect(isConsoleRequest(target, 'GET', BROWSER)).toBe(true);
    },
  );

  test.each([
    ['another method', '/charges', 'POST', BROWSER],
    ['a fetch of a page', '/charges', 'GET', { ...BROWSER, 'sec-fetch-mode': 'cors' }],
    ['a client that wants JSON', '/charges', 'GET', { accept: 'application/json' }],
    ['a client that says nothing', '/charges', 'GET', {}],
    ['text that only begins like HTML', '/charges', 'GET', { accept: 'text/htmlx' }],
    ['the hosted pages', '/start', 'GET', BROWSER],
    ['a session', '/session/abc', 'GET', BROWSER],
    ['the API', '/api/public/v1/pix', 'GET', BROWSER],
    ['what is below a page', '/charges/abc/def', 'GET', BROWSER],
  ])('excludes %s', (_, target, method, headers) => {
    expect(isConsoleRequest(target, method, headers)).toBe(false);
  });
});
