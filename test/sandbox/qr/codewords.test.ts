import { describe, expect, test } from 'vitest';
import { codewords } from '../../../src/sandbox/qr/codewords.js';

describe('codewords', () => {
  /** Mode 4, the length 1, an x, the terminator, and padding up to 19 bytes. */
  const DATA = [0x40, 0x17, 0x80, ...Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? 0xec : 0x11))];

  test('are the data and their correction', () => {
    const { version, bytes } = codewords('x');
    expect(version).toBe(1);
    expect([...bytes.subarray(0, DATA.length)]).toEqual(DATA);
    expect(bytes).toHaveLength(26);
  });

  test.each([
    [17, 1],
    [18, 2],
    [230, 9],
    [231, 10],
    [271, 10],
    [272, 11],
    [2809, 39],
    [2810, 40],
    [2953, 40],
  ])('of %d bytes of text take version %d', (length, version) => {
    expect(codewords('a'.repeat(length)).version).toBe(version);
  });

  test('count bytes, not characters', () => {
    expect(codewords('é'.repeat(9)).version).toBe(2);
  });

  test('say how long a text may be', () => {
    expect(() => codewords('a'.repeat(2954))).toThrow(
      new RangeError('Expected a text of at most 2953 bytes for a QR code, got 2954 bytes'),
    );
  });
});
