import { isDocument } from '../../../src/core/payments/documents.js';

/** Nine-digit CPF bodies lie in ten blocks between the repeated ones, such as 111111111. */
const CPF_BLOCK = 111_111_110;

/** The n-th CPF, valid and without punctuation. n is an integer below 999999990. */
export function cpfFrom(n: number): string {
  return withCheckDigits(String(n + 1 + Math.floor(n / CPF_BLOCK)).padStart(9, '0'));
}

/** The n-th numeric CNPJ of a head office, valid and without punctuation. n is an integer below 100000000. */
export function cnpjFrom(n: number): string {
  return withCheckDigits(`${String(n).padStart(8, '0')}0001`);
}

/** Finds the check digits by trial. */
function withCheckDigits(body: string): string {
  const documents = Array.from({ length: 100 }, (_, digits) => body + String(digits).padStart(2, '0'));
  const [document, ...others] = documents.filter((text) => isDocument(text) !== undefined);
  if (document === undefined || others.length > 0) throw new Error(`${body} has no check digits of its own`);
  return document;
}
