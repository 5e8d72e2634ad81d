import { expect, test } from 'vitest';
import { facts } from '../../../src/cli/present/facts.js';

test('names and values stand in two columns, without empty ones, each on a harmless line', () => {
  const text = facts([
    ['id', 'a\nb\u001b[2J'],
    ['reason', ''],
    ['status', 'FAILED', (value) => `<${value}>`],
  ]);
  expect(text).toBe('id      a b\\x1b[2J\nstatus  <FAILED>');
});
