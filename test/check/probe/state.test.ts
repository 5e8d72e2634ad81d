import { describe, expect, test } from 'vitest';
import { differencesOf, differencesText, stateOf } from '../../../src/check/probe/state.js';

const NOW_MS = Date.parse('2026-01-31T12:00:00Z');
const ONE = { code: 'check-abc123-0001', id: '11111111-1111-4111-8111-111111111111' };
const OTHER = { code: 'check-abc123-0002', id: '22222222-2222-4222-8222-222222222222' };

function states(print: (of: typeof ONE, changes?: object) => string, changes: object) {
  return [stateOf(print(ONE), ONE, NOW_MS), stateOf(print(OTHER, changes), OTHER, NOW_MS)] as const;
}

describe('the state that a probe printed', () => {
  test('leaves out what differs for every order: code, id, times and random ids', () => {
    const print = ({ code, id }: typeof ONE, changes: object = {}) => {
      const isFirst = code === ONE.code;
      return JSON.stringify({
        [code]: { charge: id, credits: 1, mail: `Order ${code} is paid` },
        paidAt: isFirst ? '2026-01-31T12:00:00.123Z' : '2026-01-31 12:01:02',
        unix: isFirst ? 1_769_860_800 : 1_769_860_861,
        token: isFirst ? 'evt_00112233445566778899aabbccddeeff' : 'evt_ffeeddccbbaa99887766554433221100',
        ...changes,
      });
    };
    const [one, other] = states(print, {});
    expect(differencesOf(one, other)).toEqual([]);
    const [, credited] = states(print, { total: 2 });
    expect(differencesText(differencesOf(one, credited))).toBe('total (none) -> 2');
  });

  test('shows another list by its length and items', () => {
    const one = stateOf('{"emails":["paid"]}', ONE, NOW_MS);
    const two = stateOf('{"emails":["paid","paid"]}', ONE, NOW_MS);
    expect(differencesText(differencesOf(one, two))).toBe('emails.length 1 -> 2, emails[1] (none) -> "paid"');
  });

  test('compares what is not JSON word by word', () => {
    const one = stateOf(`${ONE.code}|paid|1`, ONE, NOW_MS);
    expect(differencesOf(one, stateOf(`${OTHER.code}|paid|1\n`, OTHER, NOW_MS))).toEqual([]);
    const twice = stateOf(`${OTHER.code}|paid|2`, OTHER, NOW_MS);
    expect(differencesText(differencesOf(one, twice))).toBe('line 1, word 3 1 -> 2');
  });

  test('hides masked places only', () => {
    const [one, two] = ['{"a":1,"b":1}', '{"a":2,"b":2}'].map((text) => stateOf(text, ONE, NOW_MS));
    expect(differencesOf(one!, two!, new Set(['a']))).toEqual([{ place: 'b', from: '1', to: '2' }]);
  });

  test('an amount is no time, whatever its size', () => {
    const [one, two] = ['{"cents":1000000000}', '{"cents":2000000000}'].map((text) =>
      stateOf(text, ONE, NOW_MS),
    );
    expect(differencesOf(one!, two!)).toHaveLength(1);
  });
});
