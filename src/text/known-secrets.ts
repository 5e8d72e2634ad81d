/** The replacement for a hidden secret. */
const HIDDEN = '…';
/** A shorter value could be any word, and hiding it would make texts unreadable. */
const MIN_LENGTH = 8;
/** Generated secrets are recognizable by their form, even unknown ones. */
const SHAPES = /(?:pix|kyc)_test_[\w-]{16,}|whsec_[\w+/-]{16,}={0,2}/g;
/** A percent-encoded byte, or an escape of JSON. */
const ESCAPES = /%([\da-f]{2})|\\u([\da-f]{4})|\\(["\\/])/gi;

/** Hides secrets: literal, percent-encoded once, or with JSON escapes. */
export class KnownSecrets {
  /** Longest first, because one may contain another. */
  #secrets: readonly string[] = [];

  constructor(secrets: Iterable<string> = []) {
    this.learn(secrets);
  }

  /** Values of fewer than eight characters are ignored. */
  learn(secrets: Iterable<string>): void {
    // Percent-encoded texts, and bodies other than UTF-8, are searched as bytes.
    const forms = [...secrets].flatMap((secret) => [secret, Buffer.from(secret).toString('latin1')]);
    const added = forms.filter((form) => form.length >= MIN_LENGTH && !this.#secrets.includes(form));
    if (added.length === 0) return;
    const all = new Set([...this.#secrets, ...added]);
    this.#secrets = [...all].sort((one, other) => other.length - one.length);
  }

  /** The text with `mark` in place of every secret. */
  hide(text: string, mark = HIDDEN): string {
    const plain = text.replaceAll(ESCAPES, (_, byte?: string, code?: string, character?: string) =>
      character === undefined ? String.fromCharCode(Number.parseInt(byte ?? code ?? '', 16)) : character,
    );
    let shown = text;
    for (const secret of this.#secrets) {
      if (plain.includes(secret) || text.includes(secret)) {
        shown = shown.replaceAll(new RegExp(Array.from(secret, anyFormOf).join(''), 'g'), mark);
      }
    }
    return shown.replaceAll(SHAPES, mark);
  }
}

/** A pattern of a character as it is, with a backslash, percent-encoded, or as an escape of its code. */
function anyFormOf(character: string): string {
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

/** A pattern of a number in hexadecimal digits of either case. */
function hex(value: number, digits: number): string {
  const written = value.toString(16).padStart(digits, '0');
  return written.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
