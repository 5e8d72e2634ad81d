import { expect, test } from 'vitest';
import { besideList, decoded, readRoute } from '../../../src/console/model/routes.js';

test.for([
  ['%', '%'],
  ['%E0%A4%A', '%E0%A4%A'],
  ['a%20b', 'a b'],
  ['100%25', '100%'],
] as const)('%s in an address is read as %s', ([part, text]) => {
  expect(decoded(part)).toBe(text);
  const route = readRoute({ pathname: `/calls/${part}`, search: '?q=%', hash: `#token=${part}` });
  expect(route).toMatchObject({ section: 'live', detail: { kind: 'calls', id: text }, filter: '%' });
});

test('what is opened stays in the section that it was opened from', () => {
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
] as const)('%s is opened from a filtered list as %s', ([path, expected]) => {
  expect(besideList(path, { search: '?q=x' })).toBe(expected);
});
