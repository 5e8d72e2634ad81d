// Texts that languages make of bytes and of parsed JSON when no encoder is called.
import { objectOf, retokenized } from './json-forms.js';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Python: `str(b'…')`. */
export function pythonBytes(bytes: Uint8Array): string {
  return `b${pythonQuoted(Buffer.from(bytes).toString('latin1'), /[^\x20-\x26\x28-\x5b\x5d-\x7e]/g)}`;
}

/** Python: `repr('…')`. */
export function pythonText(text: string): string {
  return pythonQuoted(text, /[^\x20-\x26\x28-\x5b\x5d-\x7e\xa1-\xac\xae-\uffff]/g);
}

function pythonQuoted(text: string, special: RegExp): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replaceAll(special, (character) => {
    if (character === "'") return quote === "'" ? "\\'" : "'";
    return ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return quote + inner + quote;
}

const PYTHON_WORDS: Readonly<Record<string, string>> = {
  ',': ', ',
  ':': ': ',
  true: 'True',
  false: 'False',
  null: 'None',
};

/** Python: `str(json.loads(…))`. */
export function pythonValue(json: string): string {
  return retokenized(json, (token) =>
    token.startsWith('"') ? pythonText(JSON.parse(token)) : (PYTHON_WORDS[token] ?? token),
  );
}

/** Ruby: `JSON.parse(…).to_s`, with the arrow of its version. */
export function rubyValue(json: string, arrow: '=>' | ' => '): string {
  const words: Readonly<Record<string, string>> = { ',': ', ', ':': arrow, null: 'nil' };
  return retokenized(json, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : (words[token] ?? token),
  );
}

/** Java: `map.toString()`. */
export function javaValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(javaValue).join(', ')}]`;
  const object = objectOf(value);
  if (object === undefined) return String(value);
  return `{${Object.entries(object)
    .map(([key, held]) => `${key}=${javaValue(held)}`)
    .join(', ')}}`;
}

/** Go: `fmt.Sprint(m)` of a map with sorted keys. */
export function goValue(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  const object = objectOf(value);
  if (object === undefined) return javaValue(value);
  return `map[${Object.entries(object)
    .map(([key, held]) => `${key}:${goValue(held)}`)
    .join(' ')}]`;
}

/** Lists of decimal numbers, one for each byte: of JavaScript, Go, Python and Java. */
export function byteLists(bytes: Uint8Array): string[] {
  const signed = new Int8Array(bytes);
  return [bytes.join(','), `[${bytes.join(' ')}]`, `[${bytes.join(', ')}]`, `[${signed.join(', ')}]`];
}

/** JSON of a byte array: of a Buffer, of a Uint8Array, and of a list. */
export function byteJson(bytes: Uint8Array): string[] {
  const list = `[${bytes.join(',')}]`;
  return [`{"type":"Buffer","data":${list}}`, JSON.stringify(Object.fromEntries(bytes.entries())), list];
}

/** Hex without the leading zeros of each byte, of the whole number, and with the sign of Java's bytes. */
export const UNPADDED_HEX: readonly ((bytes: Uint8Array) => string)[] = [
  (bytes) => Array.from(bytes, (byte) => byte.toString(16)).join(''),
  (bytes) => Buffer.from(bytes).toString('hex').replace(/^0+/, ''),
  (bytes) => Array.from(new Int8Array(bytes), (byte) => (byte >>> 0).toString(16)).join(''),
];

/** A digest as `openssl dgst`, `sha256sum` and `shasum` print it: for stdin, with a line break, and for a file. */
export function commandOutputs(hex: string): { stdin: string[]; others: string[] } {
  const stdin = [
    `SHA2-256(stdin)= ${hex}`,
    `${hex}  -`,
    `(stdin)= ${hex}`,
    `${hex}\n`,
    `${hex} *stdin`,
    `SHA256(stdin)= ${hex}`,
  ];
  const files = ['body.json', 'payload.json', 'body', 'body.txt'].flatMap((file) => [
    `${hex}  ${file}`,
    `SHA2-256(${file})= ${hex}`,
    `SHA256(${file})= ${hex}`,
  ]);
  return {
    stdin,
    others: [...stdin.filter((line) => !line.endsWith('\n')).map((line) => `${line}\n`), ...files],
  };
}
