/** Anything with a `get` like that of fetch `Headers`. */
export interface HeaderLookup {
  get(name: string): string | null;
}

/** Headers by name in any letter case, as Node's `request.headers`, as fetch's `Headers`, or as parsed JSON. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A source of headers: a fetch `Headers` or a plain record. */
export type HeaderSource = HeaderLookup | HeaderRecord;

/** The value of the header `name` (in lower case); undefined if it is absent. @internal */
export function readHeader(headers: HeaderSource, name: string): string | undefined {
  if (isLookup(headers)) return headers.get(name) ?? undefined;
  const exact = ownValue(headers, name);
  if (exact !== undefined) return exact;
  for (const key of Object.keys(headers)) {
    if (key.length === name.length && key.toLowerCase() === name) return ownValue(headers, key);
  }
  return undefined;
}

/** A header's short name, as the library's own objects have it, and its full name in lower case. @internal */
export type HeaderName<Short extends string> = readonly [short: Short, full: string];

/**
 * Reads several headers: by their full names, or by short names if a record contains no full name. @internal
 */
export function readHeaders<Short extends string>(
  headers: HeaderSource,
  names: readonly HeaderName<Short>[],
): Partial<Record<Short, string>> {
  const given: unknown = headers;
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`Expected headers as an object, got ${given === null ? 'null' : typeof given}.`);
  const found: Partial<Record<Short, string>> = {};
  for (const [short, full] of names) {
    const value = readHeader(headers, full);
    if (value !== undefined) found[short] = value;
  }
  if (Object.keys(found).length > 0 || isLookup(headers)) return found;
  for (const [short] of names) {
    const value = ownValue(headers, short);
    if (value !== undefined) found[short] = value;
  }
  return found;
}

/** Lists the full names of absent or empty headers. @internal */
export function missingNames<Short extends string>(
  found: Partial<Record<Short, string>>,
  names: readonly HeaderName<Short>[],
): string[] {
  return names.filter(([short]) => !found[short]).map(([, full]) => full);
}

function isLookup(headers: HeaderSource): headers is HeaderLookup {
  return typeof headers.get === 'function';
}

function ownValue(headers: HeaderRecord, key: string): string | undefined {
  if (!Object.hasOwn(headers, key)) return undefined;
  const value = headers[key];
  // Node joins a repeated header in the same way.
  return typeof value === 'object' ? value.join(', ') : value;
}
