import { expect, test } from 'vitest';
import * as resources from '../../../src/core/resources/resources.js';
import * as values from '../../../src/core/resources/values.js';
import { read } from '../../../src/schema/schema.js';

const isRead = (schema: Parameters<typeof read>[0], text: string) => read(schema, text).mistakes.length === 0;

test.each([
  ['2026-01-31T12:00:00.000Z', true],
  ['x2026-01-31T12:00:00.000Z', false],
  ['2026-01-31T12:00:00.000Zx', false],
  ['12026-01-31T12:00:00.000Z', false],
  ['2026-1-31T12:00:00.000Z', false],
  ['2026-01-3T12:00:00.000Z', false],
  ['2026-01-31T2:00:00.000Z', false],
  ['2026-01-31T12:0:00.000Z', false],
  ['2026-01-31T12:00:0.000Z', false],
  ['2026-01-31T12:00:00.00Z', false],
  ['2026-01-31T12:00:00x000Z', false],
  ['aaaa-01-31T12:00:00.000Z', false],
])('%s: an instant of an answer is %s', (text, is) => {
  expect(isRead(values.INSTANT, text)).toBe(is);
});

test.each([
  ['0.00', true],
  ['0.01', true],
  ['10.50', true],
  ['1234567890.12', true],
  ['00.00', false],
  ['01.00', false],
  ['1', false],
  ['1.0', false],
  ['1.000', false],
  ['1x00', false],
  ['a.00', false],
  ['x1.00', false],
  ['1.00x', false],
  ['.00', false],
])('%s: an amount of an answer is %s', (text, is) => {
  expect(isRead(values.AMOUNT, text)).toBe(is);
});

test.each([
  ['whsec_AAAA', true],
  ['whsec_A+/9z==', true],
  ['whsec_', false],
  ['whsec_=', false],
  ['whsec_AA-A', false],
  ['xwhsec_AAAA', false],
  ['whsec_AAAA=x', false],
])('%s: a signing secret is %s', (text, is) => {
  expect(isRead(resources.SECRET, text)).toBe(is);
});

test.each([
  ['000201266304ABCD', true],
  ['00020163040000', true],
  ['0002016304ABC', false],
  ['0002016304ABCDE', false],
  ['0002016304abcd', false],
  ['x0002016304ABCD', false],
  ['0002026304ABCD', false],
])('%s: a BR Code is %s', (text, is) => {
  expect(isRead(resources.CHARGE.fields.qr_code, text)).toBe(is);
});
