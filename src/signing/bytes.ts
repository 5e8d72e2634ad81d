import { createHmac, timingSafeEqual } from 'node:crypto';

/** A message body: its bytes on the wire, or a text to encode in UTF-8. */
export type Bytes = Uint8Array | string;

/** HMAC-SHA256 of the concatenated parts; text is encoded in UTF-8. @internal */
export function hmacSha256(key: Bytes, ...parts: readonly Bytes[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Compares two byte strings in constant time for their length. @internal */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * The bytes of header or request-line text, of which HTTP parsers turn each byte into one character; ASCII is
 * as good as its bytes. @internal
 */
export function wireBytes(text: string): Bytes {
  return /[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text) ? Buffer.from(text, 'latin1') : text;
}
