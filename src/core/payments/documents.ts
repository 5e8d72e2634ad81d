const EMAIL_CHARACTERS = 77;
const EMAIL =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
/** Area code, then eight digits, or nine where the first is the 9 of mobile numbers. */
const PHONE = /^\+55[1-9]\d9?\d{8}$/;
const EVP = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Every kind of PIX key, as `pix_key_type` names them (§2.2). */
export const PIX_KEY_TYPES = ['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP'] as const;

type PixKeyType = (typeof PIX_KEY_TYPES)[number];

/**
 * Tells which kind of PIX key a text is, in the form the key directory of the Central Bank stores it: documents
 * bare and with right check digits, e-mail addresses and random keys in lower case, telephones as +55 and digits.
 * `undefined` for anything else.
 */
export function detectPixKeyType(text: string): PixKeyType | undefined {
  if (normalizeDocument(text) === text) return isDocument(text);
  if (PHONE.test(text)) return 'PHONE';
  if (EVP.test(text)) return 'EVP';
  return text.length <= EMAIL_CHARACTERS && EMAIL.test(text) ? 'EMAIL' : undefined;
}

const CPF = /^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$/;
/** The form of both, in upper or lower case, without regard to check digits. */
export const DOCUMENT_PATTERN =
  /^(?:\d{3}\.?\d{3}\.?\d{3}-?\d{2}|[\dA-Za-z]{2}\.?[\dA-Za-z]{3}\.?[\dA-Za-z]{3}\/?[\dA-Za-z]{4}-?\d{2})$/;
const CHECK_DIGITS = 2;
/** CPF weights grow from 2 to 11; CNPJ weights restart after 9. */
const LARGEST_WEIGHT = { CPF: 11, CNPJ: 9 } as const;

type DocumentType = 'CPF' | 'CNPJ';

/**
 * Tells which document a text is, with or without its punctuation: a CPF, or a CNPJ, numeric or alphanumeric
 * (`payer_document` of §2.1). `undefined` when its form or its check digits are wrong or one character fills it.
 */
export function isDocument(text: string): DocumentType | undefined {
  return readDocument(text)?.type;
}

/** The bare form of a valid document, `12345678909` for `123.456.789-09`; `undefined` for anything else. */
export function normalizeDocument(text: string): string | undefined {
  return readDocument(text)?.bare;
}

function readDocument(text: string): { type: DocumentType; bare: string } | undefined {
  // The upper case of a letter outside a to z may lie within A to Z.
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
