import { expect, test } from 'vitest';
import { facts } from '../../../src/cli/terminal/text.js';

test('names and values stand in two columns, without empty ones, each on a harmless line', () => {
  const text = facts({ columns: 0 }, [
    ['id', 'a\nb\u001b[2J'],
    ['reason', ''],
    ['status', 'FAILED', (value) => `<${value}>`],
  ]);
  expect(text).toBe('id      a b\\x1b[2J\nstatus  <FAILED>');
});

test('on a terminal a long value goes on below, and one that is to be copied stands alone', () => {
  const lines = (columns: number) =>
    facts({ columns }, [
      ['to', 'one two three four five six', (value) => `<${value}>`],
      ['code', 'a b c d e f g h i j k l m n', undefined, true],
    ]);
  expect(lines(0)).toBe('to    <one two three four five six>\ncode  a b c d e f g h i j k l m n');
  expect(lines(27)).toBe('to    <one two three four>\n      <five six>\ncode\na b c d e f g h i j k l m n');
});
