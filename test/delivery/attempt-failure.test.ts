import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { describeFailure, isClosedConnection } from '../../src/delivery/attempt-failure.js';

function failure(code: string, message = `failed ${code}`): Error {
  return Object.assign(new Error(message), { code });
}

describe('describeFailure', () => {
  test.for([
    ['ECONNREFUSED', 'CONNECTION_REFUSED'],
    ['ECONNRESET', 'CONNECTION_RESET'],
    ['ECONNABORTED', 'CONNECTION_RESET'],
    ['EPIPE', 'CONNECTION_RESET'],
    ['ETIMEDOUT', 'TIMEOUT'],
    ['ENOTFOUND', 'DNS_FAILED'],
    ['EAI_AGAIN', 'DNS_FAILED'],
    ['EPROTO', 'TLS_FAILED'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS_FAILED'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'TLS_FAILED'],
    ['HPE_HEADER_OVERFLOW', 'INVALID_RESPONSE'],
    ['HPE_INVALID_CONSTANT', 'INVALID_RESPONSE'],
    ['EHOSTUNREACH', 'CONNECTION_FAILED'],
    ['ENETUNREACH', 'CONNECTION_FAILED'],
    ['EMFILE', 'CONNECTION_FAILED'],
    ['', 'CONNECTION_FAILED'],
  ])('maps %s to %s', ([code = '', error]) => {
    expect(describeFailure(failure(code), false)).toEqual({ error, detail: `failed ${code}`.trim() });
  });

  test('maps any error to TLS_FAILED after a rejected certificate', () => {
    expect(describeFailure(failure('CERT_HAS_EXPIRED'), true).error).toBe('TLS_FAILED');
  });

  test.for([
    [['ECONNREFUSED', 'EADDRNOTAVAIL'], 'CONNECTION_REFUSED'],
    [['ENETUNREACH', 'ECONNREFUSED'], 'CONNECTION_REFUSED'],
    [['ETIMEDOUT', 'ECONNREFUSED'], 'TIMEOUT'],
    [['ECONNREFUSED', 'ETIMEDOUT'], 'TIMEOUT'],
    [['EHOSTUNREACH', 'ENETUNREACH'], 'CONNECTION_FAILED'],
  ] as const)('maps the errors of several addresses, %s, to %s', ([codes, error]) => {
    const all = new AggregateError(codes.map((code) => failure(code)));
    expect(describeFailure(all, false)).toEqual({
      error,
      detail: codes.map((code) => `failed ${code}`).join('; '),
    });
  });

  test('maps the errors of several addresses from another realm, as in Jest', () => {
    const all: unknown = runInNewContext(
      "new AggregateError([Object.assign(new Error('failed'), { code: 'ECONNREFUSED' })])",
    );
    expect(describeFailure(all as Error, false)).toEqual({ error: 'CONNECTION_REFUSED', detail: 'failed' });
  });

  test('describeFailure has a text even for an empty aggregate', () => {
    const empty = new AggregateError([], 'All addresses failed');
    expect(describeFailure(empty, false)).toEqual({
      error: 'CONNECTION_FAILED',
      detail: 'All addresses failed',
    });
  });
});

describe('isClosedConnection', () => {
  test.for([
    ['ECONNRESET', true],
    ['EPIPE', true],
    ['ECONNREFUSED', false],
    ['ETIMEDOUT', false],
  ] as const)('classifies %s: %s', ([code, expected]) => {
    expect(isClosedConnection(failure(code))).toBe(expected);
  });

  test('rejects an error without a code', () => {
    expect(isClosedConnection(new Error('odd'))).toBe(false);
  });
});
