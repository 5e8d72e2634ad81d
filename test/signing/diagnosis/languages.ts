// Texts that other languages make of bytes and of JSON values. They share no code with the library: the findings must not
// depend on code of the diagnosis.

/** Python: `str(b'…')`, also `repr` and an f-string. */
export function pythonBytes(bytes: Uint8Array): string {
  const hasOnlySingleQuotes = bytes.includes(0x27) && !bytes.includes(0x22);
  const quote = hasOnlySingleQuotes ? '"' : "'";
  let text = '';
  for (const byte of bytes) text += pythonCharacter(String.fromCharCode(byte), quote, byte > 0x7e);
  return `b${quote}${text}${quote}`;
}

function pythonCharacter(character: string, quote: string, isHex: boolean): string {
  if (character === '\\' || character === quote) return `\\${character}`;
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  if (!isHex && character >= ' ' && character !== '\u007f') return character;
  return `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
}

/** Python: `str(json.loads(body))`. */
export function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return pythonText(value);
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, held]) => `${pythonText(key)}: ${pythonValue(held)}`)
    .join(', ')}}`;
}

/** Python: `repr('…')`. */
function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + Array.from(text, (character) => pythonCharacter(character, quote, false)).join('') + quote;
}

/** Ruby before 3.4: `hash.to_s`. */
export function rubyValue(value: unknown): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return `[${value.map(rubyValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, held]) => `${JSON.stringify(key)}=>${rubyValue(held)}`)
    .join(', ')}}`;
}

/** Java: `map.toString()`. */
export function javaValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(javaValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, held]) => `${key}=${javaValue(held)}`)
    .join(', ')}}`;
}

/** Java: `Arrays.toString(bytes)`, whose bytes have a sign. */
export function javaBytes(bytes: Uint8Array): string {
  return `[${[...new Int8Array(bytes)].join(', ')}]`;
}

/** Java: `Integer.toHexString(b)` for each byte: the sign becomes six more digits, and no zeros come first. */
export function javaHex(bytes: Uint8Array): string {
  return [...new Int8Array(bytes)].map((byte) => (byte >>> 0).toString(16)).join('');
}

/** Java: `new BigInteger(1, bytes).toString(16)`. */
export function javaBigInteger(bytes: Uint8Array): string {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`).toString(16);
}

/** JavaScript: `bytes.map((b) => b.toString(16)).join('')`. */
export function unpaddedHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16)).join('');
}

/** Go: `fmt.Sprint(bytes)`. */
export function goBytes(bytes: Uint8Array): string {
  return `[${bytes.join(' ')}]`;
}

/** Go: `fmt.Sprint(m)` of a map, which is sorted. */
export function goValue(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `map[${Object.keys(value)
    .sort()
    .map((key) => `${key}:${goValue(Reflect.get(value, key))}`)
    .join(' ')}]`;
}

/** Go: `json.Marshal(m)` of a map: sorted, with escapes for HTML. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.keys(value)
      .sort()
      .map((key) => `${goJson(key)}:${goJson(Reflect.get(value, key))}`);
    return `{${pairs.join(',')}}`;
  }
  return JSON.stringify(value)
    .replaceAll('&', '\\u0026')
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e');
}

/** PHP: `json_encode($value)`. */
export function phpJson(value: unknown): string {
  return escapedUnits(JSON.stringify(value).replaceAll('/', '\\/'), (code) => code > 0x7f);
}

/** C#: `JsonSerializer.Serialize(value)`. */
export function sharpJson(value: unknown): string {
  const plain = JSON.stringify(value).replaceAll('\\"', '\\u0022');
  const isEscaped = (code: number) => code > 0x7e || "'&<>+`".includes(String.fromCodePoint(code));
  return escapedUnits(plain, isEscaped).replace(
    /\\u[0-9a-f]{4}/g,
    (unit) => `\\u${unit.slice(2).toUpperCase()}`,
  );
}

function escapedUnits(text: string, isEscaped: (code: number) => boolean): string {
  return text
    .split('')
    .map((unit) => {
      const code = unit.charCodeAt(0);
      return isEscaped(code) ? `\\u${code.toString(16).padStart(4, '0')}` : unit;
    })
    .join('');
}
