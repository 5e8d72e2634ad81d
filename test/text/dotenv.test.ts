import { expect, test } from 'vitest';
import { formatDotenvLine } from '../../src/text/shell/words.js';

test.each([
  ['', 'NAME='],
  ['http://localhost:4010/a?b=c', "NAME='http://localhost:4010/a?b=c'"],
  ['whsec_aB9+/=', 'NAME=whsec_aB9+/='],
  ['a b', "NAME='a b'"],
  ['$HOME', "NAME='$HOME'"],
  ["it's", "NAME=`it's`"],
  ["it's `a`", 'NAME="it\'s `a`"'],
])('writes %j so that nothing expands it', (value, expected) => {
  expect(formatDotenvLine('NAME', value)).toBe(expected);
});

test('returns no line for a value with every kind of quote', () => {
  expect(formatDotenvLine('NAME', `'"\``)).toBeUndefined();
});
