import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAmount, isPercent, parseAmount, computePercent } from '../../src/contract/money.js';

const LARGEST_CENTS = 999_999_999_999;
const anyCents = fc.integer({ min: 1, max: LARGEST_CENTS });

describe('parseAmount', () => {
  test.each([
    ['10', 1000],
    ['10.5', 1050],
    ['10.50', 1050],
    ['0.01', 1],
    ['0.1', 10],
    ['9999999999.99', LARGEST_CENTS],
    ['1.15', 115],
    ['4.35', 435],
  ])('parses %s', (text, cents) => {
    expect(parseAmount(text)).toEqual({ cents });
  });

  test.each([
    '',
    '10,00',
    '1e3',
    '-5',
    '+5',
    '010',
    '.5',
    '5.',
    '1.005',
    '10000000000',
    ' 1',
    '1\n',
    '0x10',
    '١',
  ])('rejects the form of %j and quotes it', (text) => {
    expect(parseAmount(text)).toEqual({
      problem: `must be a decimal number with at most two decimals, such as "10.00"; got ${JSON.stringify(text)}`,
    });
  });

  test.each(['0', '0.0', '0.00'])('rejects %s, because it is not above zero', (text) => {
    expect(parseAmount(text)).toEqual({ problem: `must be above zero, such as "0.01"; got "${text}"` });
  });

  test.each([
    [10, 'the number 10'],
    [10.5, 'the number 10.5'],
    [true, 'the boolean true'],
    [null, 'null'],
    [undefined, 'nothing'],
    [['10.00'], 'an array'],
    [{ value: '10.00' }, 'an object'],
  ])('reports that %j is not a string', (value, got) => {
    expect(parseAmount(value)).toEqual({ problem: `must be a string, such as "10.00"; got ${got}` });
  });

  test('quotes only the start of a long text', () => {
    const parsed = parseAmount('9'.repeat(5000));
    expect(parsed).toEqual({ problem: expect.stringMatching(/got "9{40}…"$/) });
  });
});

describe('formatAmount', () => {
  test.each([
    [0, '0.00'],
    [5, '0.05'],
    [99, '0.99'],
    [100, '1.00'],
    [1_000_000, '10000.00'],
    [-5, '-0.05'],
    [-1234, '-12.34'],
    [2n ** 63n, '92233720368547758.08'],
    [-(2n ** 63n), '-92233720368547758.08'],
  ])('formats %s as %s', (cents, text) => {
    expect(formatAmount(cents)).toBe(text);
  });

  test.each([0.5, Number.NaN, Infinity, 2 ** 53])('rejects the number %d', (cents) => {
    expect(() => formatAmount(cents)).toThrow(RangeError);
  });

  test('a formatted amount is parsed as the same amount', () => {
    fc.assert(
      fc.property(anyCents, (cents) => {
        expect(parseAmount(formatAmount(cents))).toEqual({ cents });
      }),
    );
  });
});

describe('percentOf', () => {
  test.each([
    [10_000, '0.8', 80],
    [62, '0.8', 0],
    [63, '0.8', 1],
    [1250, '0.2', 3],
    [1249, '0.2', 2],
    [50, '1', 1],
    [49, '1', 0],
    [115, '100', 115],
    [115, '0', 0],
    [1, '0.0001', 0],
    [500_000, '0.0001', 1],
    [LARGEST_CENTS, '99.9999', 999_998_999_999],
  ])('computes of %d at %s %% the percentage %d', (cents, percent, expected) => {
    expect(computePercent(cents, percent)).toBe(expected);
  });

  test('percentOf is within half a cent of the exact value, and above it on a tie', () => {
    const anyMillionths = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(anyCents, anyMillionths, (cents, millionths) => {
        const percent = `${Math.floor(millionths / 10_000)}.${String(millionths % 10_000).padStart(4, '0')}`;
        const error =
          BigInt(computePercent(cents, percent)) * 1_000_000n - BigInt(cents) * BigInt(millionths);
        expect(error).toBeGreaterThan(-500_000n);
        expect(error).toBeLessThanOrEqual(500_000n);
      }),
    );
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('rejects %d cents', (cents) => {
    expect(() => computePercent(cents, '0.8')).toThrow(/^Expected non-negative integer cents, got /);
  });

  test.each(['', '0,8', '-1', '1e1', '100.0001', '101', '0.00001', '1 '])(
    'rejects the percentage %j',
    (percent) => {
      expect(isPercent(percent)).toBe(false);
      expect(() => computePercent(100, percent)).toThrow(
        /^Expected a percentage from 0 to 100, such as "0.8", got "/,
      );
    },
  );
});
