import { describe, expect, test } from 'vitest';
import { isDocument, normaliseDocument } from '../../../src/core/payments/documents.js';

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
});
