import { expect, test } from 'vitest';
import { readOverrides } from '../../src/text/overrides.js';

test('path=value is a string, and path:=json is JSON', () => {
  expect(readOverrides(['status=PAID', 'a.b=', 'amount:=49.9', 'note:="a=b"', 'on:=true', 'x=1=2'])).toEqual({
    values: { status: 'PAID', 'a.b': '', 'amount:': 49.9, 'note:': 'a=b', 'on:': true, x: '1=2' },
  });
  expect(readOverrides([])).toEqual({ values: {} });
});

test.for([
  [':=1', 'takes path=value or path:=json; got :=1.', undefined],
  ['amount', 'takes path=value or path:=json; got amount.', undefined],
  [
    'note:=paid late',
    'note:= takes JSON; got paid late.',
    `For a text, write note=paid late, or quote it as JSON: 'note:="paid late"'.`,
  ],
  ['n:=0.1e', 'n:= takes a JSON number that can be kept exactly; got 0.1e.', undefined],
  [
    'n:=12345678901234567890',
    'n:= takes a JSON number that can be kept exactly; got 12345678901234567890.',
    undefined,
  ],
] as const)('%s is refused', ([text, problem, hint]) => {
  expect(readOverrides(['status=PAID', text])).toEqual({ problem, ...(hint === undefined ? {} : { hint }) });
});
