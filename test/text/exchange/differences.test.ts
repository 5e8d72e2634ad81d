import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObservedExchange } from '../../../src/text/exchange/differences.js';
import { diffExchanges } from '../../../src/text/exchange/differences.js';

const EXCHANGE: ObservedExchange = {
  method: 'POST',
  path: '/pix?limit=1&a=b',
  request: {
    headers: [
      ['X-Nonce', 'one'],
      ['Accept', '*/*'],
    ],
    body: '{"amount":"1"}',
  },
  status: 201,
  error: null,
  response: { headers: [['x-request-id', 'req_1']], body: '{"id":"a"}' },
};

/** What differs, as `part name: from -> to`. */
function shown(after: Partial<ObservedExchange>, before: Partial<ObservedExchange> = {}): string[] {
  const { differences } = diffExchanges({ ...EXCHANGE, ...before }, { ...EXCHANGE, ...after });
  return differences.map(({ of, part, name, from, to }) => `${of} ${part} ${name}: ${from} -> ${to}`);
}

const body = (text: string): ObservedExchange['request'] => ({ headers: [], body: text });
const inBodies = (from: string, to: string) => shown({ request: body(to) }, { request: body(from) });

test('no body differs from the JSON null, and from an object as a whole', () => {
  const none = { headers: [] };
  expect(shown({ request: body('null') }, { request: none })).toEqual(['request body : null -> null']);
  expect(shown({ request: none }, { request: body('{"a":1}') })).toEqual(['request body : {"a":1} -> null']);
});

test('identical exchanges have no differences', () => {
  expect(diffExchanges(EXCHANGE, EXCHANGE)).toEqual({ differences: [], always: [] });
});

test('distinguishes bytes from text equal to their base64', () => {
  const bytes = { headers: [], body_base64: 'MTIz' };
  expect(shown({ request: bytes }, { request: body('MTIz') })).toEqual([
    'request body : MTIz -> base64 MTIz',
  ]);
  expect(shown({ request: bytes }, { request: bytes })).toEqual([]);
});

test('names each differing part', () => {
  expect(shown({ method: 'PUT' })).toEqual(['request method : POST -> PUT']);
  expect(shown({ path: '/pixx?limit=2&c=%C3%A7' })).toEqual([
    'request path : /pix -> /pixx',
    'request query limit: 1 -> 2',
    'request query a: b -> null',
    'request query c: null -> ç',
  ]);
  expect(shown({ path: '/pix?limit=1&a=b&a=%zz' })).toEqual(['request query a: b -> b, %zz']);
  expect(shown({ status: 400, error: 'INVALID_REQUEST' })).toEqual([
    'answer status : 201 -> 400',
    'answer error : null -> INVALID_REQUEST',
  ]);
  expect(shown({ status: null, response: null })).toEqual([
    'answer status : 201 -> null',
    'answer body : {"id":"a"} -> null',
  ]);
});

test('compares headers by name, whatever their letter case and position', () => {
  const request = (...headers: [string, string][]) => ({ headers, body: '{"amount":"1"}' });
  expect(shown({ request: request(['ACCEPT', '*/*'], ['x-nonce', 'one']) })).toEqual([]);
  expect(shown({ request: request(['accept', 'text/html'], ['x-nonce', 'one'], ['b', '1']) })).toEqual([
    'request header accept: */* -> text/html',
    'request header b: null -> 1',
  ]);
});

test('names parts that always differ without reporting them as findings', () => {
  const after: ObservedExchange = {
    ...EXCHANGE,
    request: {
      headers: [
        ['x-nonce', 'two'],
        ['accept', '*/*'],
        ['x-timestamp', '2'],
      ],
      body: '{"amount":"1"}',
    },
    response: {
      headers: [
        ['X-Request-Id', 'req_2'],
        ['date', 'today'],
      ],
      body: '{"id":"a"}',
    },
  };
  expect(diffExchanges(EXCHANGE, after)).toEqual({
    differences: [],
    always: ['x-nonce', 'x-timestamp', 'x-request-id', 'date'],
  });
  const failed = (id: string) => ({
    ...EXCHANGE,
    response: body(`{"error":{"code":"A","request_id":"${id}"}}`),
  });
  expect(diffExchanges(failed('a'), failed('b'))).toEqual({ differences: [], always: ['error.request_id'] });
});

describe('body differences', () => {
  test.for([
    ['{"amount":"1"}', '{"amount":"2"}', ['amount: "1" -> "2"']],
    [
      '{"a":{"b c":[1,{"d":null}]}}',
      '{"a":{"b c":[1,{"d":0},3]}}',
      ['a["b c"][1].d: null -> 0', 'a["b c"][2]: null -> 3'],
    ],
    ['{"a":1}', '{"b":1}', ['a: 1 -> null', 'b: null -> 1']],
    ['{"a":[]}', '{"a":{}}', ['a: [] -> {}']],
    ['{"__proto__":1}', '{}', ['["__proto__"]: 1 -> null'.replace('["__proto__"]', '__proto__')]],
    ['1', '2', [': 1 -> 2']],
    ['{"a":1}', '{ "a": 1 }', []],
    ['{"a":1}', 'a=1', [': {"a":1} -> a=1']],
    ['', 'x', [': null -> x']],
  ] as const)('compares %s and %s', ([from, to, expected]) => {
    const bodies = inBodies(from, to).filter((line) => line.startsWith('request body'));
    expect(bodies).toEqual(expected.map((line) => `request body ${line}`));
  });

  test('reports formatting differences of equal JSON, which signatures cover', () => {
    expect(inBodies('{"a":1}', '{ "a": 1 }')).toEqual(['request writing : {"a":1} -> { "a": 1 }']);
    expect(inBodies('{"a":1,"b":2}', '{"b":2,"a":1}')).toHaveLength(1);
  });

  test('does not compare unknown bodies', () => {
    expect(shown({ request: undefined, response: undefined })).toEqual([]);
  });

  test('compares endlessly nested bodies', () => {
    const nested = (inner: string) => '['.repeat(8_000) + inner + ']'.repeat(8_000);
    expect(inBodies(nested('1'), nested('2'))).toHaveLength(1);
  });

  test('reports the lengths of differing truncated bodies', () => {
    const cut = (bytes: number) => ({
      request: { headers: [], body: 'abc', truncated: true, body_bytes: bytes },
    });
    expect(shown(cut(9), cut(8))).toEqual(['request body : 8 bytes -> 9 bytes']);
  });

  test('does not report the length of a different body separately', () => {
    const sized = (text: string) => ({
      request: { headers: [['content-length', String(text.length)] as const], body: text },
    });
    expect(shown(sized('"ab"'), sized('"a"'))).toEqual(['request body : "a" -> "ab"']);
    expect(
      shown({ request: { headers: [['content-length', '9']], body: 'x' } }, { request: body('x') }),
    ).toEqual(['request header content-length: null -> 9']);
  });

  test('reports any two values exactly where they differ, in both directions', () => {
    const property = fc.property(fc.jsonValue(), fc.jsonValue(), (one, two) => {
      const [from, to] = [JSON.stringify(one), JSON.stringify(two)];
      expect(inBodies(from, to).length === 0).toBe(from === to);
      expect(inBodies(to, from)).toHaveLength(inBodies(from, to).length);
    });
    fc.assert(property, { numRuns: 60 });
  });
});
