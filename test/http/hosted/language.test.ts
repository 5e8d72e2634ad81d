import { expect, test } from 'vitest';
import { chooseLanguage } from '../../../src/http/hosted/language.js';

test.for([
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['pt-BR', 'pt-BR'],
  ['pt', 'pt-BR'],
  ['PT-pt', 'pt-BR'],
  ['en-US,en;q=0.9,pt;q=0.8', 'en'],
  ['pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7', 'pt-BR'],
  ['fr, pt;q=0.5, en;q=0.4', 'pt-BR'],
  ['en;q=0.1, pt;q=0.2', 'pt-BR'],
  ['pt;q=0, fr', 'en'],
  ['pt;q=abc', 'en'],
  ['fr', 'en'],
  ['ptx', 'en'],
] as const)('%s is answered in %s', ([header, language]) => {
  expect(chooseLanguage(header)).toBe(language);
});
