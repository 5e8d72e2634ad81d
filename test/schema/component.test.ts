import { expect, test } from 'vitest';
import { component, componentsOf, read } from '../../src/schema/schema.js';
import { nullable, object } from '../../src/schema/object.js';
import { text } from '../../src/schema/values.js';

const NAME = component('Name', text('a name'));
const PERSON = component('Person', object('a person', { name: NAME, nickname: nullable(NAME) }));
const $ref = '#/components/schemas/Name';

test('a component is pointed to wherever it is used, and is written out once', () => {
  expect(componentsOf({ NAME, PERSON })).toEqual({
    Name: { type: 'string' },
    Person: {
      type: 'object',
      properties: { name: { $ref }, nickname: { anyOf: [{ $ref }, { type: 'null' }] } },
      required: ['name', 'nickname'],
      additionalProperties: false,
    },
  });
});

test('a component reads what its schema reads', () => {
  expect(read(PERSON, { name: 'Ana', nickname: null }).value).toEqual({ name: 'Ana', nickname: null });
  expect(read(PERSON, { name: 1, nickname: null }).mistakes).toMatchObject([{ expected: 'a name' }]);
});

test('components are found among all exports of modules, also in lists; the later one of a name stays', () => {
  const long = component('Name', text('a long name', undefined, { minLength: 9 }));
  const found = componentsOf({ NAME, limit: 7, none: null, plain: text() }, { all: [long] });
  expect(found).toEqual({ Name: { type: 'string', minLength: 9 } });
});
