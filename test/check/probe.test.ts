import { describe, expect, test } from 'vitest';
import { diffStates, formatDeviations, formatDifferences, parseProbeState } from '../../src/check/probe.js';

const NOW_MS = Date.parse('2026-01-31T12:00:00Z');
const ONE = { code: 'check-abc123-0001', id: '11111111-1111-4111-8111-111111111111' };
const OTHER = { code: 'check-abc123-0002', id: '22222222-2222-4222-8222-222222222222' };

function states(print: (of: typeof ONE, changes?: object) => string, changes: object) {
  return [
    parseProbeState(print(ONE), ONE, NOW_MS),
    parseProbeState(print(OTHER, changes), OTHER, NOW_MS),
  ] as const;
}

describe('the state printed by a probe', () => {
  test('omits what differs for every order: code, id, times and random ids', () => {
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
    expect(diffStates(one, other)).toEqual([]);
    const [, credited] = states(print, { total: 2 });
    expect(formatDifferences(diffStates(one, credited))).toBe('total (none) -> 2');
    expect(formatDeviations(diffStates(one, credited))).toBe('total 2 instead of (none)');
  });

  test.each([
    ['23/11/2026 23:54:01', '24/11/2026 00:01:59'],
    ['11/23/2026, 11:54:25 PM', '1/2/2027, 1:04:05 AM'],
    ['23 de novembro de 2026 às 23:54', '1 de março de 2027 às 00:01'],
    ['Mon, 23 Nov 2026 10:00:00 GMT', 'Tue, 24 Nov 2026 11:10:10 GMT'],
    ['Mon Nov 23 23:54:11 2026', 'Tue Nov 24 00:00:01 2026'],
    ['Nov 23, 2026, 11:54 PM', 'Dec 1, 2026, 1:02 AM'],
    ['3 s ago', '2 minutes ago'],
    ['just now', 'há 3 segundos'],
    ['V1StGXR8_Z5jdHi6B-myT', 'Uakgb_J5m9g-0JDMbcJqL'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01BX5ZZKBKACTAV9WEVGEMMVRZ'],
  ])('equates %s and %s', (one, other) => {
    const states = [one, other].map((at) => parseProbeState(JSON.stringify({ at }), ONE, NOW_MS));
    expect(diffStates(states[0]!, states[1]!)).toEqual([]);
  });

  test.each([
    ['1234.56', '1234.57'],
    ['1.234,56', '1.234,57'],
    ['paid', 'expired'],
    ['order 3', 'order 4'],
    ['0.1234567890123456', '0.6543210987654321'],
    ['PAYMENT_CONFIRMED', 'PAYMENT_CANCELLED'],
  ])('distinguishes %s from %s', (one, other) => {
    const states = [one, other].map((at) => parseProbeState(JSON.stringify({ at }), ONE, NOW_MS));
    expect(diffStates(states[0]!, states[1]!)).toHaveLength(1);
  });

  test('the state printed by a probe may be JSON with numbers of many digits', () => {
    expect([...parseProbeState('{"random":0.12345678901234567,"n":1}', ONE, NOW_MS).keys()]).toEqual([
      'random',
      'n',
    ]);
  });

  test('the state printed by a probe is compared only by its field state, if that is an object or a list', () => {
    expect([...parseProbeState('{"state":"paid","at":5}', ONE, NOW_MS).keys()]).toEqual(['state', 'at']);
    expect([...parseProbeState('{"state":{"paid":true},"at":5}', ONE, NOW_MS)]).toEqual([
      ['state.paid', 'true'],
    ]);
  });

  test('shows another list by its length and items', () => {
    const one = parseProbeState('{"emails":["paid"]}', ONE, NOW_MS);
    const two = parseProbeState('{"emails":["paid","paid"]}', ONE, NOW_MS);
    expect(formatDifferences(diffStates(one, two))).toBe('emails.length 1 -> 2, emails[1] (none) -> "paid"');
  });

  test('the state printed by a probe is compared word by word if it is not JSON', () => {
    const one = parseProbeState(`${ONE.code}|paid|1`, ONE, NOW_MS);
    expect(diffStates(one, parseProbeState(`${OTHER.code}|paid|1\n`, OTHER, NOW_MS))).toEqual([]);
    const twice = parseProbeState(`${OTHER.code}|paid|2`, OTHER, NOW_MS);
    expect(formatDifferences(diffStates(one, twice))).toBe('line 1, word 3 1 -> 2');
  });

  test('the state printed by a probe is compared without ignored paths and anything below them', () => {
    const [one, two] = ['{"a":{"c":1},"b":1}', '{"a":{"c":2},"b":2}'].map((text) =>
      parseProbeState(text, ONE, NOW_MS),
    );
    expect(diffStates(one!, two!, new Set(['a']))).toEqual([{ place: 'b', from: '1', to: '2' }]);
  });

  test('an amount is not treated as a time, whatever its size', () => {
    const [one, two] = ['{"cents":1000000000}', '{"cents":2000000000}'].map((text) =>
      parseProbeState(text, ONE, NOW_MS),
    );
    expect(diffStates(one!, two!)).toHaveLength(1);
  });
});
