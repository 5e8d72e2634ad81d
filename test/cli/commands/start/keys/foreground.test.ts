import { describe, expect, test } from 'vitest';
import { groupHasTerminal } from '../../../../../src/cli/commands/start/keys/keyboard.js';

describe('the group that has the terminal', () => {
  test.each([
    ['4242 (node) S 4000 4242 4000 34816 4242 4194304', true],
    ['4242 (node) S 4000 4242 4000 34816 4000 4194304', false],
    ['4242 (a) 1 2 (b) S 4000 4242 4000 34816 4242 4194304', true],
    // No terminal at all.
    ['4242 (node) S 4000 4242 4000 0 -1 4194304', false],
  ])('%s: %s', (stat, expected) => {
    expect(groupHasTerminal(stat)).toBe(expected);
  });
});
