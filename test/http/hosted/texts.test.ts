import { expect, test } from 'vitest';
import { selectPageTexts } from '../../../src/http/hosted/texts.js';

function leaves(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, `${path}.${key}`));
}

test('every text differs between the languages, except for names', () => {
  const portuguese = new Map(leaves(selectPageTexts('pt-BR')));
  const english = leaves(selectPageTexts('en'));
  const shared = english.filter(([path, text]) => portuguese.get(path) === text).map(([path]) => path);
  expect(shared).toEqual(['.banner.tag', '.individual.document', '.business.document', '.panel.status']);
  expect([...english, ...portuguese].filter(([, text]) => !/\S/.test(text as string))).toEqual([]);
});

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
] as const)('responds to %s in %s', ([header, language]) => {
  expect(selectPageTexts(header).language).toBe(language);
});
