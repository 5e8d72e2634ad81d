import { describe, expect, test } from 'vitest';
import { DELAY_PATTERN, formatDelay, parseDelay } from '../../src/contract/delay.js';

describe('parseDelay', () => {
  test.each([
    ['5s', 5_000],
    ['0s', 0],
    ['2.8s~4.6s', { medianMs: 2_800, p99Ms: 4_600 }],
    ['1ms~1d12h', { medianMs: 1, p99Ms: 129_600_000 }],
    ['spi', { medianMs: 1_600, p99Ms: 3_890 }],
  ])('parses %s, which its format and its pattern reproduce', (text, delay) => {
    expect(parseDelay(text)).toEqual(delay);
    expect(parseDelay(formatDelay(delay))).toEqual(delay);
    expect([text, formatDelay(delay)].every((one) => DELAY_PATTERN.test(one))).toBe(true);
  });

  test.each([
    '',
    '5',
    '~',
    '2s~',
    '~2s',
    '4.6s~2.8s',
    '2s~2s',
    '0s~2s',
    '1s~2s~3s',
    'SPI',
    'spi~2s',
    'toString',
  ])('rejects %j', (text) => {
    expect(parseDelay(text)).toBeUndefined();
  });
});
