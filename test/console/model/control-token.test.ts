import { expect, test } from 'vitest';
import { ControlToken, tokenIn } from '../../../src/console/model/control-token.js';

function tokenWith(stored?: string): ControlToken {
  const storage = new Map<string, string>();
  const token = new ControlToken({
    getItem: (name) => storage.get(name) ?? null,
    setItem: (name, value) => void storage.set(name, value),
  });
  if (stored !== undefined) token.store(stored);
  return token;
}

test("the link's token replaces the tab's only when it is taken", () => {
  const token = tokenWith('own');
  token.offer('foreign');
  expect(token.current).toBe('own');
  expect(token.withdrawOffer()).toBe('foreign');
  expect(token.takeOffered()).toBe(false);
  expect(token.current).toBe('own');
  token.offer('new');
  expect(token.takeOffered()).toBe(true);
  expect(token.current).toBe('new');
});

test("the tab's own token in a link is no other one", () => {
  const token = tokenWith('own');
  token.offer('own');
  expect(token.withdrawOffer()).toBeUndefined();
});

test.for([
  ['#token=a%2Bb', 'a+b'],
  ['#token=%E0%A4%A', '%E0%A4%A'],
  ['#token=', undefined],
  ['#token=a%0Ab', undefined],
  ['#token=%C3%A9', undefined],
  ['#attempt-2', undefined],
  ['', undefined],
] as const)('%s holds the token %s', ([hash, token]) => {
  expect(tokenIn({ hash })).toBe(token);
});
