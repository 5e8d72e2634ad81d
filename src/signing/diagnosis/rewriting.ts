// Formats JSON, bytes and parsed values in the style of several languages.

/** Maximum body size for rewriting, to limit the cost of a diagnosis. @internal */
export const MAX_REWRITTEN_BYTES = 16 * 1024;

/** Text and parsed value of a UTF-8 JSON body. @internal */
export interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Parses a JSON body. Returns undefined if the body is not JSON, too long, or too deep to serialize.
 * @internal
 */
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

/** Returns the value if it is a JSON object, otherwise undefined. @internal */
export function toObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Replaces the whitespace of JSON text. Numbers and escapes do not change. @internal */
export function respaceJson(text: string, comma: string, colon: string): string {
  const tokens = text.match(TOKENS) ?? [];
  return tokens.map((token) => (token === ',' ? comma : token === ':' ? colon : token)).join('');
}

type Entries = [string, unknown][];

/** Sorts the keys of objects alphabetically, down to the given depth. @internal */
export function sortKeys(value: unknown, depth = Infinity): unknown {
  const order = ([one]: [string, unknown], [other]: [string, unknown]) =>
    one < other ? -1 : one > other ? 1 : 0;
  return rekeyed(value, (entries) => entries.sort(order), depth);
}

/** Reverses the keys of objects, down to the given depth. @internal */
export function reverseKeys(value: unknown, depth = Infinity): unknown {
  return rekeyed(value, (entries) => entries.reverse(), depth);
}

/** Removes keys with null values. @internal */
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

/** Escapes all non-ASCII characters in JSON text, as several languages do by default. @internal */
export const escapeAscii = (json: string) => escaped(json, /[\u0080-\uffff]/g);

/** Escapes HTML special characters in JSON text, as some encoders do by default. @internal */
export const escapeHtml = (json: string) => escaped(json, /[<>&\u2028\u2029]/g);

/** Escapes JSON text as PHP does by default. @internal */
export const escapeLikePhp = (json: string) => escapeAscii(json).replaceAll('/', '\\/');

/** Escapes JSON text as Gson does by default. @internal */
export const escapeLikeGson = (json: string) => escaped(json, /[<>&='\u2028\u2029]/g);

/** Escapes JSON text as System.Text.Json does by default. @internal */
export function escapeLikeDotnet(json: string): string {
  const quotes = json.replaceAll(/\\./g, (pair) => (pair === '\\"' ? '\\u0022' : pair));
  const lower = escaped(quotes, /[<>&'+`\u007f-\uffff]/g);
  return lower.replaceAll(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Formats bytes like Python's `str(b'…')`. @internal */
export function formatPythonBytes(bytes: Uint8Array): string {
  return `b${pythonQuoted(Buffer.from(bytes).toString('latin1'), /[^\x20-\x26\x28-\x5b\x5d-\x7e]/g)}`;
}

/** Formats text like Python's `repr('…')`. @internal */
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

/** Describes how a language prints maps and lists. */
interface Printer {
  readonly map?: string;
  readonly comma: string;
  readonly colon: string;
  readonly text: (text: string) => string;
  /** Literals for null, true and false. */
  readonly words?: Readonly<Record<string, string>>;
}

/**
 * Imitates Python's `str()`, Ruby's `to_s` (also before 3.4), Java's `toString()` and Go's `fmt.Sprint`.
 * @internal
 */
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

/** Prints a JSON value in the format of a language. @internal */
export function printValue(value: unknown, printer: Printer): string {
  const { map = '{}', comma, colon, text, words = {} } = printer;
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map((item) => printValue(item, printer)).join(comma)}]`;
  if (!isObject(value)) return words[String(value)] ?? String(value);
  const entries = Object.entries(value).map(([key, held]) => text(key) + colon + printValue(held, printer));
  return map.slice(0, -1) + entries.join(comma) + map.slice(-1);
}

/** Formats bytes as decimal numbers, as JavaScript, Go, Python and Java do. @internal */
export const BYTE_LIST_FORMATS: readonly ((bytes: Uint8Array) => string)[] = [
  (bytes) => bytes.join(','),
  (bytes) => `[${bytes.join(' ')}]`,
  (bytes) => `[${bytes.join(', ')}]`,
  (bytes) => `[${new Int8Array(bytes).join(', ')}]`,
];

/**
 * Formats bytes as hex without leading zeros: per byte, for the complete number, or per signed byte as in
 * Java. @internal
 */
export const UNPADDED_HEX_FORMATS: readonly ((bytes: Uint8Array) => string)[] = [
  (bytes) => Array.from(bytes, (byte) => byte.toString(16)).join(''),
  (bytes) => Buffer.from(bytes).toString('hex').replace(/^0+/, ''),
  (bytes) => Array.from(new Int8Array(bytes), (byte) => (byte >>> 0).toString(16)).join(''),
];

const COMMAND_LINES = ['SHA2-256(stdin)= #', '#  -', '(stdin)= #', '#\n', '# *stdin', 'SHA256(stdin)= #'];
const FILE_LINES = ['#  FILE', 'SHA2-256(FILE)= #', 'SHA256(FILE)= #'];
const FILES = ['body.json', 'payload.json', 'body', 'body.txt'];

/** Output formats of `openssl dgst`, `sha256sum` and `shasum`; `#` stands for the digits. @internal */
export const COMMAND_OUTPUTS: readonly string[] = [
  ...COMMAND_LINES,
  ...COMMAND_LINES.map((line) => `${line}\n`),
  ...FILES.flatMap((file) => FILE_LINES.map((line) => line.replace('FILE', file))),
];
