import { expect, test } from 'vitest';
import { EN } from '../../../src/console/words/en.js';
import { PT } from '../../../src/console/words/pt.js';
import { wordsFor } from '../../../src/console/words/words.js';

test('the first language of the browser that there are words for decides', () => {
  expect(wordsFor(['pt-PT', 'en'])).toBe(PT);
  expect(wordsFor(['fr', 'PT', 'en'])).toBe(PT);
  expect(wordsFor(['en-GB', 'pt-BR'])).toBe(EN);
  expect(wordsFor(['de'])).toBe(EN);
  expect(wordsFor([])).toBe(EN);
});
