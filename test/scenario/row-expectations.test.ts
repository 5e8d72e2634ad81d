import { describe, expect, test } from 'vitest';
import { judgeRows } from '../../src/scenario/expectations.js';

const ROWS = [
  { type: 'pix.expired', status: 'DELIVERED', attempts: 1 },
  { type: 'pix.settled', status: 'FAILED', attempts: 8 },
  { type: 'pix.settled', status: 'PENDING', attempts: 2 },
];

function missesOf(wanted: unknown, rows: readonly object[] = ROWS): string {
  return judgeRows('deliveries', wanted, rows as typeof ROWS).misses.join('\n');
}

describe('rows', () => {
  test.each([
    'pix.settled',
    { type: 'pix.settled' },
    { type: 'pix.settled', count: 2 },
    { type: 'pix.failed', count: 0 },
    { count: 3 },
    { attempts: 8, status: 'F*' },
    ['pix.expired', 'pix.settled', { status: 'PENDING' }],
  ])('are as %j wants them', (wanted) => {
    expect(missesOf(wanted)).toBe('');
  });

  test('that fit are found, so that later steps can refer to them', () => {
    expect(judgeRows('deliveries', { type: 'pix.settled' }, ROWS).found).toEqual(ROWS.slice(1));
  });

  test('a miss says what was expected, what came nearest, and what there was', () => {
    expect(missesOf({ type: 'pix.settled', status: 'DELIVERED' })).toBe(
      [
        'deliveries: expected at least 1 with {"type":"pix.settled","status":"DELIVERED"}; got 0.',
        '  The nearest is pix.expired DELIVERED attempts 1: type is "pix.expired", expected "pix.settled"',
        '  There: 3',
        '    pix.expired DELIVERED attempts 1',
        '    pix.settled FAILED attempts 8',
        '    pix.settled PENDING attempts 2',
      ].join('\n'),
    );
  });

  test('too many are shown, and none at all is said', () => {
    expect(missesOf({ type: 'pix.settled', count: 1 })).toBe(
      [
        'deliveries: expected 1 with {"type":"pix.settled"}; got 2.',
        '  Those: 2',
        '    pix.settled FAILED attempts 8',
        '    pix.settled PENDING attempts 2',
      ].join('\n'),
    );
    expect(missesOf('pix.settled', [])).toContain('There is none at all.');
    expect(
      missesOf(
        { count: 0 },
        Array.from({ length: 20 }, () => ROWS[0] ?? {}),
      ),
    ).toContain('and 12 more');
  });

  test('a list wants all of them in their order', () => {
    expect(missesOf(['pix.settled', 'pix.expired', 'pix.settled'])).toContain(
      'Number 1: pix.expired DELIVERED attempts 1: type is "pix.expired", expected "pix.settled"',
    );
    expect(missesOf(['pix.expired', 'pix.settled'])).toContain('The first 2 are right, and more came.');
    expect(missesOf([...ROWS, 'pix.failed'])).toContain('Number 4: {"type":"pix.failed"} did not come');
    expect(missesOf([], [])).toBe('');
  });
});
