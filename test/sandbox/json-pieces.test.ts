import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import { Refusal } from '../../src/contract/refusals.js';
import { JsonPiece } from '../../src/sandbox/json-pieces.js';
import { thrownBy } from '../helpers/thrown-by.js';

function piece(text: string): JsonPiece {
  return JsonPiece.whole(Buffer.from(text));
}

/** The value of a text, taken apart as far as it goes. */
function taken(from: JsonPiece): unknown {
  if (from.isObject) {
    return Object.fromEntries(Array.from(from.members(), ([name, member]) => [name, taken(member)]));
  }
  return from.isList ? Array.from(from.items(), taken) : from.value();
}

/** Undefined for what is refused. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch {
    return undefined;
  }
}

describe('pieces of JSON', () => {
  test('are those that JSON.parse reads, however the text is laid out', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2, '\t', '\r\n '), (value, space) => {
        const text = ` ${JSON.stringify(value, null, space)}\n`;
        expect(taken(piece(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('are refused where JSON.parse refuses the text', () => {
    const broken = fc
      .tuple(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom('', ',', ':', '"', '[', ']', '{', '}', '\\', '1'),
      )
      .map(([text, at, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1));
    fc.assert(
      fc.property(broken, (text) => {
        expect(outcome(() => taken(piece(text)))).toEqual(outcome(() => JSON.parse(text) as unknown));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['{"a":1} 2', 'The body is not valid JSON: expected nothing more at byte 8.'],
    ['{"a" 1}', 'The body is not valid JSON: expected a colon at byte 5.'],
    ['{a:1}', 'The body is not valid JSON: expected a key in double quotes at byte 1.'],
    ['{"a":1]', 'The body is not valid JSON: expected a comma or a closing bracket at byte 6.'],
    ['{"a":[1}', 'The body is not valid JSON: a list or an object does not end at byte 0.'],
    ['["a]', 'The body is not valid JSON: a text does not end at byte 1.'],
  ])('are refused with their place: %s', (text, message) => {
    expect(thrownBy(() => taken(piece(text)), Refusal).message).toBe(message);
  });

  test('never give an object a prototype', () => {
    const wrong = '{"a":[{"__proto__":{"b":1}}]}';
    expect(thrownBy(() => piece(wrong).value(), Refusal).message).toBe('A key must not be named __proto__.');
  });

  test('that are nested too deep are refused with their place, and nothing is parsed', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const deep = thrownBy(() => piece(`{"a":${'['.repeat(LIMITS.jsonDepth)}`), Refusal);
    expect(deep.message).toBe(
      `The body is nested deeper than ${LIMITS.jsonDepth} levels at byte ${LIMITS.jsonDepth + 4}.`,
    );
    const most = `${'['.repeat(LIMITS.jsonDepth)}1${']'.repeat(LIMITS.jsonDepth)}`;
    expect(piece(most).isList).toBe(true);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  test('that are longer than a row are refused before they are parsed', () => {
    const text = `[${' '.repeat(LIMITS.stateRowBytes - 1)}]`;
    expect(thrownBy(() => piece(text).value(), Refusal).message).toBe(
      `A row of a state may have ${LIMITS.stateRowBytes} bytes; got ${LIMITS.stateRowBytes + 1} at byte 0.`,
    );
    expect(piece(text.replace(' ', '')).value()).toEqual([]);
  });
});
