import { describe, expect, test } from 'vitest';
import { closestMatches, suggest } from '../../src/text/closest.js';
import { EVENT_TYPES } from '../../src/contract/enums.js';

describe('closestMatches', () => {
  test.each([
    ['pix.setled', ['pix.settled']],
    ['PIX.SETTLED', ['pix.settled']],
    ['settled', ['pix.settled', 'withdrawal.settled']],
    ['withdrawal', ['withdrawal.settled', 'withdrawal.failed']],
    ['pix', ['pix.settled', 'pix.failed', 'pix.expired']],
    ['withdrawl.faild', ['withdrawal.failed']],
    ['charge.refunded', []],
    ['x', ['pix.settled', 'pix.failed', 'pix.expired']],
    ['', []],
  ])('%s is close to %j', (text, expected) => {
    expect(closestMatches(text, EVENT_TYPES)).toEqual(expected);
  });

  test.each(['resets', 'rest', 'delet', 'drop', 'STOP', 'restor', 'remov', 'forse', 'fres'])(
    '%s suggests no destructive word, and nothing more distant instead',
    (text) => {
      const words = ['list', 'state reset', 'reset', 'stop', 'state drop', 'delete', 'remove', 'restore'];
      expect(closestMatches(text, [...words, '--force', '--fresh'])).toEqual([]);
    },
  );

  test('suggests a word that only starts like a destructive one', () => {
    expect(closestMatches('droped', ['dropped', 'drop'])).toEqual(['dropped']);
  });
});

describe('suggest', () => {
  test('counts two transposed characters as one error', () => {
    expect(suggest('lsit', ['last', 'list'])).toBe(' Did you mean list?');
  });

  test.each([
    ['stauts', ' Did you mean status?'],
    ['LIMIT', ' Did you mean limit?'],
    ['color', ''],
    ['stpo', ''],
    ['x'.repeat(100_000), ''],
  ])('suggests matches for %s', (word, expected) => {
    expect(suggest(word, ['status', 'limit', 'reset', 'stop'])).toBe(expected);
  });
});
