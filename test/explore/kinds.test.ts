import { expect, test } from 'vitest';
import type { PlannedFault } from '../../src/explore/explore.js';
import { suggestFix } from '../../src/explore/invariants.js';
import { formatFault, EXPLORED_FAULTS, formatPoint } from '../../src/explore/kinds.js';
import { BROKEN, CALL, SETTLED } from '../helpers/explore/fake-runner.js';

test('describes points and faults in words', () => {
  expect(formatPoint(CALL)).toBe('POST /api/public/v1/pix of order-1');
  expect(formatPoint({ ...CALL, code: null, resource: 2, nth: 3 })).toBe(
    'the third POST /api/public/v1/pix of the second charge',
  );
  expect(formatPoint({ ...SETTLED, endpoint: '*/hook', attempt: 2, nth: 4 })).toBe(
    'attempt 2 of pix.settled of order-1 to */hook, the 4th time',
  );
});

test.for<[PlannedFault, string]>([
  [{ action: 'duplicate', event: 'pix.settled', code: 'a' }, 'pix.settled of a is delivered twice'],
  [{ action: 'duplicate', copies: 7, parallel: true }, 'an event is delivered 8 times concurrently'],
  [{ on: 'call', action: 'status', status: 503, method: 'POST', path: '/p' }, 'POST /p gets a 503 response'],
  [{ on: 'call', action: 'status', status: 418, method: 'POST', path: '/p' }, 'POST /p gets status 418'],
  [
    { action: 'lose-answer', event: 'withdrawal.failed', resource: 3 },
    'withdrawal.failed of the third withdrawal',
  ],
])('suggests a fix for %j', ([fault, words]) => {
  expect(formatFault(fault)).toContain(words);
});

test('suggests each fix of a failed test once, and the own fix of an invariant', () => {
  const fix = (wanted: string) => EXPLORED_FAULTS.find(({ name }) => name === wanted)?.fix;
  const ids = fix('duplicate');
  expect(suggestFix(BROKEN, ['duplicate', 'lose-answer'])).toBe(ids);
  expect(suggestFix(BROKEN, ['lose-answer', 'reorder'])).toBe(`${ids} ${fix('reorder')}`);
  const hang = { category: 'invariant', name: 'no hang', message: '' } as const;
  expect(suggestFix(hang, ['duplicate'])).toMatch(new RegExp(`^${ids} Add a timeout to every .* wait`));
  expect(suggestFix({ ...hang, name: 'settled payments are known to the application' }, ['duplicate'])).toBe(
    ids,
  );
  expect(suggestFix({ ...hang, name: 'every delivery arrives' }, ['duplicate'])).toMatch(/within 10 s/);
  expect(suggestFix(BROKEN, ['drop'])).toMatch(/contract/);
});
