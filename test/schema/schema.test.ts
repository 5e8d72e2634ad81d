import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { oneOf, union, array, record, tuple, unionBy } from '../../src/schema/compound.js';
import { readJsonText } from '../../src/schema/json-text.js';
import {
  forbidField,
  renameField,
  nullable,
  nullish,
  object,
  optional,
  partial,
} from '../../src/schema/object.js';
import {
  nameSchema,
  collectComponents,
  type Infer,
  formatPath,
  sortByPosition,
  type ProblemText,
  read,
  type ReadOptions,
  type Schema,
} from '../../src/schema/schema.js';
import { findIssues } from '../../src/schema/sentences.js';
import {
  literal,
  rawText,
  anyValue,
  withDoc,
  boolean,
  deriveKey,
  mapValue,
  number,
  enumOf,
  refine,
  text,
  integer,
} from '../../src/schema/values.js';

const WORD = deriveKey({ apple: 1, pear: 1 }, 'a fruit');
const FRUIT = object('a fruit', {
  name: text(),
  count: optional(integer('a count', { min: 0 })),
  ripe: boolean,
});
const NEVER = refine(text(), () => ({ problem: 'Never.' }));
const RIGHT = { name: 'a', ripe: true };

test.each<[Schema<unknown>, unknown, string[]]>([
  [FRUIT, { ...RIGHT, count: 0 }, []],
  [WORD, 'aple', ['Expected a fruit: apple, pear; got "aple". Did you mean apple?']],
  [WORD, 'x', ['Expected a fruit: apple, pear; got "x".']],
  [deriveKey({ apple: 1, pear: 1 }), 'x', ['Expected one of apple, pear; got "x".']],
  [WORD, 1, ['Expected a fruit; got 1.']],
  [text(), [], ['Expected a string; got an empty list.']],
  [text(), [1], ['Expected a string; got a list.']],
  [text(), {}, ['Expected a string; got an object.']],
  [text(), null, ['Expected a string; got null.']],
  [text(), undefined, ['Expected a string; got nothing.']],
  [boolean, 'a'.repeat(58), [`Expected true or false; got "${'a'.repeat(58)}".`]],
  [boolean, 'a'.repeat(59), [`Expected true or false; got "${'a'.repeat(59)}….`]],
  [FRUIT, { name: 'a' }, ['Expected a fruit with the field ripe; the field is missing.']],
  [FRUIT, { ...RIGHT, nme: 'a' }, ['Unknown field "nme" in a fruit. Did you mean name?']],
  [FRUIT, { ...RIGHT, zzzzzz: 1 }, ['Unknown field "zzzzzz" in a fruit. Known fields: name, count, ripe.']],
  [NEVER, 'a', ['Never.']],
])('describes the issues in sentences: %#', (schema, value, messages) => {
  expect(findIssues(schema, value).map(({ message }) => message)).toEqual(messages);
});

test('locates an issue in the whole document', () => {
  expect(findIssues(FRUIT, { name: 1, ripe: true }, ['fruits', 0])).toEqual([
    { path: ['fruits', 0, 'name'], message: 'Expected a string; got 1.' },
  ]);
});

const NAME = nameSchema('Name', text('a name'));
const PERSON = nameSchema('Person', object('a person', { name: NAME, nickname: nullable(NAME) }));
const $ref = '#/components/schemas/Name';

test('refers to a component wherever it is used, and defines it once', () => {
  expect(collectComponents({ NAME, PERSON })).toEqual({
    Name: { type: 'string' },
    Person: {
      type: 'object',
      properties: { name: { $ref }, nickname: { anyOf: [{ $ref }, { type: 'null' }] } },
      required: ['name', 'nickname'],
      additionalProperties: false,
    },
  });
});

test('finds components in all exports of modules and lists; the later one of a name wins', () => {
  const long = nameSchema('Name', text('a long name', undefined, { minLength: 9 }));
  const found = collectComponents({ NAME, limit: 7, none: null, plain: text() }, { all: [long] });
  expect(found).toEqual({ Name: { type: 'string', minLength: 9 } });
});

const SIZE = enumOf(['small', 'large']);
const COUNT = integer('a whole number from 1 to 9', { min: 1, max: 9 });
const CENTS = refine<string, number>(
  text('an amount', undefined, { examples: ['10.00'] }),
  (amount) =>
    /^\d+\.\d\d$/.test(amount) ? { value: Number(amount.replace('.', '')) } : { problem: 'No amount.' },
  { pattern: '^\\d+\\.\\d\\d$' },
);
const ORDER = object('an order', {
  code: text(),
  amountCents: renameField('amount', CENTS),
  size: optional(SIZE),
  note: nullish(text(), null),
  tags: nullable(array(text(), { max: 2 })),
});
const FAULT = unionBy('a fault', 'on', [
  object('a request fault', { on: literal('call'), path: text() }),
  object('a delivery fault', { on: enumOf(['delivery', 'copy']), attempt: COUNT }),
]);

/** The mistakes, each as its path and its kind with more about it. */
function issues(schema: Schema<unknown>, json: unknown, options?: ReadOptions): string[] {
  const found = read(schema, json, options).issues;
  return found.map((mistake) => `${formatPath(mistake.path)} ${mistake.kind}: ${restOf(mistake)}`);
}

function restOf(problem: ProblemText): string {
  if (problem.kind === 'value') return `${problem.expected}, got ${JSON.stringify(problem.got)}`;
  if (problem.kind === 'missing') return `of ${problem.owner}`;
  if (problem.kind === 'unknown') return `not ${problem.known.join()}`;
  return problem.kind === 'rule' ? problem.says : `${problem.wanted}, got ${problem.got.join(' and ')}`;
}

describe('a value', () => {
  test.each<[Schema<unknown>, readonly unknown[], readonly unknown[]]>([
    [text(), ['', 'a', '\u{1f600}'], [1, null, undefined, [], {}, '\ud800', 'a\udfff']],
    [rawText(), ['', 'a\udfff'], [1, null]],
    [text('digits', /^\d+$/), ['12'], ['', 'a']],
    [COUNT, [1, 9], [0, 10, 1.5, '1', null, NaN]],
    [number('a share', { above: 0, max: 1 }), [0.1, 1], [0, 1.1, Infinity, '1']],
    [boolean, [true, false], ['true', 0, null]],
    [literal(true), [true], [false, 'true']],
    [SIZE, ['small', 'large'], ['SMALL', '', null, 0]],
    [deriveKey({ a: 1, b: 2 }), ['a', 'b'], ['c', 'toString']],
    [anyValue, [null, 0, {}], [undefined]],
    [nullable(boolean), [true, null], ['']],
    [array(boolean, { min: 1, max: 2 }), [[true], [true, false]], [[], [true, true, true], [1], {}]],
    [tuple('a pair', [text(), COUNT]), [['a', 1]], [['a'], ['a', 0], ['a', 1, 2], 'a']],
    [record(COUNT), [{}, { a: 1, b: 2 }], [{ a: 0 }, [], null]],
    [union([boolean, array(boolean)]), [true, [false]], ['', {}, [1]]],
    [union([literal(7), boolean]), [7, true], [8, 'x']],
  ])('a value is parsed if it is valid: %#', (schema, right, wrong) => {
    for (const json of right) expect(read(schema, json)).toEqual({ value: json, issues: [], ignored: [] });
    for (const json of wrong) expect(read(schema, json)).toMatchObject({ issues: [{}] });
  });

  test('a value may be converted', () => {
    expect(read(mapValue(COUNT, String), 7).value).toBe('7');
    expect(read(CENTS, '49.90').value).toBe(4_990);
    expect(issues(CENTS, '4')).toEqual([' rule: No amount.']);
    expect(issues(CENTS, 4)).toEqual([' value: an amount, got 4']);
  });

  test('lists the known words for suggestions', () => {
    expect(read(SIZE, 'smal').issues).toEqual([
      { path: [], kind: 'value', expected: 'one of small, large', got: 'smal', known: ['small', 'large'] },
    ]);
  });
});

describe('an object', () => {
  test('uses the names of the code, without absent fields', () => {
    const { value } = read(ORDER, { code: 'a', amount: '1.00', tags: null });
    expect(value).toEqual({ code: 'a', amountCents: 100, note: null, tags: null });
    expectTypeOf<Infer<typeof ORDER>>().toEqualTypeOf<{
      code: string;
      amountCents: number;
      note: string | null;
      tags: string[] | null;
      size?: 'small' | 'large' | undefined;
    }>();
  });

  test('reports all issues together, under the names of JSON', () => {
    expect(issues(ORDER, { amount: 'x', size: null, tags: ['a', 1], more: 1 })).toEqual([
      'code missing: of an order',
      'amount rule: No amount.',
      'size value: one of small, large, got null',
      'tags[1] value: a string, got 1',
      'more unknown: not code,amount,size,note,tags',
    ]);
    expect(issues(ORDER, { amount: 'x' }, { max: 1 })).toHaveLength(1);
  });

  test('an object may ignore unknown fields, and read null as absent', () => {
    const json = { code: 'a', amount: '1.00', tags: [], size: null, more: 1 };
    expect(read(ORDER, json, { unknown: 'ignore', nullIsAbsent: true })).toMatchObject({
      value: { code: 'a', amountCents: 100, note: null, tags: [] },
      ignored: [['more']],
    });
    expect(issues(ORDER, { ...json, code: null }, { unknown: 'ignore', nullIsAbsent: true })).toEqual([
      'code missing: of an order',
    ]);
  });

  test('an object has only its own fields, whatever their names', () => {
    expect(issues(object('x', { toString: text() }), {})).toEqual(['toString missing: of x']);
    expect(issues(object('x', {}), JSON.parse('{"__proto__": 1}'))).toEqual(['__proto__ unknown: not ']);
    const hostile = read(record(COUNT), JSON.parse('{"__proto__": 1, "constructor": 2}')).value;
    expect(JSON.stringify(hostile)).toBe('{"__proto__":1,"constructor":2}');
  });

  test('checks a rule between valid fields, and reports it at the first of them', () => {
    const schema = object(
      'a call',
      { count: renameField('n', nullish(COUNT, 1)), code: optional(text()) },
      {
        rules: [
          { of: ['count', 'code'], problem: ({ count, code }) => (count > 1 && code ? 'One.' : undefined) },
        ],
      },
    );
    expect(issues(schema, { n: 2, code: 'a' })).toEqual(['n rule: One.']);
    expect(issues(schema, { n: 1, code: 'a' })).toEqual([]);
    expect(issues(schema, { n: 0, code: 'a' })).toHaveLength(1);
  });

  test('an object may require exactly one of several fields, or any field', () => {
    const step = object('a step', { a: optional(boolean), b: optional(boolean) }, { exactlyOne: ['a', 'b'] });
    expect(issues(step, {})).toEqual([' choice: exactly one of a, b, got ']);
    expect(issues(step, { a: true, b: true })).toEqual([' choice: exactly one of a, b, got a and b']);
    expect(issues(step, { a: 1 })).toEqual(['a value: true or false, got 1']);
    const any = object('an expectation', { a: optional(boolean) }, { isNotEmpty: true });
    expect(issues(any, {})).toEqual([' choice: at least one field, got ']);
    expect(issues(any, { a: true })).toEqual([]);
    expect(issues(any, { b: true })).toEqual(['b unknown: not a']);
    expect(read(object('the fields', partial({ a: boolean, b: boolean })), { b: true }).value).toEqual({
      b: true,
    });
  });

  test('rejects a field that excludes others', () => {
    const schema = object('x', { error: forbidField('Not with a status.') });
    expect(issues(schema, { error: 'E' })).toEqual(['error rule: Not with a status.']);
    expect(issues(schema, { error: null })).toEqual([]);
  });
});

describe('a union', () => {
  test('a union is discriminated by a field', () => {
    expect(read(FAULT, { on: 'copy', attempt: 1 }).value).toEqual({ on: 'copy', attempt: 1 });
    expect(issues(FAULT, { on: 'call', attempt: 1 })).toEqual([
      'path missing: of a request fault',
      'attempt unknown: not on,path',
    ]);
    expect(issues(FAULT, { on: 'x' })).toEqual(['on value: one of call, delivery, copy, got "x"']);
    expect(issues(FAULT, {})).toEqual(['on missing: of a fault']);
    expect(issues(FAULT, [])).toEqual([' value: a fault, got []']);
    expectTypeOf<Infer<typeof FAULT>>().toEqualTypeOf<
      { on: 'call'; path: string } | { on: 'delivery' | 'copy'; attempt: number }
    >();
  });

  test('a union may be discriminated by any property of the value', () => {
    const schema = oneOf('x', [boolean, COUNT], (value) => (value === 1 ? COUNT : boolean));
    expect(read(schema, 1).value).toBe(1);
    expect(issues(schema, 2)).toEqual([' value: true or false, got 2']);
  });
});

test('reports issues in a text with their positions, in the order of the text', () => {
  const json = readJsonText('{"tags": [\n  7],\n  "code": 7, "amount": "1.00"}');
  if (!json.isJson) throw new Error('Expected JSON.');
  const found = sortByPosition(read(ORDER, json.value).issues, json.placeOf);
  expect(found.map(({ path, line, column }) => [formatPath(path), line, column])).toEqual([
    ['tags[0]', 2, 3],
    ['code', 3, 3],
  ]);
});

describe('the JSON Schema', () => {
  test('describes an object as it is parsed', () => {
    expect(ORDER.json).toEqual({
      type: 'object',
      properties: {
        code: { type: 'string' },
        amount: { type: 'string', examples: ['10.00'], pattern: '^\\d+\\.\\d\\d$' },
        size: { type: 'string', enum: ['small', 'large'] },
        note: { type: ['string', 'null'] },
        tags: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 2 },
      },
      required: ['code', 'amount', 'tags'],
      additionalProperties: false,
    });
    expect(withDoc('How big.', SIZE).json).toMatchObject({ description: 'How big.', type: 'string' });
  });

  test('accepts exactly what is parsed, for schemas that JSON Schema can fully express', () => {
    const schema = object(
      'a thing',
      {
        fault: nullish(FAULT),
        order: optional(ORDER),
        counts: optional(union([COUNT, tuple('a pair', [COUNT, SIZE]), record(nullable(COUNT))])),
      },
      { isNotEmpty: true },
    );
    const validate = new Ajv2020({ strict: false }).compile(schema.json);
    const count = fc.constantFrom(1, 9, 0, '1', null, 1.5);
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const thing = fc.record({
      fault: maybe(
        fc.record(
          { on: fc.constantFrom('call', 'copy', 'x', null), path: fc.constantFrom('/', 1), attempt: count },
          { requiredKeys: [] },
        ),
      ),
      order: maybe(
        fc.record(
          {
            code: fc.constantFrom('a', 1),
            amount: fc.constantFrom('1.00', '1', 1),
            size: fc.constantFrom('small', 'x', null),
            note: fc.constantFrom('a', null, 1),
            tags: fc.constantFrom(null, [], ['a'], ['a', 'b', 'c'], [1], 'a'),
          },
          { requiredKeys: ['code', 'amount', 'tags'] },
        ),
      ),
      counts: maybe(
        fc.oneof(
          count,
          fc.tuple(count, fc.constantFrom('small', 'large', 1)),
          fc.array(count, { maxLength: 3 }),
          fc.dictionary(fc.constantFrom('a', 'b'), count),
        ),
      ),
      other: maybe(count),
    });
    const differing = fc.check(
      fc.property(thing, (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        return (read(schema, json).issues.length === 0) === validate(json);
      }),
      { numRuns: 2_000 },
    );
    expect(differing.counterexample, `seed ${differing.seed}`).toBeNull();
  });
});
