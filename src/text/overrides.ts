import { parseJson } from './json.js';

/** Texts parsed as an object, or their problem, worded to follow the field name. */
export type ParsedPairs<Value> =
  | { readonly values: Readonly<Record<string, Value>> }
  | { readonly problem: string; readonly hint?: string | undefined };

/** Reads `key=value` texts. */
export function readPairs(texts: readonly string[], form = 'key=value'): ParsedPairs<string> {
  const wrong = texts.find((text) => text.indexOf('=') < 1);
  if (wrong !== undefined) return { problem: `takes ${form}; got ${wrong}.` };
  const pairs = texts.map((text): [string, string] => {
    const split = text.indexOf('=');
    return [text.slice(0, split), text.slice(split + 1)];
  });
  return { values: Object.fromEntries(pairs) };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/;

/** Parses a number in JSON syntax; undefined for other texts and for inexact whole numbers. */
export function parseExactNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return /[.Ee]/.test(text) || BigInt(text) === BigInt(value) ? value : undefined;
}

const FORM = 'path=value or path:=json';
/** A JSON number, as far as its first characters tell. */
const NUMERIC = /^-?\d/;

/** Reads `path=value` and `path:=json` texts: the body of `override`, as the control API takes it. */
export function readOverrides(texts: readonly string[]): ParsedPairs<unknown> {
  const nameless = texts.find((text) => text.startsWith(':='));
  if (nameless !== undefined) return { problem: `takes ${FORM}; got ${nameless}.` };
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
    return { problem: `${path}= takes an exactly representable JSON number; got ${text}.` };
  const name = path.slice(0, -1);
  return {
    problem: `${path}= takes JSON; got ${text}.`,
    hint: `For a text, write ${name}=${text}, or quote it as JSON: '${path}=${JSON.stringify(text)}'.`,
  };
}
