import { expect, test } from 'vitest';
import { escapeControlCharacters } from '../../src/text/control-characters.js';

test.each([
  ['plain', 'plain'],
  ['a\r\nb\nc\td', 'a\nb\nc\td'],
  ['a\rb', String.raw`a\x0db`],
  ['\u001b[31m', String.raw`\x1b[31m`],
  ['\u0000', String.raw`\x00`],
  ['\u202e', String.raw`\x202e`],
  ['\u2028\u2029', String.raw`\x2028\x2029`],
  ['\ud800', String.raw`\xd800`],
  [
    '\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0',
    String.raw`\x34f\x115f\x1160\x17b4\x17b5\x2800\x3164\xffa0`,
  ],
  ['\u{e0100}\u{e01ef}', String.raw`\xe0100\xe01ef`],
  ['é 😀 \u00a0', 'é 😀 \u00a0'],
])('shows %j as %j', (text, expected) => {
  expect(escapeControlCharacters(text)).toBe(expected);
});
