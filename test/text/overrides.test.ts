import { expect, test } from 'vitest';
import { parseExactNumber, readOverrides, readPairs } from '../../src/text/overrides.js';

test('ends a key at the first equals sign', () => {
  expect(readPairs(['a=1', 'b=', 'c=x=y'])).toEqual({ values: { a: '1', b: '', c: 'x=y' } });
  expect(readPairs([])).toEqual({ values: {} });
});

test.each(['a', '=1', ''])('rejects %j as a pair', (text) => {
  expect(readPairs(['a=1', text])).toEqual({ problem: `expects key=value; got ${text}.` });
  expect(readPairs([text], 'name=URL')).toEqual({ problem: `expects name=URL; got ${text}.` });
});

test.each([
  ['0', 0],
  ['-1', -1],
  ['10', 10],
  ['49.90', 49.9],
  ['1e3', 1000],
  ['1E+3', 1000],
  ['1e-3', 0.001],
  ['9007199254740992', 2 ** 53],
])('parses %s as a number', (text, expected) => {
  expect(parseExactNumber(text)).toBe(expected);
});

test.each([
  '',
  '01',
  '-',
  '+1',
  '1.',
  '.5',
  '1e',
  '0x10',
  ' 1',
  '1 ',
  '1a',
  'a1',
  '1e999',
  '9007199254740993',
])('rejects %j as a number, or because it would be rounded', (text) => {
  expect(parseExactNumber(text)).toBeUndefined();
});

test('parses path=value as a string, and path:=json as JSON', () => {
  expect(readOverrides(['status=PAID', 'a.b=', 'amount:=49.9', 'note:="a=b"', 'on:=true', 'x=1=2'])).toEqual({
    values: { status: 'PAID', 'a.b': '', 'amount:': 49.9, 'note:': 'a=b', 'on:': true, x: '1=2' },
  });
  expect(readOverrides([])).toEqual({ values: {} });
});

test.for([
  [':=1', 'expects path=value or path:=json; got :=1.', undefined],
  ['amount', 'expects path=value or path:=json; got amount.', undefined],
  [
    'note:=paid late',
    'note:= expects JSON; got paid late.',
    `For a string, write note=paid late, or quote it as JSON: 'note:="paid late"'.`,
  ],
  ['n:=0.1e', 'n:= expects a JSON number that can be represented exactly; got 0.1e.', undefined],
  [
    'n:=12345678901234567890',
    'n:= expects a JSON number that can be represented exactly; got 12345678901234567890.',
    undefined,
  ],
] as const)('rejects %s', ([text, problem, hint]) => {
  expect(readOverrides(['status=PAID', text])).toEqual({ problem, ...(hint === undefined ? {} : { hint }) });
});
