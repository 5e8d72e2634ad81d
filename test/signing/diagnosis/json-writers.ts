/** Writes JSON as the serialisers of several languages do, independently of the library under test. */
export interface WriterOptions {
  readonly comma?: string;
  readonly colon?: string;
  readonly order?: 'sorted' | 'reversed';
  /** The order of the keys at the top alone. */
  readonly topOrder?: 'sorted' | 'reversed';
  readonly ascii?: boolean;
  readonly slashes?: boolean;
  readonly html?: boolean;
}

export function writeJson(value: unknown, options: WriterOptions = {}): string {
  const { comma = ',', colon = ':', topOrder, ...below } = options;
  const { order = topOrder } = options;
  if (Array.isArray(value))
    return `[${value.map((item: unknown) => writeJson(item, { comma, colon, ...below })).join(comma)}]`;
  if (typeof value !== 'object' || value === null) return writeScalar(value, options);
  const keys = Object.keys(value);
  if (order === 'sorted') keys.sort();
  if (order === 'reversed') keys.reverse();
  const fields = keys.map(
    (key) =>
      writeScalar(key, options) + colon + writeJson(Reflect.get(value, key), { comma, colon, ...below }),
  );
  return `{${fields.join(comma)}}`;
}

function writeScalar(value: unknown, { ascii, slashes, html }: WriterOptions): string {
  let text = JSON.stringify(value);
  if (ascii) text = text.split('').map(escapedBeyondAscii).join('');
  if (slashes) text = text.split('/').join('\\/');
  if (html) text = text.split('<').join('\\u003c').split('>').join('\\u003e').split('&').join('\\u0026');
  return text;
}

function escapedBeyondAscii(unit: string): string {
  return unit < '\u0080' ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
