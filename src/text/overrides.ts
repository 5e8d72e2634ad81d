import { parseJson } from './json.js';

/** Parsed values, or a problem phrased to follow the field name. */
export type ParsedPairs<Value> =
  | { readonly values: Readonly<Record<string, Value>> }
  | { readonly problem: string; readonly hint?: string | undefined };

/** Parses `key=value` texts. */
export function readPairs(texts: readonly string[], form = 'key=value'): ParsedPairs<string> {
  const wrong = texts.find((text) => text.indexOf('=') < 1);
  if (wrong !== undefined) return { problem: `expects ${form}; got ${wrong}.` };
  const pairs = texts.map((text): [string, string] => {
    const split = text.indexOf('=');
    return [text.slice(0, split), text.slice(split + 1)];
  });
  return { values: Object.fromEntries(pairs) };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/;

/**
 * Parses a JSON number. Returns undefined for any other string, and for integers that would lose precision.
 */
export function parseExactNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return /[.Ee]/.test(text) || BigInt(text) === BigInt(value) ? value : undefined;
}

const FORM = 'path=value or path:=json';
/** Matches text that starts like a JSON number. */
const NUMERIC = /^-?\d/;

/** Parses `path=value` and `path:=json` texts into the control API's `override` object. */
export function readOverrides(texts: readonly string[]): ParsedPairs<unknown> {
  const nameless = texts.find((text) => text.startsWith(':='));
  if (nameless !== undefined) return { problem: `expects ${FORM}; got ${nameless}.` };
  const read = readPairs(texts, FORM);
  if ('problem' in read) return read;
  const values: [string, unknown][] = [];
  for (const [path, text] of Object.entries(read.values)) {
    const json = path.endsWith(':') ? jsonOf(path, text) : { value: text };
    if ('problem' in json) return json;
    values.push([path, json.value]);
  }
  return { values: Object.fromEntries(values) };
}

function jsonOf(
  path: string,
  text: string,
): { readonly value: unknown } | { readonly problem: string; readonly hint?: string } {
  const value = parseJson(text);
  const isExact = typeof value !== 'number' || parseExactNumber(text.trim()) !== undefined;
  if (value !== undefined && isExact) return { value };
  if (NUMERIC.test(text))
    return { problem: `${path}= expects a JSON number that can be represented exactly; got ${text}.` };
  const name = path.slice(0, -1);
  return {
    problem: `${path}= expects JSON; got ${text}.`,
    hint: `For a string, write ${name}=${text}, or quote it as JSON: '${path}=${JSON.stringify(text)}'.`,
  };
}
