import { describe, expect, test } from 'vitest';
import { PIX_KEY_TYPES, pixKeyType } from '../../../src/core/payments/documents.js';

describe('pixKeyType', () => {
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
  ])('knows %s', (key, type) => {
    expect(pixKeyType(key)).toBe(type);
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
  ])('refuses %s', (_, key) => {
    expect(pixKeyType(key)).toBeUndefined();
  });
});
