// The forms in which programs of several languages write JSON, bytes and parsed values.

/** Longer bodies are not rewritten, so that every diagnosis stays cheap. @internal */
export const MAX_REWRITTEN_BYTES = 16 * 1024;

/** A JSON body in UTF-8: its text and its value. @internal */
export interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/** The body as JSON; undefined if it is not JSON, too long, or too deep to serialize. @internal */
export function parseJsonBody(body: Uint8Array): JsonBody | undefined {
  if (body.length === 0 || body.length > MAX_REWRITTEN_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text);
    JSON.stringify(sortKeys(value));
    return { text, value };
  } catch {
    return undefined;
  }
}

/** The top level of a JSON object, or undefined for any other value. @internal */
export function toObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The same JSON tokens with different white space; numbers and escapes do not change. @internal */
export function respaceJson(text: string, comma: string, colon: string): string {
  const tokens = text.match(TOKENS) ?? [];
  return tokens.map((token) => (token === ',' ? comma : token === ':' ? colon : token)).join('');
}

type Entries = [string, unknown][];

/** The same JSON value with the keys of its objects in alphabetical order, down to a depth. @internal */
export function sortKeys(value: unknown, depth = Infinity): unknown {
  const order = ([one]: [string, unknown], [other]: [string, unknown]) =>
    one < other ? -1 : one > other ? 1 : 0;
  return rekeyed(value, (entries) => entries.sort(order), depth);
}

/** The same JSON value with the keys of its objects in the opposite order, down to a depth. @internal */
export function reverseKeys(value: unknown, depth = Infinity): unknown {
  return rekeyed(value, (entries) => entries.reverse(), depth);
}

/** The same JSON value without the keys that hold null. @internal */
export function omitNulls(value: unknown): unknown {
  return rekeyed(value, (entries) => entries.filter(([, held]) => held !== null), Infinity);
}

function rekeyed(value: unknown, change: (entries: Entries) => Entries, depth: number): unknown {
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => rekeyed(item, change, depth - 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, held]): [string, unknown] => [
    key,
    rekeyed(held, change, depth - 1),
  ]);
  return Object.fromEntries(change(entries));
}

function escaped(json: string, characters: RegExp): string {
  return json.replaceAll(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** JSON text with all non-ASCII characters escaped, as several languages do by default. @internal */
export const escapeAscii = (json: string) => escaped(json, /[\u0080-\uffff]/g);

/** JSON text with the special characters of HTML escaped, as some encoders do by default. @internal */
export const escapeHtml = (json: string) => escaped(json, /[<>&\u2028\u2029]/g);

/** JSON text as PHP writes it by default. @internal */
export const escapeLikePhp = (json: string) => escapeAscii(json).replaceAll('/', '\\/');

/** JSON text as Gson writes it by default. @internal */
export const escapeLikeGson = (json: string) => escaped(json, /[<>&='\u2028\u2029]/g);

/** JSON text as System.Text.Json writes it by default. @internal */
export function escapeLikeDotnet(json: string): string {
  const quotes = json.replaceAll(/\\./g, (pair) => (pair === '\\"' ? '\\u0022' : pair));
  const lower = escaped(quotes, /[<>&'+`\u007f-\uffff]/g);
  return lower.replaceAll(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Python: `str(b'…')`. @internal */
export function formatPythonBytes(bytes: Uint8Array): string {
  return `b${pythonQuoted(Buffer.from(bytes).toString('latin1'), /[^\x20-\x26\x28-\x5b\x5d-\x7e]/g)}`;
}

/** Python: `repr('…')`. @internal */
export function formatPythonText(text: string): string {
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

/** Text of a map or list in a language without an encoder. */
interface Printer {
  readonly map?: string;
  readonly comma: string;
  readonly colon: string;
  readonly text: (text: string) => string;
  /** The words for null, true and false. */
  readonly words?: Readonly<Record<string, string>>;
}

/** Python's `str()`, Ruby's `to_s` before and since 3.4, Java's `toString()`, and Go's `fmt.Sprint`. @internal */
export const LANGUAGE_PRINTERS = {
  python: {
    comma: ', ',
    colon: ': ',
    text: formatPythonText,
    words: { null: 'None', true: 'True', false: 'False' },
  },
  ruby: { comma: ', ', colon: '=>', text: JSON.stringify, words: { null: 'nil' } },
  newRuby: { comma: ', ', colon: ' => ', text: JSON.stringify, words: { null: 'nil' } },
  java: { comma: ', ', colon: '=', text: String },
  go: { map: 'map[]', comma: ' ', colon: ':', text: String, words: { null: '<nil>' } },
} as const satisfies Record<string, Printer>;

/** Prints a JSON value as a language does. @internal */
export function printValue(value: unknown, printer: Printer): string {
  const { map = '{}', comma, colon, text, words = {} } = printer;
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map((item) => printValue(item, printer)).join(comma)}]`;
  if (!isObject(value)) return words[String(value)] ?? String(value);
  const entries = Object.entries(value).map(([key, held]) => text(key) + colon + printValue(held, printer));
  return map.slice(0, -1) + entries.join(comma) + map.slice(-1);
}

/** Lists of decimal numbers, one for each byte: of JavaScript, Go, Python and Java. @internal */
export const BYTE_LIST_FORMATS: readonly ((bytes: Uint8Array) => string)[] = [
  (bytes) => bytes.join(','),
  (bytes) => `[${bytes.join(' ')}]`,
  (bytes) => `[${bytes.join(', ')}]`,
  (bytes) => `[${new Int8Array(bytes).join(', ')}]`,
];

/** Hex without the leading zeros of each byte, of the whole number, and with the sign of Java's bytes. @internal */
export const UNPADDED_HEX_FORMATS: readonly ((bytes: Uint8Array) => string)[] = [
  (bytes) => Array.from(bytes, (byte) => byte.toString(16)).join(''),
  (bytes) => Buffer.from(bytes).toString('hex').replace(/^0+/, ''),
  (bytes) => Array.from(new Int8Array(bytes), (byte) => (byte >>> 0).toString(16)).join(''),
];

const COMMAND_LINES = ['SHA2-256(stdin)= #', '#  -', '(stdin)= #', '#\n', '# *stdin', 'SHA256(stdin)= #'];
const FILE_LINES = ['#  FILE', 'SHA2-256(FILE)= #', 'SHA256(FILE)= #'];
const FILES = ['body.json', 'payload.json', 'body', 'body.txt'];

/** The output of `openssl dgst`, `sha256sum` and `shasum`, with # for the digits. @internal */
export const COMMAND_OUTPUTS: readonly string[] = [
  ...COMMAND_LINES,
  ...COMMAND_LINES.map((line) => `${line}\n`),
  ...FILES.flatMap((file) => FILE_LINES.map((line) => line.replace('FILE', file))),
];
