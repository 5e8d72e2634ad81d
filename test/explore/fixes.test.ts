import { expect, test } from 'vitest';
import { fixOf, INVARIANT_FIXES, KIND_FIXES, KINDS } from '../../src/explore/kinds.js';
import { INVARIANTS } from '../../src/explore/runs.js';
import { BROKEN } from '../helpers/explore/fake-runner.js';

test('every kind of fault and every invariant has a fix', () => {
  expect(Object.keys(KIND_FIXES)).toEqual(KINDS.map(({ name }) => name));
  expect(Object.keys(INVARIANT_FIXES).toSorted()).toEqual([...Object.keys(INVARIANTS), 'no hang'].toSorted());
});

test('a failed test is fixed by its faults, each fix once, and an invariant by its own fix', () => {
  const ids = KIND_FIXES['duplicate'] ?? '';
  expect(fixOf(BROKEN, ['duplicate', 'lose-answer'])).toBe(ids);
  expect(fixOf(BROKEN, ['lose-answer', 'reorder'])).toBe(`${ids} ${KIND_FIXES['reorder']}`);
  const hang = { category: 'invariant', name: 'no hang', message: '' } as const;
  expect(fixOf(hang, ['duplicate'])).toMatch(new RegExp(`^${ids} Give every .* wait a time limit`));
  expect(fixOf({ ...hang, name: 'settled payments are known to the application' }, ['duplicate'])).toBe(ids);
  expect(fixOf(BROKEN, ['drop'])).toMatch(/contract/);
});
