import { expect, test } from 'vitest';
import { gated } from '../../src/check/judge.js';
import { resultWith } from '../helpers/check/report.js';

test('a failure that another one explains is gated, and says so; what passed stays', () => {
  const results = [
    resultWith('refuse.secret', 'fails'),
    resultWith('refuse.body', 'fails'),
    resultWith('refuse.id', 'holds'),
    resultWith('refuse.old', 'holds'),
    resultWith('refuse.future', 'fails'),
  ];
  const found = gated(results);
  expect(found.map(({ verdict }) => verdict)).toEqual(['fail', 'gated', 'pass', 'pass', 'fail']);
  expect(found[1]?.reason).toBe('refuse.secret failed: signatures are not verified at all');
});
