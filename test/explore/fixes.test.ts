import { expect, test } from 'vitest';
import { fixOf } from '../../src/explore/invariants.js';
import { KINDS } from '../../src/explore/kinds.js';
import { BROKEN } from '../helpers/explore/fake-runner.js';

test('a failed test is fixed by its faults, each fix once, and an invariant by its own fix', () => {
  const fix = (wanted: string) => KINDS.find(({ name }) => name === wanted)?.fix;
  const ids = fix('duplicate');
  expect(fixOf(BROKEN, ['duplicate', 'lose-answer'])).toBe(ids);
  expect(fixOf(BROKEN, ['lose-answer', 'reorder'])).toBe(`${ids} ${fix('reorder')}`);
  const hang = { category: 'invariant', name: 'no hang', message: '' } as const;
  expect(fixOf(hang, ['duplicate'])).toMatch(new RegExp(`^${ids} Give every .* wait a time limit`));
  expect(fixOf({ ...hang, name: 'settled payments are known to the application' }, ['duplicate'])).toBe(ids);
  expect(fixOf({ ...hang, name: 'every delivery arrives' }, ['duplicate'])).toMatch(/within 10 s/);
  expect(fixOf(BROKEN, ['drop'])).toMatch(/contract/);
});
