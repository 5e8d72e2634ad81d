import { expect, test } from 'vitest';
import {
  getListPath,
  createTokenStore,
  decodePart,
  readRoute,
  parseToken,
} from '../../../src/console/model/routes.js';

test.for([
  ['%', '%'],
  ['%E0%A4%A', '%E0%A4%A'],
  ['a%20b', 'a b'],
  ['100%25', '100%'],
] as const)('reads %s in a URL as %s', ([part, text]) => {
  expect(decodePart(part)).toBe(text);
  const route = readRoute({ pathname: `/calls/${part}`, search: '?q=%', hash: `#token=${part}` });
  expect(route).toMatchObject({ section: 'live', detail: { kind: 'calls', id: text }, filter: '%' });
});

test('an opened item stays in its section', () => {
  const charge = { pathname: '/charges/order-1', search: '', hash: '' };
  expect(readRoute(charge).section).toBe('charges');
  expect(readRoute(charge, 'live').section).toBe('live');
  expect(readRoute(charge, 'nowhere').section).toBe('charges');
  expect(readRoute({ ...charge, pathname: '/charges' }, 'live').section).toBe('charges');
});

test.for([
  ['/charges/order-1', '/charges/order-1?q=x'],
  ['/deliveries/d1#attempt-2', '/deliveries/d1?q=x#attempt-2'],
  ['/charges/order-1?q=y', '/charges/order-1?q=y'],
  ['/charges/a%2Fb%3F%25', '/charges/a%2Fb%3F%25?q=x'],
  ['/charges', '/charges'],
  ['/', '/'],
] as const)('opens %s from a filtered list as %s', ([path, expected]) => {
  expect(getListPath(path, { search: '?q=x' })).toBe(expected);
});

function tokenWith(stored?: string) {
  const storage = new Map<string, string>();
  const token = createTokenStore({
    getItem: (name) => storage.get(name) ?? null,
    setItem: (name, value) => void storage.set(name, value),
  });
  if (stored !== undefined) token.store(stored);
  return token;
}

test('replaces the tab’s token by the link’s only once it is accepted', () => {
  const token = tokenWith('own');
  token.offer('foreign');
  expect(token.current()).toBe('own');
  expect(token.withdrawOffer()).toBe('foreign');
  expect(token.acceptOffer()).toBe(false);
  expect(token.current()).toBe('own');
  token.offer('new');
  expect(token.acceptOffer()).toBe(true);
  expect(token.current()).toBe('new');
});

test('ignores the tab’s own token in a link', () => {
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
] as const)('%s contains the token %s', ([hash, token]) => {
  expect(parseToken({ hash })).toBe(token);
});
