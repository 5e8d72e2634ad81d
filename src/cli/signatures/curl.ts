import { usageError } from '../program/errors.js';
import { harmless } from '../terminal/text.js';

/** A word of a shell command: text to be quoted, or text that the shell is to expand, such as `"Bearer $TOKEN"`. */
export type Word = string | { readonly shell: string };

/** Where the body of a curl command comes from: a file as its name was given, or the bytes themselves. */
export type CurlBody = { readonly file: string } | { readonly bytes: Buffer };

/** A request for `curlCommand`. Without a body none is sent. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Word[];
  readonly body?: CurlBody | undefined;
}

/** Linux takes 128 KiB in one argument, and other systems take little more in all. */
const LONGEST_ARGUMENT = 100_000;

/** A curl command for a POSIX shell that sends exactly these bytes. */
export function curlCommand({ method, url, headers, body }: CurlRequest): string {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const inline = body !== undefined && 'bytes' in body ? body.bytes : undefined;
  const source = inline === undefined || isPlain(inline) ? '' : `printf ${printfFormat(inline)} | `;
  const lines: Word[][] = [
    ['-X', method, url],
    // curl rewrites such paths by default, and the signature covers the path as it is.
    ...(/\/\.{1,2}(?:[/?]|$)/.test(target) ? [['--path-as-is']] : []),
    ...(/[[\]{}]/.test(url) ? [['--globoff']] : []),
    ...headers.map((header) => ['-H', header]),
    ...bodyWords(body),
  ];
  return `${source}curl ${lines.map((words) => words.map(written).join(' ')).join(' \\\n  ')}`;
}

/** A word quoted for a POSIX shell. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function written(word: Word): string {
  return typeof word === 'string' ? shellQuoted(word) : word.shell;
}

function bodyWords(body: CurlBody | undefined): Word[][] {
  if (body === undefined) return [];
  if ('file' in body) return [['--data-binary', `@${body.file}`]];
  if (body.bytes.length > LONGEST_ARGUMENT) {
    throw usageError(
      `A body of ${body.bytes.length} bytes is too long for a command line.`,
      'Give the body as a file; the command then names the file.',
    );
  }
  // --data-raw, unlike --data-binary, does not read a file where the body begins with @.
  return isPlain(body.bytes) ? [['--data-raw', body.bytes.toString('utf8')]] : [['--data-binary', '@-']];
}

/** Whether bytes are text that is safe in a terminal and an argument. */
function isPlain(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) && harmless(text) === text;
}

/** A printf format for any bytes, because an argument cannot hold them all; escapes a leading dash, which would make it an option. */
function printfFormat(bytes: Buffer): string {
  const format = [...bytes].map((byte) => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    if (/[\x20-\x7e]/.test(character) && !/[\\'-]/.test(character)) return character;
    return `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `'${format.join('')}'`;
}
