import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { withMember } from '../../../src/text/exchange/shown.js';

test.for([
  ['{"code":"a"}', '{"code":"new"}'],
  ['{ "code" : {"code":[1,"}"]} , "b":1.50 }', '{ "code" : "new" , "b":1.50 }'],
  ['{"b":{"code":"x"},"code":"a"}', '{"b":{"code":"x"},"code":"new"}'],
  [String.raw`{"b":"\"code\":1","c\u006fde":-1e3}`, String.raw`{"b":"\"code\":1","c\u006fde":"new"}`],
  ['{"code":1,"code":2}', '{"code":1,"code":"new"}'],
  ['{"b":["code","a"]}', undefined],
  ['{"b":"code"}', undefined],
  ['{}', undefined],
  ['["code","a"]', undefined],
  ['"code"', undefined],
  ['{"code":"a"', undefined],
  ['', undefined],
] as const)('in %s it becomes %s', ([json, expected]) => {
  expect(withMember(json, 'code', 'new')).toBe(expected);
});

test('nothing but the member changes, in any object', () => {
  const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (object, code) => {
    const json = JSON.stringify({ ...object, code }, null, 1);
    const edited = withMember(json, 'code', 'new') ?? '';
    expect(JSON.parse(edited)).toEqual({ ...(JSON.parse(json) as object), code: 'new' });
  });
  fc.assert(property, { numRuns: 60 });
});
