import { expect, test } from 'vitest';
import { forgeryOf } from '../../src/contract/fault-kinds.js';

test.each([
  [[], undefined],
  [['drop'], undefined],
  [['drop', 'stale-timestamp'], 'stale-timestamp'],
  [['two-signatures'], 'two-signatures'],
  [['wrong-signature', 'two-signatures'], 'two-signatures'],
])('the forgery of %j is %s', (actions, expected) => {
  expect(forgeryOf(actions.map((action) => ({ action })))).toBe(expected);
});
