import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanJson } from '../../src/config/json-scan.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('scanJson', () => {
  test('takes what JSON.parse takes', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, 2, '\t'), (text, indent) => {
        const written = JSON.stringify(JSON.parse(text), null, indent);
        expect(scanJson(` ${written}\r\n`).ok).toBe(true);
      }),
    );
  });

  test('and nothing else, whatever is changed in it', () => {
    const pieces = fc.constantFrom(
      ...Array.from('{}[]",:\\ \n019.-+eEtfnu/#'),
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
        expect({ changed, ok: scanJson(changed).ok }).toEqual({ changed, ok: isJson(changed) });
      }),
      { numRuns: 2_000 },
    );
  });

  test('knows the keys of the object, and where they stand', () => {
    expect(scanJson('{\n  "a": {"in": [1]},\r\n\t"b\\u0021": 2, "a": 3\n}')).toEqual({
      ok: true,
      keys: [
        { name: 'a', place: { line: 2, column: 3 } },
        { name: 'b!', place: { line: 3, column: 2 } },
        { name: 'a', place: { line: 3, column: 16 } },
      ],
    });
  });

  test.each([
    ['', 1, 1, 'a value'],
    ['{', 1, 2, 'a key in double quotes'],
    ['{"a": 1,}', 1, 9, 'a key in double quotes'],
    ['{"a" 1}', 1, 6, ':'],
    ['{"a": }', 1, 7, 'a value'],
    ['{"a": 1\n "b": 2}', 2, 2, ', or }'],
    ['[1 2]', 1, 4, ', or ]'],
    ["{'a': 1}", 1, 2, 'a key in double quotes'],
    ['{} // done', 1, 4, 'nothing more'],
    ['{"a": 01}', 1, 7, 'a value'],
    ['{"a": "b\n"}', 1, 7, 'a value'],
  ])('%j stops at %i:%i, where it expected %s', (text, line, column, expected) => {
    expect(scanJson(text)).toEqual({ ok: false, place: { line, column }, expected });
  });

  test('goes no deeper than anybody writes', () => {
    expect(scanJson('['.repeat(32) + ']'.repeat(32)).ok).toBe(true);
    expect(scanJson('['.repeat(100_000))).toMatchObject({ ok: false, expected: 'at most 32 levels' });
  });
});
