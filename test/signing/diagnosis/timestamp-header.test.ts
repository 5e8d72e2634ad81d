import { expect, test } from 'vitest';
import { readTimestampHeader } from '../../../src/signing/diagnosis/headers.js';

const NOW_S = 1_767_268_800;
const read = (text: string, nowS = NOW_S) => readTimestampHeader('x-timestamp', text, { nowS });

test.each([
  ['1767268800417', 'milliseconds', 'in milliseconds'],
  ['1767268800417123', 'microseconds', 'in microseconds'],
  ['1767268800417123456', 'nanoseconds', 'in nanoseconds'],
  ['1767268800.417', 'fraction', 'with a fraction'],
  ['1767268800,4', 'fraction', 'with a fraction'],
  ['1.7672688e9', 'exponent', 'with an exponent'],
  ['1.7672688E+09', 'exponent', 'with an exponent'],
  ['+1767268800', 'sign', 'with a sign'],
  [' 1767268800', 'blanks', 'with surrounding spaces'],
  ['1767268800\t ', 'blanks', 'with surrounding spaces'],
  ['"1767268800"', 'quoted', 'in quotes'],
  ["'1767268800'", 'quoted', 'in quotes'],
  ['1767268800s', 'unit', 'with a unit or other text after the digits'],
  ['1767268800 Seconds', 'unit', 'with a unit or other text after the digits'],
  ['2026-01-01T12:00:00.000Z', 'iso-date', 'as an ISO date'],
  ['2026-01-01 12:00:00', 'iso-date', 'as an ISO date'],
  ['2026-01-01T09:00:00-03:00', 'iso-date', 'as an ISO date'],
  ['2026-01-01T09:00:00-0300', 'iso-date', 'as an ISO date'],
  ['Thu, 01 Jan 2026 12:00:00 GMT', 'http-date', 'as an HTTP date'],
])('parses %j as the intended second', (text, id, did) => {
  const { findings, seconds } = read(text);
  expect(seconds).toBe(NOW_S);
  expect(findings).toMatchObject([
    {
      id: `timestamp-header-${id}`,
      did: `x-timestamp was sent ${did}.`,
      expected: 'x-timestamp in Unix seconds: 1 to 12 decimal digits and nothing else.',
      fix: 'Send whole Unix seconds, e.g. Math.floor(Date.now() / 1000), and sign the same string.',
    },
  ]);
});

test.each([
  'now',
  '17672688004171',
  '176726880041712a',
  '1767268800.',
  '.5',
  'a1767268800.4',
  '1767268800.4a',
  '1.e9',
  '12e9',
  '1e999',
  '+',
  '+-1',
  '"1767268800',
  '"1767268800"x',
  '1767268800s1',
  'x2026-01-01T12:00',
  '2026-01-01',
  '2026-01-01T12',
  '2026-13-01T12:00',
  'Thu, 1 Jan 2026',
  'thu, 01 Jan 2026 12:00:00 GMT',
])('rejects %j as a time', (text) => {
  const { findings, seconds } = read(text);
  expect(seconds).toBeUndefined();
  expect(findings.map(({ id, did }) => [id, did])).toEqual([
    ['timestamp-header-form', 'x-timestamp is not a valid time.'],
  ]);
});

test('accepts an exact timestamp unchanged, and reports nothing for an empty one', () => {
  expect(read(String(NOW_S))).toEqual({ findings: [], seconds: NOW_S });
  expect(read('')).toEqual({ findings: [], seconds: undefined });
});

test.each([
  [300, undefined, ''],
  [301, 'clock-behind', '5 min 1 s in the past (-301 s)'],
  [-301, 'clock-ahead', '5 min 1 s in the future (+301 s)'],
  [1800, 'clock-time-zone', '30 min in the past (-1800 s)'],
  [1739, 'clock-behind', '28 min 59 s in the past (-1739 s)'],
  [1740, 'clock-time-zone', '29 min in the past (-1740 s)'],
  [1861, 'clock-behind', '31 min 1 s in the past (-1861 s)'],
  [-3 * 3600, 'clock-time-zone', '3 h in the future (+10800 s)'],
  [14 * 3600, 'clock-time-zone', '14 h in the past (-50400 s)'],
  [14.5 * 3600, 'clock-behind', '14 h 30 min in the past (-52200 s)'],
  [86_400, 'clock-behind', '1 d in the past (-86400 s)'],
  [86_401, 'timestamp-stale', '1 d 1 s in the past (-86401 s)'],
  [-90_061, 'clock-ahead', '1 d 1 h in the future (+90061 s)'],
])('describes a clock that is %d s off as %s', (ageS, id, words) => {
  const found = read(String(NOW_S - ageS)).findings.map((finding) => [
    finding.id,
    finding.did,
    finding.expected,
  ]);
  expect(found).toEqual(
    id === undefined ? [] : [[id, `x-timestamp is ${words}.`, 'x-timestamp within 300 s of now.']],
  );
});

test('uses the tolerance of the caller', () => {
  const { findings } = readTimestampHeader('x-timestamp', String(NOW_S - 11), {
    nowS: NOW_S,
    toleranceS: 10,
  });
  expect(findings.map(({ expected, fix }) => [expected, fix])).toEqual([
    [
      'x-timestamp within 10 s of now.',
      'Correct the sender’s clock: it runs behind, or the message was delayed before sending.',
    ],
  ]);
});
