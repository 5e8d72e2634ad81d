import { isDocument, normaliseDocument } from './documents.js';

const EMAIL_CHARACTERS = 77;
const EMAIL =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
/** Area code, then eight digits, or nine where the first is the 9 of mobile numbers. */
const PHONE = /^\+55[1-9]\d9?\d{8}$/;
const EVP = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Every kind of PIX key, as `pix_key_type` names them (§2.2). */
export const PIX_KEY_TYPES = ['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP'] as const;

export type PixKeyType = (typeof PIX_KEY_TYPES)[number];

/**
 * Tells which kind of PIX key a text is, in the form the key directory of the Central Bank stores it: documents
 * bare and with right check digits, e-mail addresses and random keys in lower case, telephones as +55 and digits.
 * `undefined` for anything else.
 */
export function pixKeyType(text: string): PixKeyType | undefined {
  if (normaliseDocument(text) === text) return isDocument(text);
  if (PHONE.test(text)) return 'PHONE';
  if (EVP.test(text)) return 'EVP';
  return text.length <= EMAIL_CHARACTERS && EMAIL.test(text) ? 'EMAIL' : undefined;
}
