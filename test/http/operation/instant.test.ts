import { expect, test } from 'vitest';
import { parseInstant } from '../../../src/http/operation/instant.js';

test('an instant has its date, time and zone', () => {
  expect(parseInstant('1970-01-01T00:00:01Z')).toBe(1_000);
  expect(parseInstant('1970-01-01T01:00+01:00')).toBe(0);
  for (const text of ['1969-12-31T23:59:59Z', '1970-01-01', '1970-01-01T00:00:00', '10000-01-01T00:00:00Z']) {
    expect(parseInstant(text)).toBeUndefined();
  }
});
