import { describe, expect, test } from 'vitest';
import {
  isDocument,
  normalizeDocument,
  PIX_KEY_TYPES,
  detectPixKeyType,
} from '../../../src/core/payments/documents.js';

describe('detectPixKeyType', () => {
  test.each([
    ['12345678909', 'CPF'],
    ['11222333000181', 'CNPJ'],
    ['12ABC34501DE35', 'CNPJ'],
    ['pix@example.com', 'EMAIL'],
    ["o'brien+pix_1@mail.example-bank.com.br", 'EMAIL'],
    [`${'a'.repeat(65)}@example.com`, 'EMAIL'],
    ['+5511987654321', 'PHONE'],
    ['+551133334444', 'PHONE'],
    ['123e4567-e12b-12d1-a456-426655440000', 'EVP'],
  ])('recognizes %s', (key, type) => {
    expect(detectPixKeyType(key)).toBe(type);
    expect(PIX_KEY_TYPES).toContain(type);
  });

  test.each([
    ['a CPF with punctuation', '123.456.789-09'],
    ['a CPF with wrong check digits', '12345678900'],
    ['a CNPJ with punctuation', '11.222.333/0001-81'],
    ['a CNPJ in lower case', '12abc34501de35'],
    ['an e-mail in upper case', 'Pix@example.com'],
    ['an e-mail of 78 characters', `${'a'.repeat(66)}@example.com`],
    ['an e-mail without a domain', 'pix@'],
    ['an e-mail with a one-word domain', 'pix@localhost'],
    ['an e-mail with a label that ends in a hyphen', 'pix@example-.com'],
    ['a telephone without +55', '11987654321'],
    ['a telephone of another country', '+351912345678'],
    ['a mobile number that does not begin with 9', '+5511187654321'],
    ['a telephone with an area code from zero', '+5501987654321'],
    ['a random key in upper case', '123E4567-E12B-12D1-A456-426655440000'],
    ['a random key without hyphens', '123e4567e12b12d1a456426655440000'],
    ['a line end', 'pix@example.com\n'],
    ['nothing', ''],
  ])('rejects %s', (_, key) => {
    expect(detectPixKeyType(key)).toBeUndefined();
  });
});

describe('isDocument and normalizeDocument', () => {
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
  ])('isDocument and normalizeDocument recognize %s', (text, type, bare) => {
    expect(isDocument(text)).toBe(type);
    expect(normalizeDocument(text)).toBe(bare);
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
  ])('isDocument and normalizeDocument reject %s', (_, text) => {
    expect(isDocument(text)).toBeUndefined();
    expect(normalizeDocument(text)).toBeUndefined();
  });

  test.each(Array.from('0123456789'))(
    'isDocument and normalizeDocument reject %s repeated, whatever its check digits',
    (digit) => {
      expect(isDocument(digit.repeat(11))).toBeUndefined();
      expect(isDocument(digit.repeat(14))).toBeUndefined();
    },
  );
});
