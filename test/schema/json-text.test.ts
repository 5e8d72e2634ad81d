import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJsonText } from '../../src/schema/json-text.js';
import { formatPath } from '../../src/schema/schema.js';
import { LIMITS } from '../../src/contract/limits.js';

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function readText(text: string) {
  const json = readJsonText(text);
  if (!json.isJson) throw new Error(`The text ${json.problem}.`);
  return json;
}

describe('readJsonText', () => {
  test('parses what JSON.parse does, to the same value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, 2, '\t'), (text, indent) => {
        const written = ` ${JSON.stringify(JSON.parse(text), null, indent)}\r\n`;
        expect(readJsonText(written)).toMatchObject({ isJson: true, repeated: [] });
        expect(JSON.stringify(readText(written).value)).toBe(JSON.stringify(JSON.parse(written)));
      }),
    );
  });

  test('rejects everything else, whatever is changed', () => {
    const pieces = fc.constantFrom(
      ...Array.from('{}[]",:\\ \n019.-+eEtfnu/#'),
      '',
      'true',
      'null',
      '\u0001',
      '\u00a0',
      'é',
    );
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(3), pieces, (text, position, removed, added) => {
        const at = position % (text.length + 1);
        const changed = text.slice(0, at) + added + text.slice(at + removed);
        const json = readJsonText(changed);
        const read = json.isJson ? { value: json.value } : undefined;
        expect({ changed, read }).toEqual({ changed, read: parsed(changed) });
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['', 1, 1, 'a value, got the end of the text'],
    ['{', 1, 2, 'a key in double quotes, got the end of the text'],
    ['{\n  "a": 1,\n}', 3, 1, 'a key in double quotes, got "}"'],
    ["{'a': 1}", 1, 2, 'a key in double quotes, got "\'a\': 1}"'],
    ['{"a" 1}', 1, 6, 'a colon, got "1}"'],
    ['{"a": }', 1, 7, 'a value, got "}"'],
    ['{"a":\n}', 2, 1, 'a value, got "}"'],
    ['{"a": 01}', 1, 7, 'a value, got "01}"'],
    ['{"a": tru}', 1, 7, 'a value, got "tru}"'],
    ['{"a": 1\n "b": 2}', 2, 2, 'a comma or }, got "\\"b\\": 2}"'],
    ['[1 2]', 1, 4, 'a comma or ], got "2]"'],
    ['{} // and a long comment', 1, 4, 'the end of the text, got "// and a lon"'],
    ['[\r\n"b\n"]', 2, 1, 'a terminated string with valid escapes and no control characters, got "\\"b"'],
    ['"a\\x"', 1, 1, 'a terminated string with valid escapes and no control characters, got "\\"a\\\\x\\""'],
  ])('rejects %j at %i:%i, where it expected %s', (text, line, column, expected) => {
    expect(readJsonText(text)).toEqual({
      isJson: false,
      place: { line, column },
      problem: `is not JSON: expected ${expected}`,
    });
  });

  test('rejects text beyond the maximum depth', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(readJsonText(nested(LIMITS.jsonDepth)).isJson).toBe(true);
    expect(readJsonText('['.repeat(100_000))).toMatchObject({
      place: { line: 1, column: 33 },
      problem: 'is nested deeper than 32 levels',
    });
    expect(readJsonText(nested(2), 2).isJson).toBe(true);
    expect(readJsonText(nested(3), 2)).toMatchObject({ problem: 'is nested deeper than 2 levels' });
  });

  test('locates each value, and an absent one at its parent', () => {
    const { placeOf } = readText('{\n  "steps": [\r\n    { "a": 1 },\n\t{ "b\\u0021": [true] }\n  ]\n}');
    expect(placeOf([])).toEqual({ line: 1, column: 1 });
    expect(placeOf(['steps', 1, 'b!', 0])).toEqual({ line: 4, column: 16 });
    expect(placeOf(['steps', 1, 'b!'])).toEqual({ line: 4, column: 4 });
    expect(placeOf(['steps', 1, 'missing', 'deeper'])).toEqual({ line: 4, column: 2 });
    expect(placeOf(['steps', 7])).toEqual({ line: 2, column: 3 });
  });

  test('reports each duplicate key at its last position', () => {
    const { value, repeated, placeOf } = readText('{"a": {"b": 1, "b": 2, "b": 3}, "c": 1,\n"c": 2}');
    expect(value).toEqual({ a: { b: 3 }, c: 2 });
    expect(repeated).toEqual([['a', 'b'], ['c']]);
    expect(repeated.map(placeOf)).toEqual([
      { line: 1, column: 24 },
      { line: 2, column: 1 },
    ]);
  });

  test('treats __proto__ like any other key', () => {
    expect(Object.entries(readText('{"__proto__": 1}').value as object)).toEqual([['__proto__', 1]]);
  });
});

test('formats a path as in code', () => {
  expect(formatPath(['steps', 2, 'expect', 'events', 0, 'data.object'])).toBe(
    'steps[2].expect.events[0]["data.object"]',
  );
  expect(formatPath([])).toBe('');
});
