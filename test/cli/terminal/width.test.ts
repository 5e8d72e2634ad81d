import { describe, expect, test } from 'vitest';
import { cut, widthOf } from '../../../src/cli/terminal/text.js';

describe('columns', () => {
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
  ])('%s takes %i', (text, columns) => {
    expect(widthOf(text)).toBe(columns);
    expect(cut(text, columns)).toBe(text);
  });

  test('a character that would reach beyond is left out', () => {
    expect(cut('日本', 3)).toBe('日');
    expect(cut('日本', 0)).toBe('');
  });
});
