import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDocument, normaliseDocument } from '../../../src/core/payments/documents.js';
import { cnpjFrom, cpfFrom } from '../../helpers/core/documents.js';

const LARGEST_CPF_INDEX = 999_999_989;
const LARGEST_CNPJ_INDEX = 99_999_999;

describe('isDocument and normaliseDocument', () => {
  test.each([
    ['123.456.789-09', 'CPF', '12345678909'],
    ['12345678909', 'CPF', '12345678909'],
    ['111.444.777-35', 'CPF', '11144477735'],
    ['00000000191', 'CPF', '00000000191'],
    ['11.222.333/0001-81', 'CNPJ', '11222333000181'],
    ['00000000000191', 'CNPJ', '00000000000191'],
    ['12ABC34501DE35', 'CNPJ', '12ABC34501DE35'],
    ['12.ABC.345/01DE-35', 'CNPJ', '12ABC34501DE35'],
    ['12.abc.345/01de-35', 'CNPJ', '12ABC34501DE35'],
  ])('knows %s', (text, type, bare) => {
    expect(isDocument(text)).toBe(type);
    expect(normaliseDocument(text)).toBe(bare);
  });

  test.each([
    ['a wrong first check digit', '12345678919'],
    ['a wrong second check digit', '12345678908'],
    ['a wrong check digit of a CNPJ', '11222333000182'],
    ['a wrong check digit of an alphanumeric CNPJ', '12ABC34501DE36'],
    ['letters where the check digits stand', '12ABC34501DEAB'],
    ['letters in a CPF', '1234567890A'],
    ['too few digits', '1234567890'],
    ['too many digits', '123456789090'],
    ['punctuation in the wrong place', '1234.567.89-09'],
    ['a space', '12345678909 '],
    ['a line end', '12345678909\n'],
    ['digits that are not ASCII', '١٢٣٤٥٦٧٨٩٠٩'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(isDocument(text)).toBeUndefined();
    expect(normaliseDocument(text)).toBeUndefined();
  });

  test.each(Array.from('0123456789'))('refuses %s repeated, whatever its check digits say', (digit) => {
    expect(isDocument(digit.repeat(11))).toBeUndefined();
    expect(isDocument(digit.repeat(14))).toBeUndefined();
  });

  test('notices every single wrong digit of a CPF whose check digit stands for one remainder alone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: LARGEST_CPF_INDEX }),
        fc.nat(10),
        fc.integer({ min: 1, max: 9 }),
        (n, at, shift) => {
          const digits = Array.from(cpfFrom(n));
          // The check digit 0 stands for two remainders, so before it some wrong digits pass.
          fc.pre(at >= 9 || digits[9] !== '0');
          digits[at] = String((Number(digits[at]) + shift) % 10);
          expect(isDocument(digits.join(''))).toBeUndefined();
        },
      ),
    );
  });
});

describe('cpfFrom and cnpjFrom', () => {
  test('make valid documents without punctuation from any index', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LARGEST_CPF_INDEX }), (n) => {
        expect(isDocument(cpfFrom(n))).toBe('CPF');
        expect(cpfFrom(n)).toMatch(/^\d{11}$/);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LARGEST_CNPJ_INDEX }), (n) => {
        expect(isDocument(cnpjFrom(n))).toBe('CNPJ');
        expect(cnpjFrom(n)).toMatch(/^\d{8}0001\d\d$/);
      }),
    );
  });
});
