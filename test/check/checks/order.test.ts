import { expect, test } from 'vitest';
import { Observer, stateOf, wentBack } from '../../../src/check/probe.js';

const observer = new Observer(() => Promise.resolve(''), new AbortController().signal);
const twins = { observer, recorded: new Set<string>() };

function state(held: object) {
  return stateOf(JSON.stringify(held), { code: 'check-0', id: '-' }, 0);
}

test.each([
  [
    'a note of the late event is no way back',
    { status: 'paid', paidAt: 'x' },
    { status: 'paid', paidAt: 'x', expiredAt: 'y' },
    false,
  ],
  ['another status is', { status: 'paid' }, { status: 'expired' }, true],
  ['a credit that is taken back is', { status: 'paid', credits: 1 }, { status: 'paid', credits: 0 }, true],
  ['nothing changed', { status: 'paid', credits: 1 }, { status: 'paid', credits: 1 }, false],
])('%s', (_, before, after, isBack) => {
  const back = state({ status: 'open', paidAt: null, credits: 0 });
  expect(wentBack(twins, { before: state(before), after: state(after), back })).toBe(isBack);
});

test('where a probe prints facts only, it went back if it is as it was at first', () => {
  const [before, back] = [state({ paidAt: 'x' }), state({ paidAt: null })];
  expect(wentBack(twins, { before, after: state({ paidAt: null }), back })).toBe(true);
  expect(wentBack(twins, { before, after: state({ paidAt: 'x', expiredAt: 'y' }), back })).toBe(false);
});
