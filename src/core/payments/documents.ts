const EMAIL_CHARACTERS = 77;
const EMAIL =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
/** Matches +55, an area code, and eight digits, or nine digits starting with 9 for mobile numbers. */
const PHONE = /^\+55[1-9]\d9?\d{8}$/;
const EVP = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** All PIX key types, as used in `pix_key_type` (§2.2). */
export const PIX_KEY_TYPES = ['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP'] as const;

type PixKeyType = (typeof PIX_KEY_TYPES)[number];

/**
 * Detects the type of a PIX key in the format of the Central Bank's directory: documents without punctuation
 * and with valid check digits, lowercase e-mail addresses and random keys, and phone numbers as +55 and
 * digits. Returns undefined for any other string.
 */
export function detectPixKeyType(text: string): PixKeyType | undefined {
  if (normalizeDocument(text) === text) return isDocument(text);
  if (PHONE.test(text)) return 'PHONE';
  if (EVP.test(text)) return 'EVP';
  return text.length <= EMAIL_CHARACTERS && EMAIL.test(text) ? 'EMAIL' : undefined;
}

const CPF = /^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$/;
/** Matches a CPF or CNPJ in upper or lower case, without verifying check digits. */
export const DOCUMENT_PATTERN =
  /^(?:\d{3}\.?\d{3}\.?\d{3}-?\d{2}|[\dA-Za-z]{2}\.?[\dA-Za-z]{3}\.?[\dA-Za-z]{3}\/?[\dA-Za-z]{4}-?\d{2})$/;
const CHECK_DIGITS = 2;
/** CPF weights increase from 2 to 11; CNPJ weights restart after 9. */
const LARGEST_WEIGHT = { CPF: 11, CNPJ: 9 } as const;

type DocumentType = 'CPF' | 'CNPJ';

/**
 * Returns the type of a document, with or without punctuation: a CPF, or a numeric or alphanumeric CNPJ
 * (`payer_document`, §2.1). Returns undefined for malformed documents, invalid check digits or a single
 * repeated character.
 */
export function isDocument(text: string): DocumentType | undefined {
  return readDocument(text)?.type;
}

/**
 * Removes the punctuation of a valid document: `123.456.789-09` becomes `12345678909`. Returns undefined for
 * any other string.
 */
export function normalizeDocument(text: string): string | undefined {
  return readDocument(text)?.bare;
}

function readDocument(text: string): { type: DocumentType; bare: string } | undefined {
  // Tests before uppercasing, which can turn non-ASCII letters into A to Z.
  if (!DOCUMENT_PATTERN.test(text)) return undefined;
  const upper = text.toUpperCase();
  const type = CPF.test(upper) ? 'CPF' : 'CNPJ';
  const bare = upper.replaceAll(/[./-]/g, '');
  if (/^(.)\1+$/.test(bare)) return undefined;
  return withCheckDigits(bare.slice(0, -CHECK_DIGITS), type) === bare ? { type, bare } : undefined;
}

function withCheckDigits(body: string, type: DocumentType): string {
  let whole = body;
  for (let i = 0; i < CHECK_DIGITS; i += 1) whole += checkDigit(whole, LARGEST_WEIGHT[type]);
  return whole;
}

/**
 * Computes a modulo-11 check digit. Weights start at 2 and increase leftward; a character's value is its code
 * minus 48.
 */
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
