import { describe, expect, test } from 'vitest';
import { listMissingHeaders, readHeader, readHeaders } from '../../src/signing/message.js';

const NAMES = [
  ['id', 'webhook-id'],
  ['signature', 'webhook-signature'],
] as const;

describe('readHeader', () => {
  test('finds a name in any case, in a record and in a fetch Headers', () => {
    expect(readHeader({ 'webhook-id': 'a' }, 'webhook-id')).toBe('a');
    expect(readHeader({ 'Webhook-ID': 'a' }, 'webhook-id')).toBe('a');
    expect(readHeader(new Headers({ 'Webhook-Id': 'a' }), 'webhook-id')).toBe('a');
  });

  test('joins repeated values as Node does', () => {
    expect(readHeader({ 'webhook-id': ['a', 'b'] }, 'webhook-id')).toBe('a, b');
  });

  test('ignores inherited properties of a record', () => {
    const inherited: Record<string, string> = Object.create({ 'webhook-id': 'a' });
    expect(readHeader(inherited, 'webhook-id')).toBeUndefined();
    expect(readHeader({}, 'constructor')).toBeUndefined();
  });
});

describe('readHeaders', () => {
  test('reads short names only when no full name is present', () => {
    expect(readHeaders({ id: 'a', signature: 'b' }, NAMES)).toEqual({ id: 'a', signature: 'b' });
    expect(readHeaders({ id: 'a', 'webhook-signature': 'b' }, NAMES)).toEqual({ signature: 'b' });
    expect(readHeaders(new Headers({ id: 'a' }), NAMES)).toEqual({});
  });

  test('leaves absent and empty headers to listMissingHeaders', () => {
    expect(listMissingHeaders(readHeaders({ 'webhook-id': '' }, NAMES), NAMES)).toEqual([
      'webhook-id',
      'webhook-signature',
    ]);
  });
});
