import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readGrant } from '../../src/tunnel/grant.js';

const RELAY = new URL('https://relay.example/base');
const GOOD = { id: 'my-shop', url: 'https://my-shop.relay.example', port: 34_567, max_conn_count: 10 };

function read(changes: object) {
  return readGrant(JSON.stringify({ ...GOOD, ...changes }), RELAY);
}

describe('a grant', () => {
  test('is read', () => {
    expect(read({})).toEqual({
      id: 'my-shop',
      url: 'https://my-shop.relay.example',
      host: 'relay.example',
      ip: undefined,
      port: 34_567,
      connections: 10,
    });
  });

  test('names an address, and the relay may be one', () => {
    expect(read({ ip: '192.0.2.7' })?.ip).toBe('192.0.2.7');
    expect(read({ ip: 'evil.example' })?.ip).toBeUndefined();
    expect(readGrant(JSON.stringify(GOOD), new URL('http://[::1]:8080'))?.host).toBe('::1');
  });

  test.for([
    [undefined, 1],
    [0, 1],
    [-5, 1],
    [2.5, 1],
    ['7', 1],
    [7, 7],
    [1_000_000, 16],
  ])('that wants %s connections gets %i', ([count, connections]) => {
    expect(read({ max_conn_count: count })?.connections).toBe(connections);
  });

  test('has a bare origin as its URL', () => {
    expect(read({ url: 'http://127.0.0.1:8080/' })?.url).toBe('http://127.0.0.1:8080');
    for (const url of [
      'my-shop.relay.example',
      'ftp://my-shop.relay.example',
      'javascript:alert(1)',
      'https://user:password@my-shop.relay.example',
      'https://my-shop.relay.example/path',
      'https://my-shop.relay.example\u001b[2J/x',
      7,
    ]) {
      expect(read({ url })).toBeUndefined();
    }
  });

  test.for([
    { port: 0 },
    { port: 65_536 },
    { port: '80' },
    { port: 80.5 },
    { id: '' },
    { id: 'a/../b' },
    { id: 7 },
  ])('is none with %j', (changes) => {
    expect(read(changes)).toBeUndefined();
  });

  test('is none whatever else is answered', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readGrant(text, RELAY)).toBeUndefined();
      }),
    );
  });
});
