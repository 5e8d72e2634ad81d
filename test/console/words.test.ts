import { expect, test } from 'vitest';
import { ENGLISH_TEXTS, PORTUGUESE_TEXTS, selectTexts } from '../../src/console/words.js';
import { isNode, readSources, treeOf, walk } from '../helpers/source/sources.js';

test('the first supported language of the browser is used', () => {
  expect(selectTexts(['pt-PT', 'en'])).toBe(PORTUGUESE_TEXTS);
  expect(selectTexts(['fr', 'PT', 'en'])).toBe(PORTUGUESE_TEXTS);
  expect(selectTexts(['en-GB', 'pt-BR'])).toBe(ENGLISH_TEXTS);
  expect(selectTexts(['de'])).toBe(ENGLISH_TEXTS);
  expect(selectTexts([])).toBe(ENGLISH_TEXTS);
});

/** Texts that are the same in both languages: names, abbreviations and words that Portuguese has borrowed. */
const SAME = new Set([
  '',
  'API',
  'Dead letter',
  'EUID',
  'Endpoint',
  'ID',
  'Endpoints',
  'PIX sandbox',
  'Payload',
  'Status',
  'URL',
  'console',
  'listener',
  'sandbox',
]);

function textsOf(table: object): [path: string, text: string][] {
  return Object.entries(table).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return [[name, value] as [string, string]];
    if (typeof value !== 'object' || value === null) return [];
    return textsOf(value).map(([path, text]): [string, string] => [`${name}.${path}`, text]);
  });
}

test('no English text is left in the Portuguese texts', () => {
  const english = new Map(textsOf(ENGLISH_TEXTS));
  const same = textsOf(PORTUGUESE_TEXTS).filter(
    ([path, text]) => english.get(path) === text && !SAME.has(text),
  );
  expect(same).toEqual([]);
});

/** What a component shows that has no language: a currency, and the beginning of a command. */
const WITHOUT_LANGUAGE = new Set(['BRL', ': webhook-id.webhook-timestamp.body']);
/** Attributes whose value a person reads or hears. */
const READ = new Set(['alt', 'aria-label', 'label', 'title']);

test('no component contains its own text', () => {
  const found: string[] = [];
  for (const [file, source] of readSources('src/console')) {
    walk(treeOf(source), ({ type, name, value }) => {
      const isRead = type === 'JSXAttribute' && isNode(name) && READ.has(String(name['name']));
      const text = isRead && isNode(value) ? value['value'] : type === 'JSXText' ? value : undefined;
      if (typeof text !== 'string' || !/\p{L}/u.test(text)) return;
      if (!WITHOUT_LANGUAGE.has(text.trim())) found.push(`${file}: ${text.trim()}`);
    });
  }
  expect(found).toEqual([]);
});
