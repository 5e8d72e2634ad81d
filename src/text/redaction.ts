/** Replacement for redacted text. Requests can contain this character only in their body. */
export const REDACTED = '…';
/** Maximum length of unredacted values. Longer values could be tokens. */
const LONGEST_PLAIN = 12;
/** Matches names of parameters whose values are always redacted. */
const SECRET_PARAMETER = /token|secret|passw|pwd|key|auth|sig|session|credential/i;
const NONE: ReadonlySet<string> = new Set();

/**
 * Redacts a URL or request-target, including one at the end of other text. Hides the user, the password, the
 * fragment, and possible tokens in the query, except in the `shown` parameters.
 */
export function redactUrl(text: string, shown: ReadonlySet<string> = NONE): string {
  return text
    .replace(/^([a-z*.,]+=)?[^/?#\s@:]*:[^/?#\s]*@/, `$1${REDACTED}@`)
    .replaceAll(/\/\/[^/?#\s]*@/g, `//${REDACTED}@`)
    .replaceAll(/([?&])([^=&#\s]*)(?:=([^&#\s]*))?/g, (whole, mark: string, name: string, value?: string) => {
      if (value === undefined) return name.length > LONGEST_PLAIN ? mark + REDACTED : whole;
      const isPlain = value.length <= LONGEST_PLAIN && !SECRET_PARAMETER.test(name);
      const isShort = isPlain || value.endsWith(REDACTED);
      return isShort || shown.has(name) ? whole : `${mark}${name}=${REDACTED}`;
    })
    .replace(/#\S+/, `#${REDACTED}`);
}

const SECRET_HEADER = /authorization|cookie|token|secret|password|api-?key/i;
const URL_HEADER = /^(?:(?:content-)?location|referer)$/i;

/** Shortens a secret to a recognizable form. */
export function shortenSecret(secret: string): string {
  return secret.length <= LONGEST_PLAIN ? REDACTED : `${secret.slice(0, 8)}${REDACTED}${secret.slice(-2)}`;
}

/** Shortens the secrets in a credential header. Preserves the scheme, such as `Bearer`. */
export function shortenCredential(value: string): string {
  return value.replaceAll(/\S+/g, (word, at: number) => {
    const isScheme = at === 0 && /^[a-z]{1,10}$/i.test(word) && word.length < value.trimEnd().length;
    return isScheme ? word : shortenSecret(word);
  });
}

/** Matches the end of a secret field's name in JSON or form data, up to the start of the value. */
const SECRET_FIELD =
  /(?:secret|token|passw|pwd|api_?key|credential|authorization)[\w.-]{0,40}"?\s{0,9}[:=]\s{0,9}/gi;
const PLAIN_VALUE = /^(?:"|null|true|false|-?[\d.]+)?$/;
const ENDS_VALUE = new Set(' \t\r\n,&"{}[]');

/** Finds the end of a value starting at `start`: the closing quote or the next delimiter. */
function endOfValue(text: string, start: number): number {
  const isQuoted = text[start] === '"';
  let at = isQuoted ? start + 1 : start;
  while (at < text.length && (isQuoted ? text[at] !== '"' : !ENDS_VALUE.has(text[at] ?? ''))) {
    at += isQuoted && text[at] === '\\' ? 2 : 1;
  }
  return Math.min(at, text.length);
}

/** Shortens the values of secret fields in a body. */
export function redactFields(text: string): string {
  let shown = '';
  let done = 0;
  for (const { 0: field, index } of text.matchAll(SECRET_FIELD)) {
    const start = index + field.length;
    if (start < done) continue;
    const end = endOfValue(text, start);
    const value = text.slice(start, end);
    if (PLAIN_VALUE.test(value)) continue;
    shown +=
      text.slice(done, start) +
      (value.startsWith('"') ? `"${shortenSecret(value.slice(1))}` : shortenSecret(value));
    done = end;
  }
  return shown + text.slice(done);
}

/** Returns true for a header that contains credentials. */
export function isCredentialHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}

/**
 * Redacts credentials and URLs in headers for display. `credential` replaces the values of credential
 * headers.
 */
export function redactHeaders(
  headers: readonly (readonly [name: string, value: string])[],
  credential: (value: string) => string = () => REDACTED,
): [name: string, value: string][] {
  return headers.map(([name, value]) => {
    if (isCredentialHeader(name)) return [name, credential(value)];
    return [name, URL_HEADER.test(name) ? redactUrl(value) : value];
  });
}

/**
 * Minimum secret length. Shorter values could be ordinary words, and hiding them would make texts unreadable.
 */
const MIN_LENGTH = 8;
/** Matches generated secrets by format, including unknown secrets. */
const SHAPES = /(?:pix|kyc)_test_[\w-]{16,}|whsec_[\w+/-]{16,}={0,2}/g;
/** Matches a percent-encoded byte or a JSON escape. */
const ESCAPES = /%([\da-f]{2})|\\u([\da-f]{4})|\\(["\\/])/gi;

/** Hides known secrets in text, whether literal, percent-encoded once or JSON-escaped. */
export class KnownSecrets {
  /** Sorted by descending length, because one secret can contain another. */
  #secrets: readonly string[] = [];
  readonly #minLength: number;

  constructor(secrets: Iterable<string> = [], minLength = MIN_LENGTH) {
    this.#minLength = minLength;
    this.add(secrets);
  }

  /** Adds secrets. Ignores values shorter than the minimum length, by default eight characters. */
  add(secrets: Iterable<string>): void {
    // Add a bytewise form, because percent-encoded texts and non-UTF-8 bodies are searched as bytes.
    const forms = [...secrets].flatMap((secret) => [secret, Buffer.from(secret).toString('latin1')]);
    const added = forms.filter((form) => form.length >= this.#minLength && !this.#secrets.includes(form));
    if (added.length === 0) return;
    const all = new Set([...this.#secrets, ...added]);
    this.#secrets = [...all].sort((one, other) => other.length - one.length);
  }

  /** Replaces every secret with `mark`. */
  hide(text: string, mark = REDACTED): string {
    const plain = text.replaceAll(ESCAPES, (_, byte?: string, code?: string, character?: string) =>
      character === undefined ? String.fromCharCode(Number.parseInt(byte ?? code ?? '', 16)) : character,
    );
    let shown = text;
    for (const secret of this.#secrets) {
      if (plain.includes(secret) || text.includes(secret)) {
        shown = shown.replaceAll(new RegExp(Array.from(secret, createCharacterPattern).join(''), 'g'), mark);
      }
    }
    return shown.replaceAll(SHAPES, mark);
  }
}

/** Returns a pattern for a character: literal, backslash-escaped, percent-encoded or Unicode-escaped. */
function createCharacterPattern(character: string): string {
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  const short = /["\\/]/.test(character) ? [`\\\\${literal}`] : [];
  const bytes = Array.from(Buffer.from(character), (byte) => `%${hex(byte, 2)}`).join('');
  const byte = character.charCodeAt(0) < 256 ? [`%${hex(character.charCodeAt(0), 2)}`] : [];
  const units = Array.from(
    { length: character.length },
    (_, at) => `\\\\u${hex(character.charCodeAt(at), 4)}`,
  );
  return `(?:${[literal, ...short, bytes, ...byte, units.join('')].join('|')})`;
}

/** Returns a case-insensitive pattern for a hexadecimal number. */
function hex(value: number, digits: number): string {
  const written = value.toString(16).padStart(digits, '0');
  return written.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
