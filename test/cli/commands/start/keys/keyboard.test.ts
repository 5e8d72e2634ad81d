import { describe, expect, test } from 'vitest';
import { hasTerminal, parseKeys } from '../../../../../src/cli/commands/start/keys/keyboard.js';

describe('the group that controls the terminal', () => {
  test.each([
    ['4242 (node) S 4000 4242 4000 34816 4242 4194304', true],
    ['4242 (a) 1 2 (b) S 4000 4242 4000 34816 4242 4194304', true],
    // No terminal at all.
    ['4242 (node) S 4000 4242 4000 0 -1 4194304', false],
  ])('%s: %s', (stat, expected) => {
    expect(hasTerminal(stat)).toBe(expected);
  });
});

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const RIGHT = '\u001b[C';

test.each([
  ['t', ['t']],
  ['\u{1F600}', ['\u{1F600}']],
  ['\u001b', ['\u001b']],
  [UP, ['up']],
  ['\u001bOB', ['down']],
  [DOWN + DOWN + UP, ['down', 'down', 'up']],
  [`${DOWN}\r`, ['down', '\r']],
  [`t${DOWN}${DOWN}\r`, ['t', 'down', 'down', '\r']],
  [RIGHT, []],
  ['retry, quit\r', []],
  [`ry${DOWN}`, []],
  [`${DOWN}r`, []],
])('parses %j as the keys %j', (typed, keys) => {
  expect(parseKeys(typed)).toEqual(keys);
});
