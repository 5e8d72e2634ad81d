import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fields } from '../../../src/core/input/fields.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { thrownBy } from '../../helpers/thrown-by.js';

/** What reading a field of this value gives: the value, or the message of what is wrong with it. */
function read<Value>(value: unknown, take: (fields: Fields) => Value): Value | string {
  const fields = new Fields({ field: value });
  const taken = take(fields);
  try {
    fields.done();
    return taken;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.details.map(({ field, message }) => `refused: ${field} ${message}`).join();
  }
}

const refused = (text = '') => expect.stringMatching(new RegExp(`^refused: field .*${text}`));

describe('the body', () => {
  it.each([null, undefined, 'text', 5, true, [], [{}]])('%j is not an object', (body) => {
    expect(() => new Fields(body)).toThrow(/must be a JSON object/);
  });

  it('is refused once, with every problem named', () => {
    const fields = new Fields({ code: 'a b', amount: 10 });
    fields.code('code');
    fields.amount('amount');
    fields.uuid('account_id');
    expect(thrownBy(() => fields.done(), Refusal)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'Not valid: code, amount, account_id.',
      details: [{ field: 'code' }, { field: 'amount' }, { field: 'account_id', message: 'Is required.' }],
    });
  });

  it('names the fields that nobody asked for', () => {
    const fields = new Fields(JSON.parse('{"a":1,"b":2,"__proto__":3}'));
    fields.take('a');
    fields.take('c');
    expect(fields.unknown()).toEqual(['b', '__proto__']);
  });

  it('has no fields but its own', () => {
    expect(new Fields({}).take('toString')).toBeUndefined();
    expect(new Fields({}).take('__proto__')).toBeUndefined();
  });

  it('takes null for absent', () => {
    expect(read(null, (fields) => fields.optionalText('field', 5))).toBeUndefined();
    expect(read(null, (fields) => fields.text('field', 5))).toBe('refused: field Is required.');
  });
});

describe('a text', () => {
  const text = (value: unknown) => read(value, (fields) => fields.text('field', 5));

  it.each(['a', 'abcde', 'olá', ' ', '"', '🙂🙂🙂🙂🙂'])('may be %j', (value) =>
    expect(text(value)).toBe(value),
  );

  it.each([
    ['', '1 to 5 characters; got 0'],
    ['abcdef', '1 to 5 characters; got 6'],
    ['🙂🙂🙂🙂🙂🙂', '1 to 5 characters; got 6'],
    ['a\nb', 'control characters'],
    ['a\u0000', 'control characters'],
    ['\u009f', 'control characters'],
    ['a\ud800', 'half of a surrogate pair'],
    [5, 'a string; got the number 5'],
    [true, 'a string; got the boolean true'],
    [[], 'a string; got a list'],
    [{}, 'a string; got an object'],
  ])('is not %j', (value, message) => expect(text(value)).toEqual(refused(message)));
});

describe('a code', () => {
  const code = (value: unknown) => read(value, (fields) => fields.code('field'));

  it.each(['order-1', '!~', 'café', '🙂', 'x'.repeat(100)])('may be %j', (value) =>
    expect(code(value)).toBe(value),
  );

  it.each(['a b', ' a', '\u00a0', 'a\u2003b', '\u3000', 'a\u2028', 'a\u200bb', '\ud800', 'x'.repeat(101)])(
    'has no space and nothing that cannot be seen: %j',
    (value) => expect(code(value)).toEqual(refused()),
  );
});

describe('a UUID', () => {
  const uuid = (value: unknown) => read(value, (fields) => fields.uuid('field'));

  it('is taken in lower case', () => {
    expect(uuid('ABCDEF00-0000-4000-8000-000000000001')).toBe('abcdef00-0000-4000-8000-000000000001');
  });

  it.each(['', 'x', '{00000000-0000-4000-8000-000000000001}', 1])('is not %j', (value) =>
    expect(uuid(value)).toEqual(refused()),
  );
});

describe('an amount', () => {
  const amount = (value: unknown) => read(value, (fields) => fields.amount('field'));

  it('is cents', () => expect(amount('10.5')).toBe(1_050));

  it.each([
    [10, 'must be a string, such as .*; got the number 10'],
    ['0.00', 'must be above zero'],
    ['1,00', 'must be digits with a point'],
    [undefined, 'Is required'],
  ])('is not %j', (value, message) => expect(amount(value)).toEqual(refused(message)));
});

describe('a document', () => {
  const document = (value: unknown) => read(value, (fields) => fields.optionalDocument('field'));

  it.each([
    ['529.982.247-25', '52998224725'],
    ['12ABC34501DE35', '12ABC34501DE35'],
  ])('%s is kept as %s', (value, bare) => expect(document(value)).toBe(bare));

  // A letter that becomes an I or two S in capitals stands for neither.
  it.each(['52998224724', '11111111111', 'x', 52_998_224_725, '12ABC34501DE3ß', '12aıc34501de35'])(
    'is not %j',
    (value) => expect(document(value)).toEqual(refused()),
  );
});

describe('a duration', () => {
  const wanted = { leastMs: 1, mostMs: 60_000, example: '3s' };
  const duration = (value: unknown) => read(value, (fields) => fields.duration('field', wanted));

  it('is milliseconds', () => expect(duration('1m')).toBe(60_000));

  it.each(['0s', '61s', 'soon', '', 3])('is not %j', (value) => expect(duration(value)).toEqual(refused()));
});

describe('numbers', () => {
  const whole = (value: unknown) => read(value, (fields) => fields.wholeNumber('field', 1, 9));
  const share = (value: unknown) => read(value, (fields) => fields.number('field', { above: 0, most: 1 }));

  it('are whole ones in their range', () => {
    expect([whole(1), whole(9)]).toEqual([1, 9]);
    for (const value of [0, 10, 1.5, '1', true]) expect(whole(value)).toEqual(refused('from 1 to 9; got'));
  });

  it('are above their limit', () => {
    expect([share(0.001), share(1)]).toEqual([0.001, 1]);
    for (const value of [0, 1.01, '1']) expect(share(value)).toEqual(refused('above 0 and up to 1; got'));
  });
});

describe('what depends on a field', () => {
  it('is told by a choice, and a wrong one ends the reading', () => {
    expect(read('red', (fields) => fields.variant('field', ['red', 'green']))).toBe('red');
    for (const value of [undefined, 'blue']) {
      const fields = new Fields({ field: value });
      expect(() => fields.variant('field', ['red', 'green'])).toThrow('Not valid: field.');
    }
  });

  it('is told by which field is there, and only one may be', () => {
    const either = (body: object) => new Fields(body).either(['a', 'b'], 'Give one.');
    expect([either({ a: 1 }), either({ b: 1, a: null })]).toEqual(['a', 'b']);
    for (const body of [{}, { a: 1, b: 2 }]) {
      expect(thrownBy(() => either(body), Refusal).details).toEqual([{ field: 'a', message: 'Give one.' }]);
    }
  });

  it('may stand in an object of its own, whose problems are told with its name', () => {
    const fields = new Fields({ with: { amount: 10, colour: 'red' }, other: [] });
    fields.nested('with', (inner) => inner.optionalAmount('amount'), 'charge');
    fields.nested('other', (inner) => inner.optionalAmount('amount'), 'charge');
    fields.nested('none', (inner) => inner.optionalAmount('amount'), 'charge');
    expect(thrownBy(() => fields.done(), Refusal).details).toEqual([
      { field: 'with.amount', message: expect.stringContaining('got the number 10') },
      { field: 'with.colour', message: 'Is not a field of a charge.' },
      { field: 'other', message: 'Must be an object with the fields of a charge.' },
    ]);
  });
});

describe('metadata', () => {
  const metadata = (value: unknown) => read(value, (fields) => fields.metadata('field'));
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));

  it('is empty when absent', () => expect(metadata(undefined)).toEqual({}));

  it('holds up to 50 keys of up to 40 characters with values of up to 500', () => {
    expect(metadata(keys(50))).toEqual(keys(50));
    const longest = { ['k'.repeat(40)]: 'v'.repeat(500) };
    expect(metadata(longest)).toEqual(longest);
  });

  it.each([
    [keys(51), 'at most 50 keys'],
    [{ '': 'x' }, '1 to 40 characters; got 0'],
    [{ ['k'.repeat(41)]: 'x' }, '1 to 40 characters; got 41'],
    [{ k: 'v'.repeat(501) }, 'at most 500 characters'],
    [{ k: '\udc00' }, 'half of a surrogate pair'],
    [{ '\ud800': '' }, 'half of a surrogate pair'],
    [{ k: 1 }, 'must be a string; got the number 1'],
    [{ k: null }, 'must be a string; got null'],
    [{ k: {} }, 'must be a string; got an object'],
    ['text', 'an object of strings'],
    [[], 'an object of strings; got a list'],
  ])('is not %j', (value, message) => expect(metadata(value)).toEqual(refused(message)));

  it('keeps every key, whatever it is called, and changes no prototype', () => {
    const anyMetadata = fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), fc.string());
    fc.assert(
      fc.property(anyMetadata, (value) => {
        expect(metadata(value)).toEqual(value);
      }),
    );
    const hostile = metadata(JSON.parse('{"__proto__":"x","constructor":"y"}'));
    expect(JSON.stringify(hostile)).toBe('{"__proto__":"x","constructor":"y"}');
  });
});

describe('values by name', () => {
  const values = (value: unknown) => read(value, (fields) => fields.values('field', {}));

  it('are any JSON', () => expect(values({ a: [{ b: '🙂' }] })).toEqual({ a: [{ b: '🙂' }] }));

  it.each([{ a: ['\ud800'] }, { a: { '\udc00': 1 } }])('are not %j', (value) =>
    expect(values(value)).toEqual(refused('half of a surrogate pair')),
  );
});

describe('a choice', () => {
  const COLOURS = ['red', 'green'] as const;

  it('is one of a list', () => {
    const one = (value: unknown) => read(value, (fields) => fields.oneOf('field', COLOURS));
    expect(one('red')).toBe('red');
    expect(one(undefined)).toBeUndefined();
    for (const value of ['blue', 'RED', 1, ['red'], '']) expect(one(value)).toEqual(refused('red, green'));
  });

  it('may be several, in the order of the choices and each once', () => {
    const several = (value: unknown) => read(value, (fields) => fields.listOf('field', COLOURS));
    expect(several(['green', 'red', 'green'])).toEqual(['red', 'green']);
    for (const value of [undefined, [], 'red', {}, ['red', 'blue'], [null]]) {
      expect(several(value)).toEqual(refused());
    }
  });
});
