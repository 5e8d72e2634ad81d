import { shareAcrossCopies } from '../copies.js';

const PREFIX = 'whsec_';

/** A webhook secret that is not `whsec_` followed by base64 (§5.5). The message never contains the secret. */
export class SecretFormatError extends Error {
  /** Written out, because minifiers rename classes and Node prints this name. */
  static override readonly name = 'SecretFormatError';
  static {
    shareAcrossCopies(this, this.name);
  }
  override readonly name = SecretFormatError.name;
}

/** The HMAC key in a `whsec_` secret: the bytes after the prefix, base64-decoded (§5.5). Throws SecretFormatError. */
export function webhookKey(secret: string): Uint8Array {
  const encoded = secret.slice(PREFIX.length);
  if (secret.startsWith(PREFIX) && encoded !== '') {
    const key = Buffer.from(encoded, 'base64');
    // Node's decoder skips invalid characters; only canonical base64 survives decoding and encoding.
    if (key.toString('base64') === encoded) return key;
  }
  throw new SecretFormatError(`Expected a webhook secret of the form whsec_<base64>, got ${fault(secret)}.`);
}

function fault(secret: string): string {
  if (secret === '') return 'nothing. Give the secret that creating or rotating the endpoint returned';
  if (secret !== secret.trim()) return 'one with blanks or a line break around it. Trim it';
  if (/^["'`]/.test(secret)) return 'one in quotes. Take the quotes off';
  if (!secret.startsWith(PREFIX)) return 'one without the prefix whsec_. Give it whole, prefix included';
  const encoded = secret.slice(PREFIX.length);
  if (encoded === '') return 'the prefix with nothing after it. Give the secret whole';
  const [, digits, padding = ''] = /^([A-Za-z0-9+/]+)(=*)$/.exec(encoded) ?? [];
  if (digits !== undefined) return base64Fault(digits.length, padding.length);
  if (/^[A-Za-z0-9_-]+=*$/.test(encoded)) return 'base64url (- and _) after the prefix. Use + and / instead';
  return 'something after the prefix that is not base64. Copy the secret again';
}

function base64Fault(digits: number, padding: number): string {
  const surplus = padding - ((4 - (digits % 4)) % 4);
  if (digits % 4 === 1 || surplus < 0) {
    return 'base64 that is cut short or lacks its = padding. Copy the secret whole';
  }
  if (surplus > 0)
    return `base64 with ${surplus} surplus = at its end. Remove ${surplus === 1 ? 'it' : 'them'}`;
  return 'base64 with a last character that ends no byte. Copy the secret again';
}
