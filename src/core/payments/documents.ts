const CPF = /^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$/;
const CNPJ = /^[\dA-Z]{2}\.?[\dA-Z]{3}\.?[\dA-Z]{3}\/?[\dA-Z]{4}-?\d{2}$/;
/** The form of both, in upper or lower case, without regard to check digits. */
export const DOCUMENT_PATTERN =
  /^(?:\d{3}\.?\d{3}\.?\d{3}-?\d{2}|[\dA-Za-z]{2}\.?[\dA-Za-z]{3}\.?[\dA-Za-z]{3}\/?[\dA-Za-z]{4}-?\d{2})$/;
const CHECK_DIGITS = 2;
/** The weights of a CPF grow from 2 to 11; those of a CNPJ start again after 9. */
const LARGEST_WEIGHT = { CPF: 11, CNPJ: 9 } as const;
/** Nine-digit CPF bodies lie in ten blocks between the repeated ones, such as 111111111. */
const CPF_BLOCK = 111_111_110;
const CPF_COUNT = 9 * CPF_BLOCK;
const CNPJ_COUNT = 100_000_000;

export type DocumentType = 'CPF' | 'CNPJ';

/**
 * Tells which document a text is, with or without its punctuation: a CPF, or a CNPJ, numeric or alphanumeric
 * (`payer_document` of §2.1). `undefined` when its form or its check digits are wrong or one character fills it.
 */
export function isDocument(text: string): DocumentType | undefined {
  return readDocument(text)?.type;
}

/** The bare form of a valid document, `12345678909` for `123.456.789-09`; `undefined` for anything else. */
export function normaliseDocument(text: string): string | undefined {
  return readDocument(text)?.bare;
}

/** The n-th CPF, valid and without punctuation, for test and default data. n is an integer below 999999990. */
export function cpfFrom(n: number): string {
  requireIndex(n, CPF_COUNT);
  const body = n + 1 + Math.floor(n / CPF_BLOCK);
  return withCheckDigits(String(body).padStart(9, '0'), 'CPF');
}

/** The n-th numeric CNPJ of a head office, valid and without punctuation. n is an integer below 100000000. */
export function cnpjFrom(n: number): string {
  requireIndex(n, CNPJ_COUNT);
  return withCheckDigits(`${String(n).padStart(8, '0')}0001`, 'CNPJ');
}

function readDocument(text: string): { type: DocumentType; bare: string } | undefined {
  // The upper case of a letter outside a to z may lie within A to Z.
  if (!DOCUMENT_PATTERN.test(text)) return undefined;
  const upper = text.toUpperCase();
  const type = CPF.test(upper) ? 'CPF' : CNPJ.test(upper) ? 'CNPJ' : undefined;
  if (type === undefined) return undefined;
  const bare = upper.replaceAll(/[./-]/g, '');
  if (/^(.)\1+$/.test(bare)) return undefined;
  return withCheckDigits(bare.slice(0, -CHECK_DIGITS), type) === bare ? { type, bare } : undefined;
}

function withCheckDigits(body: string, type: DocumentType): string {
  let whole = body;
  for (let i = 0; i < CHECK_DIGITS; i += 1) whole += checkDigit(whole, LARGEST_WEIGHT[type]);
  return whole;
}

/** The modulo-11 digit of both documents: weights run leftwards from 2, and a letter counts as its code less 48. */
function checkDigit(body: string, largestWeight: number): number {
  let sum = 0;
  let weight = 2;
  for (let i = body.length - 1; i >= 0; i -= 1) {
    sum += (body.charCodeAt(i) - 48) * weight;
    weight = weight === largestWeight ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

function requireIndex(n: number, count: number): void {
  if (!Number.isInteger(n) || n < 0 || n >= count) {
    throw new RangeError(`Expected an integer from 0 to ${count - 1}, got ${n}`);
  }
}
