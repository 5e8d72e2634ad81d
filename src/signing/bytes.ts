import { createHmac, timingSafeEqual } from 'node:crypto';

/** A message body: its bytes as they travel, or text, which stands for its UTF-8 bytes. */
export type Bytes = Uint8Array | string;

/** HMAC-SHA256 of the parts put one after the other; text parts count as their UTF-8 bytes. */
export function hmacSha256(key: Bytes, ...parts: readonly Bytes[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Whether two byte strings are equal, in a time that depends on their lengths alone. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Header and request-line text back to the bytes it was read from: HTTP parsers make one character of each byte. */
export function wireBytes(text: string): Bytes {
  return /[\u0100-\uffff]/.test(text) ? text : Buffer.from(text, 'latin1');
}
