import { array, assert, boolean, constant, double, oneof, property, string } from 'fast-check';
import { describe, expect } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { parseJsonRequest } from '../../../src/http/shared/read-request.js';
import { chargeBody, test } from '../../helpers/http/api-client.js';

const BAD = { status: 400, code: 'INVALID_REQUEST' };

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
}

describe('an invalid JSON body', () => {
  const broken: Readonly<Record<string, [body: string | Uint8Array, reason: RegExp]>> = {
    empty: ['', /empty/],
    'cut off': ['{"code":"a"', /not valid JSON/],
    'byte order mark': ['\ufeff{}', /byte order mark/],
    null: ['null', /must be a JSON object; got null/],
    list: ['[]', /must be a JSON object; got a list/],
    'too deep by one': [nested(33), /deeper than 32/],
    'deep lists': ['['.repeat(100_000) + ']'.repeat(100_000), /deeper than 32/],
    __proto__: ['{"__proto__":{"amount":"10.00"}}', /__proto__/],
    'escaped __proto__': [String.raw`{"\u005f_proto__":{}}`, /__proto__/],
    '__proto__ in a list': ['{"a":[{"__proto__":1}]}', /__proto__/],
    'invalid UTF-8': [Buffer.from('{"code":"\xff"}', 'latin1'), /not valid UTF-8/],
    'UTF-16': [Buffer.from('{}', 'utf16le'), /not valid JSON/],
  };

  test.for(Object.entries(broken))(
    'an invalid JSON body is rejected with a reason and changes nothing: %s',
    async ([, [body, reason]], { api }) => {
      const error = await api.refused('POST', '/pix', { body });
      expect(error).toMatchObject(BAD);
      expect(error.message).toMatch(reason);
      expect(error.message.length).toBeLessThan(250);
    },
  );

  test('keys of every object’s prototype are ordinary keys', async ({ api }) => {
    const metadata = { constructor: 'a', prototype: 'b', toString: 'c', hasOwnProperty: 'd' };
    const first = await api.call('POST', '/pix', { body: chargeBody({ metadata }) });
    const again = await api.call('POST', '/pix', { body: chargeBody({ metadata }) });
    expect(first.body.metadata).toEqual(metadata);
    expect(again.status).toBe(200);
    const without = { constructor: 'a', prototype: 'b', toString: 'c' };
    const other = await api.call('POST', '/pix', { body: chargeBody({ metadata: without }) });
    expect(other.status).toBe(409);
  });
});

describe('the size of a body', () => {
  test.for([
    ['POST', '/api/public/v1/pix', LIMITS.bodyBytes],
    ['POST', '/_sandbox/charges', LIMITS.controlBodyBytes],
  ] as const)('%s %s is accepted up to its limit', async ([method, target, limitBytes], { api }) => {
    const exact = JSON.stringify(chargeBody()).padEnd(limitBytes);
    const over = `${exact} `;
    expect((await api.send(method, target, { body: over })).body.error.code).toBe('PAYLOAD_TOO_LARGE');
    expect((await api.send(method, target, { body: exact })).status).toBe(201);
  });
});

test('JSON is returned unchanged up to the maximum depth, and rejected beyond', () => {
  const levels = array(boolean(), { minLength: 1, maxLength: 2 * LIMITS.jsonDepth });
  assert(
    property(levels, oneof(string(), double(), constant(null)), (kinds, leaf) => {
      const nest = (inner: unknown, isList: boolean): unknown => (isList ? [inner, 1] : { a: inner, b: 1 });
      const text = JSON.stringify(kinds.reduce(nest, leaf));
      const isAllowed = kinds.length <= LIMITS.jsonDepth;
      expect(outcomeOf(() => parseJsonRequest(Buffer.from(text)))).toEqual(
        isAllowed ? JSON.parse(text) : 'refused',
      );
    }),
    { numRuns: 2_000 },
  );
});

function outcomeOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    return error instanceof Refusal ? 'refused' : error;
  }
}

describe('an encoded body', () => {
  test('an encoded body is rejected by every API', async ({ api }) => {
    const { kycToken } = api.sandbox.credentials;
    for (const [target, more] of [
      ['/api/public/v1/pix', {}],
      ['/api/v1/kyc/sessions', { authorization: `Bearer ${kycToken}` }],
      ['/_sandbox/charges', {}],
      ['/start', { 'content-type': 'application/x-www-form-urlencoded' }],
    ] as const) {
      const headers = { 'content-encoding': 'gzip, identity', ...more };
      const response = await api.open('POST', target, { body: '{}', headers });
      expect([target, response.status]).toEqual([target, 415]);
      if (target === '/start') continue;
      expect(await response.json()).toMatchObject({
        error: {
          code: 'UNSUPPORTED_MEDIA_TYPE',
          message: 'A body must not have a Content-Encoding; got gzip, identity.',
          hint: expect.stringContaining('compression'),
        },
      });
    }
  });

  test('a body with the encoding identity is accepted, and no body at all', async ({ api }) => {
    const headers = { 'content-encoding': 'Identity' };
    expect((await api.call('POST', '/pix', { body: chargeBody(), headers })).status).toBe(201);
    const empty = { headers: { 'content-encoding': 'gzip' } };
    expect((await api.call('GET', '/withdrawals', empty)).status).toBe(200);
  });
});
