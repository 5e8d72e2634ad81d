import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/contract/refusals.js';
import { QueryFields } from '../../../src/http/operation/query.js';
import { thrownBy } from '../../helpers/thrown-by.js';

function fieldsOf(query: string): QueryFields {
  const queries: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) (queries[name] ??= []).push(value);
  return new QueryFields(queries);
}

describe('the parameters of a query', () => {
  it('are texts, numbers in digits, and lists with commas', () => {
    const fields = fieldsOf('name=7&count=7&sizes=large,small&unread=x');
    expect(fields.optionalText('name', 5)).toBe('7');
    expect(fields.wholeNumber('count', 1, 9)).toBe(7);
    expect(fields.listOf('sizes', ['small', 'large'])).toEqual(['small', 'large']);
    expect(() => fields.done()).not.toThrow();
  });

  it('are absent when they are empty', () => {
    const fields = fieldsOf('name=&sizes=');
    expect([fields.optionalText('name', 5), fields.optionalListOf('sizes', ['small'])]).toEqual([
      undefined,
      undefined,
    ]);
    expect(() => fields.done()).not.toThrow();
  });

  it.each(['x', '1.5', '1e0', '+1', '01', '-1', ' 1', '0', '10', '1'.repeat(20)])(
    'are no whole number from 1 to 9 when they are %j',
    (count) => {
      const fields = fieldsOf(new URLSearchParams({ count }).toString());
      fields.wholeNumber('count', 1, 9);
      expect(thrownBy(() => fields.done(), Refusal)).toMatchObject({
        code: 'INVALID_REQUEST',
        message: 'The query is not valid: count.',
        details: [
          { field: 'count', message: expect.stringMatching(/^Must be a whole number from 1 to 9; got/) },
        ],
      });
    },
  );

  it('are given once, because only one can be meant', () => {
    const fields = fieldsOf('name=a&name=b&other=a&other=b');
    expect(fields.optionalText('name', 5)).toBeUndefined();
    expect(thrownBy(() => fields.done(), Refusal).details).toEqual([
      { field: 'name', message: 'Must be given once; got it 2 times.' },
    ]);
  });
});
