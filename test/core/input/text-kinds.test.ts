import { describe, expect, test } from 'vitest';
import { AMOUNT, CODE, text } from '../../../src/core/input/kinds.js';
import { read, type Schema } from '../../../src/schema/schema.js';
import { tries } from '../../helpers/whole.js';

/** Beyond the first plane there are characters of few kinds, most of them none. */
const STEP_BEYOND = tries({ part: 61, whole: 1 });

function accepts(schema: Schema<unknown>, value: string): boolean {
  return read(schema, value).mistakes.length === 0;
}

/** The pattern of a schema, as engines read it that know the flag u, and as others do. */
function patternsOf({ json }: Schema<unknown>): RegExp[] {
  return ['', 'u'].map((flags) => new RegExp(String(json['pattern']), flags));
}

/** Every character. Half of a surrogate pair is none: UTF-8 cannot carry it, and no portable pattern can name it. */
function* characters(): Generator<string> {
  for (let point = 0; point <= 0x10_ff_ff; point += point < 0x1_00_00 ? 1 : STEP_BEYOND) {
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point);
  }
}

describe('a pattern in a schema, with and without the flag u,', () => {
  test('matches the texts that are taken, and no others', () => {
    const kind = text(2);
    const patterns = patternsOf(kind);
    for (const character of characters()) {
      const isTaken = accepts(kind, character);
      if (patterns.every((pattern) => pattern.test(character) === isTaken)) continue;
      expect.fail(`U+${character.codePointAt(0)?.toString(16)} is ${isTaken ? '' : 'not '}taken.`);
    }
  });

  test('matches every code that is taken, and none with a space or a control character', () => {
    const patterns = patternsOf(CODE);
    for (const character of characters()) {
      const isTaken = accepts(CODE, character);
      const isPlain = !/[\s\p{Cc}]/u.test(character);
      if (patterns.every((pattern) => pattern.test(character) === (isTaken || isPlain))) continue;
      expect.fail(`U+${character.codePointAt(0)?.toString(16)} is ${isTaken ? '' : 'not '}taken.`);
    }
  });

  test.each(
    [
      ['0.01', '0.1', '0.10', '0.99', '1', '1.5', '10.05', '9999999999.99'],
      ['0', '0.0', '0.00', '00.10', '01', '1.', '.5', '1.234', '-1', '10000000000', '1,00', ''],
    ].flat(),
  )('matches the amount "%s" if and only if it is taken', (amount) => {
    const isTaken = accepts(AMOUNT, amount);
    expect(patternsOf(AMOUNT).map((pattern) => pattern.test(amount))).toEqual([isTaken, isTaken]);
  });
});
