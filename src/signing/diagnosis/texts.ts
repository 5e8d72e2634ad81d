/** Longer bodies are not rewritten in other forms, so that every diagnosis stays cheap. */
export const MAX_REWRITTEN_BYTES = 16 * 1024;

/** A JSON body in UTF-8: its text and its value. */
export interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/** The body as JSON; undefined if it is not JSON, too long, or too deep to serialise. */
export function jsonBody(body: Uint8Array): JsonBody | undefined {
  if (body.length === 0 || body.length > MAX_REWRITTEN_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text);
    JSON.stringify(sortedKeys(value));
    return { text, value };
  } catch {
    return undefined;
  }
}

const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The same JSON tokens with different white space; numbers and escapes do not change. */
export function respaced(text: string, comma: string, colon: string): string {
  return retokenized(text, (token) => (token === ',' ? comma : token === ':' ? colon : token));
}

/** JSON text with each of its tokens replaced, and without its white space. */
function retokenized(text: string, replace: (token: string) => string): string {
  return (text.match(TOKENS) ?? []).map(replace).join('');
}

/** The same JSON value with the keys of its objects in alphabetical order, down to a depth: 1 is the top alone. */
export function sortedKeys(value: unknown, depth = Infinity): unknown {
  const sort = (entries: Entries) =>
    entries.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return rekeyed(value, sort, depth);
}

/** The same JSON value with the keys of its objects in the opposite order, down to a depth. */
export function reversedKeys(value: unknown, depth = Infinity): unknown {
  return rekeyed(value, (entries) => entries.reverse(), depth);
}

/** The same JSON value without the keys that hold null. */
export function withoutNulls(value: unknown): unknown {
  return rekeyed(value, (entries) => entries.filter(([, held]) => held !== null), Infinity);
}

/** The top level of a JSON object, or undefined for any other value. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

/** JSON text with all non-ASCII characters escaped, as several languages do by default. */
export function asciiEscaped(json: string): string {
  return escaped(json, /[\u0080-\uffff]/g);
}

/** JSON text with the special characters of HTML escaped, as some encoders do by default. */
export function htmlEscaped(json: string): string {
  return escaped(json, /[<>&\u2028\u2029]/g);
}

/** JSON text as PHP writes it by default. */
export function phpEscaped(json: string): string {
  return asciiEscaped(json).replaceAll('/', '\\/');
}

/** JSON text as Gson writes it by default. */
export function gsonEscaped(json: string): string {
  return escaped(json, /[<>&='\u2028\u2029]/g);
}

/** JSON text as System.Text.Json writes it by default. */
export function dotnetEscaped(json: string): string {
  const quotes = json.replaceAll(/\\./g, (pair) => (pair === '\\"' ? '\\u0022' : pair));
  const lower = escaped(quotes, /[<>&'+`\u007f-\uffff]/g);
  return lower.replaceAll(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`);
}

function escaped(json: string, characters: RegExp): string {
  return json.replaceAll(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

type Entries = [string, unknown][];

function rekeyed(value: unknown, change: (entries: Entries) => Entries, depth: number): unknown {
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => rekeyed(item, change, depth - 1));
  if (!isObject(value)) return value;
  const entries: Entries = Object.entries(value).map(([key, held]) => [
    key,
    rekeyed(held, change, depth - 1),
  ]);
  return Object.fromEntries(change(entries));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Texts that languages make of bytes and of parsed JSON when no encoder is called.

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
