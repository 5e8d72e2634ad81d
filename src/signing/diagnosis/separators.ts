import { type Mistake, mistake, rowsAbout, variantsOf } from './mistake.js';

const JOIN_WITH_DOTS = 'Join the parts with single dots (.), with nothing before or after.';

const separator = rowsAbout('separator', JOIN_WITH_DOTS);

/** Other ways to join the parts. */
export const SEPARATOR_MISTAKES: readonly Mistake[] = [
  separator('separator-none', 'The parts were joined with nothing between them.', () => ({ nothing: '' })),
  separator('separator-line-break', 'The parts were joined with line breaks.', () => ({
    LF: '\n',
    'CR LF': '\r\n',
    'a backslash and the letter n': '\\n',
  })),
  separator('separator-other', 'The parts were joined with a character other than the dot.', () => ({
    'a colon': ':',
    'a vertical bar': '|',
    'a comma': ',',
    'a hyphen': '-',
    'a space': ' ',
    'an ampersand': '&',
    'an underscore': '_',
    'a semicolon': ';',
    'a slash': '/',
    'a plus sign': '+',
    'a tab': '\t',
    'a dot and a space': '. ',
  })),
];

/** Extra text after the last part. */
export const ENDING_MISTAKES: readonly Mistake[] = [
  mistake(
    'content-ends-with-line-break',
    'A line break was signed after the last part.',
    'Sign only the parts; in a shell, use printf or echo -n.',
    () => variantsOf('ending', { LF: '\n', 'CR LF': '\r\n' }),
  ),
  mistake('content-ends-with-dot', 'A dot was signed after the last part.', JOIN_WITH_DOTS, () =>
    variantsOf('ending', { 'a dot': '.' }),
  ),
];
