import { describe, expect, test } from 'vitest';
import { acceptChoices, acceptText, integerRange } from '../../../src/core/input/kinds.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { readQuery } from '../../../src/http/shared/read-request.js';
import { renameField, object, optional } from '../../../src/schema/object.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const QUERY = object('a query', {
  name: optional(acceptText(5)),
  mostOften: renameField('count', optional(integerRange(1, 9))),
  sizes: optional(acceptChoices(['small', 'large'])),
});

function parse(query: string) {
  const queries: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) (queries[name] ??= []).push(value);
  return readQuery(QUERY, queries);
}

describe('query parameters', () => {
  test('query parameters are texts, numbers in digits, and lists with commas', () => {
    expect(parse('name=7&count=7&sizes=large,small&unread=x')).toEqual({
      name: '7',
      mostOften: 7,
      sizes: ['small', 'large'],
    });
  });

  test('query parameters are absent when they are empty', () => {
    expect(parse('name=&sizes=')).toEqual({});
  });

  test.each(['x', '1.5', '1e0', '+1', '01', '-1', ' 1', '0', '10', '1'.repeat(20)])(
    'query parameters reject %j as an integer from 1 to 9',
    (count) => {
      const query = new URLSearchParams({ count }).toString();
      expect(thrownBy(() => parse(query), Refusal)).toMatchObject({
        code: 'INVALID_REQUEST',
        message: 'The query is invalid: count.',
        details: [
          { field: 'count', message: expect.stringMatching(/^Must be a whole number from 1 to 9; got/) },
        ],
      });
    },
  );

  test('query parameters reject repeated values', () => {
    expect(thrownBy(() => parse('name=a&name=b&other=a&other=b'), Refusal).details).toEqual([
      { field: 'name', message: 'Must be provided once; received 2 values.' },
    ]);
  });
});
