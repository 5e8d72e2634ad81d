import type { HeaderRecord } from '../../signing/headers.js';

type Pair = readonly [name: string, value: string];

/**
 * Headers as people capture them: raw HTTP (a request line, the prefixes of `curl -v` and what follows an empty line are
 * passed over), or JSON as a record, as pairs, or as Node's flat `rawHeaders`. Undefined where it is neither.
 */
export function parseHeaderText(bytes: Buffer): HeaderRecord | undefined {
  const text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  const pairs = /^[[{]/.test(text) ? jsonPairs(text) : rawPairs(bytes);
  return pairs === undefined || pairs.length === 0 ? undefined : recordOf(pairs);
}

/** The same from JSON that was parsed already. */
export function headersFromJson(value: unknown): HeaderRecord | undefined {
  const pairs = pairsOf(value);
  return pairs === undefined || pairs.length === 0 ? undefined : recordOf(pairs);
}

function jsonPairs(text: string): Pair[] | undefined {
  try {
    return pairsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function pairsOf(value: unknown): Pair[] | undefined {
  if (Array.isArray(value)) return listPairs(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const pairs = Object.entries(value).flatMap(([name, values]): (Pair | undefined)[] =>
    (Array.isArray(values) ? values : [values]).map((one) => pairOf(name, one)),
  );
  return whole(pairs);
}

function listPairs(list: readonly unknown[]): Pair[] | undefined {
  if (list.every((one) => typeof one === 'string')) {
    const names = list.filter((_one, index) => index % 2 === 0);
    return whole(names.map((name, index) => pairOf(name, list[index * 2 + 1])));
  }
  return whole(
    list.map((one) => (Array.isArray(one) && one.length === 2 ? pairOf(one[0], one[1]) : undefined)),
  );
}

function pairOf(name: unknown, value: unknown): Pair | undefined {
  if (typeof name !== 'string') return undefined;
  if (typeof value === 'string') return [name, value];
  return typeof value === 'number' ? [name, String(value)] : undefined;
}

function whole(pairs: readonly (Pair | undefined)[]): Pair[] | undefined {
  const known = pairs.filter((pair) => pair !== undefined);
  return known.length === pairs.length ? known : undefined;
}

const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/\d/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?:([^ \t\r\n]+(?:[ \t]+[^ \t\r\n]+)*)[ \t]*)?$/;

function rawPairs(bytes: Buffer): Pair[] | undefined {
  // HTTP parsers make one character of each byte, and the signature is checked over such text.
  const lines = bytes
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trim()
    .split(/\r?\n/);
  const end = lines.findIndex((line) => bare(line) === '');
  const pairs = (end < 0 ? lines : lines.slice(0, end))
    .map(bare)
    .filter((line) => !REQUEST_LINE.test(line))
    .map((line): Pair | undefined => {
      const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
      return name === undefined ? undefined : [name, value];
    });
  return whole(pairs);
}

function bare(line: string): string {
  return line.replace(/^[<>] ?/, '').trimEnd();
}

/** One entry for each name, whatever its letter case; repeated headers become a list. */
function recordOf(pairs: readonly Pair[]): HeaderRecord {
  const byName = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    const entry = byName.get(key) ?? { name, values: [] };
    entry.values.push(value);
    byName.set(key, entry);
  }
  return Object.fromEntries(
    [...byName.values()].map(({ name, values: [first = '', ...others] }) => [
      name,
      others.length === 0 ? first : [first, ...others],
    ]),
  );
}
