import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathText, readJson } from '../../src/scenario/json-text.js';

describe('readJson', () => {
  test('reads what JSON.parse reads, to the same value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 2), (text, indent) => {
        const written = JSON.stringify(JSON.parse(text), null, indent);
        expect(readJson(written)).toMatchObject({ mistakes: [] });
        expect(readJson(written).value).toEqual(JSON.parse(written));
      }),
    );
  });

  test('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', '\u0001', '\\', 'x', '01'),
        (text, at, put) => {
          const broken =
            text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1);
          let isJson = true;
          try {
            JSON.parse(broken);
          } catch {
            isJson = false;
          }
          const { value } = readJson(broken);
          expect({ broken, isRead: value !== undefined }).toEqual({ broken, isRead: isJson });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['', 1, 1, 'a JSON value; got the end of the file'],
    ['{\n  "a": 1,\n}', 3, 1, 'a text in double quotes; got "}"'],
    ['{\n  "a" 1}', 2, 7, 'a colon; got "1}"'],
    ['[1 2]', 1, 4, 'a comma or ]; got "2]"'],
    ['{"a": tru}', 1, 7, 'a JSON value; got "tru}"'],
    ['{"a": 1} x', 1, 10, 'the end; got "x"'],
    ['["a\tb\u0001"]', 1, 2, 'a text with right escapes and no control characters'],
  ])('%j is not JSON at %i:%i', (text, line, column, message) => {
    const { mistakes, placeOf } = readJson(text);
    expect(placeOf([])).toEqual({ line, column });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]?.message).toContain(message);
  });

  test('ends where nesting has no use any more', () => {
    expect(readJson('['.repeat(10_000)).mistakes[0]?.message).toBe('Nested deeper than 48 levels.');
  });

  test('knows where each value stands, and that of an absent one is its parent’s', () => {
    const { placeOf } = readJson('{\n  "steps": [\n    { "a": 1 },\n    { "b": [true] }\n  ]\n}');
    expect(placeOf(['steps', 1, 'b', 0])).toEqual({ line: 4, column: 13 });
    expect(placeOf(['steps', 1, 'b'])).toEqual({ line: 4, column: 7 });
    expect(placeOf(['steps', 1, 'missing', 'deeper'])).toEqual({ line: 4, column: 5 });
    expect(placeOf(['steps', 7])).toEqual({ line: 2, column: 3 });
  });

  test('names a key that stands twice, which JSON.parse passes over', () => {
    expect(readJson('{"a": {"b": 1, "b": 2}}').mistakes).toEqual([
      { path: ['a', 'b'], message: 'The key b stands here twice.' },
    ]);
  });

  test('takes __proto__ for a key like any other', () => {
    expect(Object.keys(readJson('{"__proto__": 1}').value as object)).toEqual(['__proto__']);
  });
});

test('a path is written as in code', () => {
  expect(pathText(['steps', 2, 'expect', 'events', 0, 'data.object'])).toBe(
    'steps[2].expect.events[0]["data.object"]',
  );
  expect(pathText([])).toBe('');
});
