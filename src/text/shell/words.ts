import { escapeControlCharacters } from '../control-characters.js';

/** A word in a shell command: text to quote, or shell syntax such as `"Bearer $TOKEN"`. */
export type ShellWord = string | { readonly shell: string };

/**
 * Maximum characters per quoted piece. Terminals without line editing accept 4,095 bytes per line, and an
 * escaped character can take several bytes.
 */
const PIECE = 800;
/** Maximum line length for base64 decoders. */
const BASE64_LINE = 76;

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};

/** Quotes a word for sh, bash and zsh. zsh expands words that start with `=`. */
export function quoteForShell(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function formatWord(word: ShellWord): string {
  return typeof word === 'string' ? quoteForShell(word) : word.shell;
}

/** Creates a command that prints exactly these bytes: text directly, other bytes from base64. */
export function createPrintfCommand(bytes: Uint8Array): string {
  const text = toPlainText(bytes, '\r');
  if (text === undefined) {
    const lines = pieces(base64Of(bytes), BASE64_LINE);
    return `printf '%s\\n'${joinLines(lines)} | openssl base64 -d`;
  }
  if (!/[\n\r\t]/.test(text)) return `printf %s${joinLines(pieces(text, PIECE).map(quoteForShell))}`;
  const escaped = pieces(text, PIECE).map((piece) =>
    piece.replaceAll(/[\\\n\r\t]/g, (one) => ESCAPES[one] ?? one),
  );
  return `printf %b${joinLines(escaped.map(quoteForShell))}`;
}

/**
 * Decodes bytes to text that is safe in terminals and arguments; returns undefined otherwise. `also` lists
 * additional allowed characters.
 */
export function toPlainText(bytes: Uint8Array, also = ''): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const bare = also === '' ? text : text.replaceAll(also, '');
    return escapeControlCharacters(bare) === bare ? text : undefined;
  } catch {
    return undefined;
  }
}

function joinLines(words: readonly string[]): string {
  return words.length === 1 ? ` ${words[0]}` : words.map((word) => ` \\\n    ${word}`).join('');
}

/** Splits text into at least one piece, never within a character. */
function pieces(text: string, length: number): string[] {
  const characters = Array.from(text);
  const count = Math.max(1, Math.ceil(characters.length / length));
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * length, (index + 1) * length).join(''),
  );
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Prefer single quotes, because they disable expansion. */
const QUOTES = ["'", '`', '"'];

/** Formats a dotenv line. Returns undefined if the value contains every kind of quote. */
export function formatDotenvLine(name: string, value: string): string | undefined {
  if (/^[\w.:/@%+=,-]*$/.test(value)) return `${name}=${value}`;
  const quote = QUOTES.find((one) => !value.includes(one));
  return quote === undefined ? undefined : `${name}=${quote}${value}${quote}`;
}
