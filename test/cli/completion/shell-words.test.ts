import { expect, test } from 'vitest';
import { splitLine } from '../../../src/cli/completion/answer.js';

test.each([
  ['sandbox tri', ['sandbox', 'tri'], ''],
  ['sandbox  trigger ', ['sandbox', 'trigger', ''], ''],
  ["sandbox listen --events 'pix.", ['sandbox', 'listen', '--events', 'pix.'], "'"],
  ['sandbox charges show "a b" c\\ d', ['sandbox', 'charges', 'show', 'a b', 'c d'], ''],
  ['sandbox x "a\\"b', ['sandbox', 'x', 'a"b'], '"'],
  ["sandbox x 'a\\", ['sandbox', 'x', 'a\\'], "'"],
  ["sandbox '' ", ['sandbox', '', ''], ''],
  ['', [''], ''],
])('%j', (line, words, quote) => {
  expect(splitLine(line)).toEqual({ words, quote });
});
