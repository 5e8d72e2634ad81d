import { expect, test } from 'vitest';
import { decoded, readRoute } from '../../../src/console/model/routes.js';

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
