import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatItems,
  truncate,
  formatFacts,
  fitText,
  formatHanging,
  escapeControlCharacters,
  indent,
  formatJsonLine,
  toOneLine,
  colorStatus,
  shortenHeader,
  formatTable,
  measureWidth,
  wrapText,
} from '../../../src/cli/terminal/text.js';
import { fakeIo } from '../../helpers/cli/cli-io.js';

describe('escaped control characters', () => {
  test('shows escape sequences, controls and direction marks as codes', () => {
    expect(escapeControlCharacters('\u001b]0;owned\u0007 \u009b31m \u202egnp.exe \r!')).toBe(
      '\\x1b]0;owned\\x07 \\x9b31m \\x202egnp.exe \\x0d!',
    );
  });

  test('shows invisible characters as codes', () => {
    expect(escapeControlCharacters('a\u200bb\u00adc\u2028d\u2800e\ud800f\u{e0100}g\u{e0041}')).toBe(
      'a\\x200bb\\xadc\\x2028d\\x2800e\\xd800f\\xe0100g\\xe0041',
    );
  });

  test('preserves line breaks, tabs and letters of every kind', () => {
    expect(escapeControlCharacters('ação\r\n\tπ 🙂\n')).toBe('ação\n\tπ 🙂\n');
  });

  test('leaves no control character except line break and tab in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeControlCharacters(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});

describe('formatJsonLine', () => {
  test('serializes a value without anything that a terminal would obey', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        const line = formatJsonLine(value);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});

test('further lines of a text are indented, so that none starts like ours', () => {
  expect(indent('one\nerror two\u001b', '  ', 0)).toBe('one\n  error two\\x1b');
  expect(indent('one two\tthree', '  ', 9)).toBe('one two\n  three');
});

test('hanging breaks a sentence between words, and no command', () => {
  expect(formatHanging('Now `npx sandbox stop` ends it.', 14)).toBe('Now\n  `npx sandbox stop`\n  ends it.');
  expect(formatHanging('one two', 0)).toBe('one two');
});

test('shows a header with its name', () => {
  expect(shortenHeader('Authorization: Bearer abcdefghij')).toBe('Authorization: Bearer a…ij');
  expect(shortenHeader('short')).toBe('…');
});

describe('fitText', () => {
  test.each([
    ['payment', 0, 'payment'],
    ['payment', 7, 'payment'],
    ['payment', 6, 'payme…'],
    ['payment', 1, '…'],
    ['ab🙂cd', 4, 'ab…'],
    ['a\tb', 3, 'a b'],
    ['a\tb', 0, 'a\tb'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['ação', 4, 'ação'],
    ['ac\u0327a\u0303o', 4, 'ac\u0327a\u0303o'],
  ])('%s in %i columns is %s', (text, width, expected) => {
    expect(fitText(text, width)).toBe(expected);
  });
});

test('toOneLine returns one escaped line', () => {
  expect(toOneLine(' a\n\tb\u001b ', 0)).toBe('a b\\x1b');
});

describe('wrapText', () => {
  test('breaks between words', () => {
    expect(wrapText('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(wrapText('one two three four', 0)).toEqual(['one two three four']);
    expect(wrapText('unbreakable', 4)).toEqual(['unbreakable']);
  });

  test('counts columns', () => {
    expect(wrapText('日本 日本 ab', 7)).toEqual(['日本', '日本 ab']);
  });

  test('loses no word and fits if words do', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 40 }), (parts, width) => {
        const lines = wrapText(parts.join(' '), width);
        expect(lines.join(' ')).toBe(parts.join(' '));
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('formatTable', () => {
  interface Row {
    readonly code: string;
    readonly status: string;
    readonly note: string;
  }
  const rows: Row[] = [
    { code: 'order-with-a-long-name', status: 'SETTLED', note: 'first' },
    { code: 'order-2', status: 'FAILED', note: '' },
  ];
  const columns = [
    { title: 'CODE', value: ({ code }: Row) => code, minWidth: 8 },
    { title: 'STATUS', value: ({ status }: Row) => status },
    { title: 'NOTE', value: ({ note }: Row) => note, optional: true },
    { title: 'EMPTY', value: () => '', optional: true },
  ];

  test('truncates shrinkable columns', () => {
    expect(formatTable({ columns: 30 }, rows, columns)).toBe(
      ['CODE            STATUS   NOTE', 'order-with-a-…  SETTLED  first', 'order-2         FAILED'].join(
        '\n',
      ),
    );
  });

  test('omits optional columns when truncating is not enough', () => {
    expect(formatTable({ columns: 18 }, rows, columns)).toBe(
      ['CODE       STATUS', 'order-wi…  SETTLED', 'order-2    FAILED'].join('\n'),
    );
  });

  test('prints fixed columns that do not fit below the others', () => {
    expect(formatTable({ columns: 10 }, rows, columns.slice(0, 2)).split('\n')).toEqual([
      'CODE',
      '  STATUS',
      'order-wit…',
      '  SETTLED',
      'order-2',
      '  FAILED',
    ]);
    expect(formatTable({ columns: 5 }, rows, [{ title: 'CODE', value: ({ code }: Row) => code }])).toContain(
      'order-with-a-long-name',
    );
  });

  test('wraps prose between words, and preserves the columns next to it', () => {
    const prose = [
      { title: 'CODE', value: ({ code }: Row) => code.slice(0, 7) },
      { title: 'SAYS', value: () => 'one two three four', wraps: true },
    ];
    expect(formatTable({ columns: 20 }, rows, prose).split('\n')).toEqual([
      'CODE     SAYS',
      'order-w  one two',
      '         three four',
      'order-2  one two',
      '         three four',
    ]);
    expect(formatTable({ columns: 0 }, rows, prose).split('\n')[1]).toBe('order-w  one two three four');
  });

  test('colors cells without changing their width', () => {
    const painted = columns.map((column) => ({ ...column, paint: (text: string) => `<${text}>` }));
    expect(formatTable({ columns: 0 }, rows, painted).split('\n').slice(1)).toEqual([
      '<order-with-a-long-name>  <SETTLED>  <first>',
      '<order-2>                 <FAILED>   <>',
    ]);
  });

  test('shows a cell on one escaped line', () => {
    const [row] = rows;
    expect(
      formatTable({ columns: 0 }, [{ ...row, code: 'a\n\u001b[2J', status: '', note: '' }], columns).split(
        '\n',
      ),
    ).toEqual(['CODE       STATUS', 'a \\x1b[2J']);
  });
});

describe('joinOrStack', () => {
  const parts = ['\u001B[32mfirst\u001B[39m', 'second'];

  test('joinOrStack is one line if it fits, not counting colors, and without a terminal', () => {
    const line = [parts.join('  ')];
    expect(formatItems(parts, '    ', 13)).toEqual(line);
    expect(formatItems(parts, '    ', 0)).toEqual(line);
  });

  test('joinOrStack is one part below the other if it does not', () => {
    expect(formatItems(parts, '    ', 12)).toEqual([parts[0], '    second']);
  });
});

test('continues a long value below on a terminal, and prints one to copy separately', () => {
  const lines = (columns: number) =>
    formatFacts({ columns }, [
      ['to', 'one two three four five six', (value) => `<${value}>`],
      ['code', 'a b c d e f g h i j k l m n', undefined, true],
    ]);
  expect(lines(0)).toBe('to    <one two three four five six>\ncode  a b c d e f g h i j k l m n');
  expect(lines(27)).toBe('to    <one two three four>\n      <five six>\ncode\na b c d e f g h i j k l m n');
});

const { io } = fakeIo({ colorLevel: 1 });

test.each([
  ['DELIVERED', '\u001b[32m'],
  ['SETTLED', '\u001b[32m'],
  ['FAILED', '\u001b[31m'],
  ['PENDING', '\u001b[33m'],
])('colors %s', (status, colors) => {
  expect(colorStatus(io, status)).toBe(`${colors}${status}\u001b[39m`);
});

test('does not color other words', () => {
  expect(colorStatus(io, 'OTHER')).toBe('OTHER');
  expect(colorStatus(fakeIo().io, 'FAILED')).toBe('FAILED');
});

describe('measureWidth', () => {
  test.each([
    ['', 0],
    ['payment', 7],
    ['ação', 4],
    ['ac\u0327a\u0303o', 4],
    ['…→✓', 3],
    ['日本', 4],
    ['ＡＢ', 4],
    ['한국', 4],
    ['🙂', 2],
  ])('%s has %i', (text, columns) => {
    expect(measureWidth(text)).toBe(columns);
    expect(truncate(text, columns)).toBe(text);
  });

  test('omits a character that would exceed the width', () => {
    expect(truncate('日本', 3)).toBe('日');
    expect(truncate('日本', 0)).toBe('');
  });
});
