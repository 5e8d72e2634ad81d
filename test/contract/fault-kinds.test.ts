import { describe, expect, test } from 'vitest';
import { FAILURE_REASON_CODES, FAILURE_REASONS, listReasons } from '../../src/contract/enums.js';
import { findForgery } from '../../src/contract/fault-kinds.js';

describe('failure reasons', () => {
  test('failure reasons are SPI codes of four characters, each with its meaning', () => {
    expect(FAILURE_REASON_CODES).toHaveLength(24);
    for (const [code, meaning] of Object.entries(FAILURE_REASONS)) {
      expect(code).toMatch(/^[A-Z]{2}\d{2}$|^(?:DUPL|FRAD|UPAY)$/);
      expect(meaning).not.toBe('');
    }
  });

  test('a return lists its own codes first, and other transitions list none of them', () => {
    const returned = Object.keys(listReasons('return'));
    const rejected = Object.keys(listReasons('fail'));
    expect(returned).toEqual(['BE08', 'FR01', 'MD06', 'SL02', ...rejected]);
    expect(returned.toSorted()).toEqual(FAILURE_REASON_CODES.toSorted());
  });
});

test.each([
  [[], undefined],
  [['drop'], undefined],
  [['drop', 'stale-timestamp'], 'stale-timestamp'],
  [['two-signatures'], 'two-signatures'],
  [['wrong-signature', 'two-signatures'], 'two-signatures'],
])('the forgery of %j is %s', (actions, expected) => {
  expect(findForgery(actions.map((action) => ({ action })))?.action).toBe(expected);
});
