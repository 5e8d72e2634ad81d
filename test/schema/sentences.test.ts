import { expect, test } from 'vitest';
import type { Schema } from '../../src/schema/schema.js';
import { object, optional } from '../../src/schema/object.js';
import { mistakesIn } from '../../src/schema/sentences.js';
import { flag, keyOf, refine, text, whole } from '../../src/schema/values.js';

const WORD = keyOf({ apple: 1, pear: 1 }, 'a fruit');
const FRUIT = object('a fruit', {
  name: text(),
  count: optional(whole('a count', { least: 0 })),
  ripe: flag,
});
const NEVER = refine(text(), () => ({ problem: 'Never.' }));
const RIGHT = { name: 'a', ripe: true };

test.each<[Schema<unknown>, unknown, string[]]>([
  [FRUIT, { ...RIGHT, count: 0 }, []],
  [WORD, 'aple', ['Expected a fruit: apple, pear; got "aple". Did you mean apple?']],
  [WORD, 'x', ['Expected a fruit: apple, pear; got "x".']],
  [keyOf({ apple: 1, pear: 1 }), 'x', ['Expected one of apple, pear; got "x".']],
  [WORD, 1, ['Expected a fruit; got 1.']],
  [text(), [], ['Expected a string; got an empty list.']],
  [text(), [1], ['Expected a string; got a list.']],
  [text(), {}, ['Expected a string; got an object.']],
  [text(), null, ['Expected a string; got null.']],
  [text(), undefined, ['Expected a string; got nothing.']],
  [flag, 'a'.repeat(58), [`Expected true or false; got "${'a'.repeat(58)}".`]],
  [flag, 'a'.repeat(59), [`Expected true or false; got "${'a'.repeat(59)}….`]],
  [FRUIT, { name: 'a' }, ['Expected a fruit with the field ripe; it is missing.']],
  [FRUIT, { ...RIGHT, nme: 'a' }, ['There is no field "nme" in a fruit. Did you mean name?']],
  [FRUIT, { ...RIGHT, zzzzzz: 1 }, ['There is no field "zzzzzz" in a fruit. It has name, count, ripe.']],
  [NEVER, 'a', ['Never.']],
])('%#: the mistakes are said in sentences', (schema, value, messages) => {
  expect(mistakesIn(schema, value).map(({ message }) => message)).toEqual(messages);
});

test('a mistake has its place in the whole document', () => {
  expect(mistakesIn(FRUIT, { name: 1, ripe: true }, ['fruits', 0])).toEqual([
    { path: ['fruits', 0, 'name'], message: 'Expected a string; got 1.' },
  ]);
});
