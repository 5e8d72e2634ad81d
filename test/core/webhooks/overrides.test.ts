import { describe, expect, test } from 'vitest';
import type { Override } from '../../../src/core/world.js';
import {
  type OverrideInput,
  toOverrides,
  findOverridesProblem,
  listPayloadPaths,
  resolveOverrides,
  withOverrides,
} from '../../../src/core/webhooks/overrides.js';
import { presentEvent } from '../../../src/core/resources/serialize.js';
import { Refusal } from '../../../src/contract/refusals.js';
import type { TriggerInput } from '../../../src/core/webhooks/trigger.js';
import { EVENT_TYPES, type EventType } from '../../../src/contract/enums.js';
import { thrownBy } from '../../helpers/thrown-by.js';
import { TestWorld } from '../../helpers/core/world.js';

const PAYLOAD = {
  id: 'evt_1',
  data: { object: { amount: '1.00', tags: ['a', { b: 1 }], metadata: { 'with.dot': 'x', 'a[0]': 'y' } } },
};

const checkOverrides = (payload: object, list: readonly Override[]) =>
  resolveOverrides(payload, list, () => 'null');

function overridden(...overrides: readonly [path: string, value: unknown][]): object {
  const list = overrides.map(([path, value]) => ({ path, value }));
  checkOverrides(PAYLOAD, list);
  return withOverrides(PAYLOAD, list);
}

describe('an override', () => {
  test.each<[string, unknown]>([
    ['id', 7],
    ['data.object.amount', null],
    ['data.object.amount', { nested: [true] }],
    ['data.object', 'gone'],
  ])('puts a value of any type at %s', (path, value) => {
    expect(overridden([path, value])).toHaveProperty(path, value);
    expect(PAYLOAD.data.object.amount).toBe('1.00');
  });

  test.each(['data.object.tags[1].b', 'data.object.tags.1.b'])('reaches into lists: %s', (path) => {
    expect(overridden([path, 2])).toMatchObject({ data: { object: { tags: ['a', { b: 2 }] } } });
    expect(overridden(['data.object.tags[0]', 'z'])).toMatchObject({ data: { object: { tags: ['z', {}] } } });
  });

  test('reaches keys that contain a dot or a bracket', () => {
    expect(overridden(['data.object.metadata.with.dot', 1], ['data.object.metadata.a[0]', 2])).toMatchObject({
      data: { object: { metadata: { 'with.dot': 1, 'a[0]': 2 } } },
    });
  });

  test('applies after the previous ones', () => {
    expect(overridden(['id', 1], ['id', 2])).toMatchObject({ id: 2 });
    expect(overridden(['data.object', { amount: 1 }], ['data.object.amount', 2])).toMatchObject({
      data: { object: { amount: 2 } },
    });
  });

  test('an override is rejected if an earlier one removed its place', () => {
    expect(() => overridden(['data.object', null], ['data.object.amount', 1])).toThrow(
      'has no data.object.amount',
    );
  });
});

describe('an override in JSON', () => {
  const FIELDS = { text: 'a', whole: 1, flag: true, none: null, list: [1], map: { a: 1 }, 'x:': 'b' };
  const resolved = (values: Readonly<Record<string, unknown>>) =>
    withOverrides(
      FIELDS,
      resolveOverrides(FIELDS, toOverrides(values), () => 'null'),
    );

  test.each<[Record<string, unknown>, object]>([
    [{ text: '9.99' }, { text: '9.99' }],
    [{ text: 'null' }, { text: 'null' }],
    [{ text: '' }, { text: '' }],
    [{ text: 9.99 }, { text: 9.99 }],
    [{ 'text:': '9.99' }, { text: '9.99' }],
    [{ whole: '-2.50' }, { whole: -2.5 }],
    [{ whole: '1e3' }, { whole: 1000 }],
    [{ 'whole:': '2' }, { whole: '2' }],
    [{ flag: 'false' }, { flag: false }],
    [{ none: 'null' }, { none: null }],
    [{ list: '["b"]' }, { list: ['b'] }],
    [{ map: '{"b":[]}' }, { map: { b: [] } }],
    [
      { 'list[0]': '7', 'map.a': '8' },
      { list: [7], map: { a: 8 } },
    ],
    [{ 'x::': 1 }, { 'x:': 1 }],
    [{ 'whole:': 'w', whole: '7' }, { whole: '7' }],
    [{ map: { b: 'c' }, 'map.b': '7' }, { map: { b: '7' } }],
  ])('reads a text as the existing type, and other values as written: %j', (values, expected) => {
    expect(resolved(values)).toEqual({ ...FIELDS, ...expected });
  });

  test.each<[string, string, string]>([
    ['whole', 'two', 'a number'],
    ['whole', '', 'a number'],
    ['whole', '007', 'a number'],
    ['whole', ' 7', 'a number'],
    ['whole', '0x7', 'a number'],
    ['whole', '1e999', 'a number'],
    ['whole', '12345678901234567890', 'a number'],
    ['flag', 'yes', 'true or false'],
    ['flag', '1', 'true or false'],
    ['none', 'x', 'null'],
    ['list', '{}', 'a JSON array'],
    ['map', '[]', 'a JSON object'],
    ['map', 'null', 'a JSON object'],
    ['map', '{', 'a JSON object'],
  ])('an override of %s in JSON rejects the text %j and states how to send it', (path, text, wanted) => {
    const refusal = thrownBy(() => resolved({ [path]: text }), Refusal);
    expect(refusal.message).toBe(`${path} must be ${wanted}, as in the payload; got "${text}".`);
    expect(refusal.hint).toContain(`${path}:=`);
    const json = /\(\w+:=(.*)\);/.exec(refusal.hint ?? '')?.[1] ?? '';
    expect(resolved({ [`${path}:`]: JSON.parse(json) as unknown })).toHaveProperty(path);
    expect(json).not.toMatch(/^(?:1e999|\d{20})$/);
  });

  test('rejects a number that JSON cannot repeat', () => {
    expect(findOverridesProblem({ 'a:': [{ b: Number.POSITIVE_INFINITY }] })).toContain('beyond 1.8e308');
  });
});

describe('a copy with overrides', () => {
  test('leaves its original unchanged', () => {
    const value = { list: [{ a: 1 }, { a: 2 }] };
    const given = { items: [{ note: '' }, {}], rest: { a: 1 } };
    const changed = withOverrides(given, [
      { path: 'items[0].note', value: 'x' },
      { path: 'items[1]', value },
      { path: 'items[1].list[0].a', value: 9 },
    ]);
    expect(changed).toEqual({ items: [{ note: 'x' }, { list: [{ a: 9 }, { a: 2 }] }], rest: { a: 1 } });
    expect(given).toEqual({ items: [{ note: '' }, {}], rest: { a: 1 } });
    expect(value).toEqual({ list: [{ a: 1 }, { a: 2 }] });
  });

  test('applies them at the first possible place of a path', () => {
    const nested = { 'a.b': 1, a: { b: 2, 'c.d': 3, c: { d: 4 } } };
    const overrides = ['a.b', 'a.c.d'].map((path) => ({ path, value: 0 }));
    expect(withOverrides(nested, overrides)).toEqual({ 'a.b': 0, a: { b: 2, 'c.d': 0, c: { d: 4 } } });
  });
});

describe('overrides beyond a limit', () => {
  const numbered = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, 1]));

  test.each<[string, Record<string, unknown>, string]>([
    ['too many', numbered(201), 'Must contain at most 200 paths; got 201.'],
    [
      'too deep',
      { [`data.${'a.'.repeat(63)}b`]: 1 },
      'A path must have at most 64 parts; got 65, beginning with data.a.a.',
    ],
    ['too high', { 'data.items[10000]': 1 }, 'The index of an item must be at most 9999; got 10000.'],
    ['too high', { 'data.items.10000': 1 }, 'The index of an item must be at most 9999; got 10000.'],
    ['too long', { id: 'x'.repeat(262_144) }, 'Must be at most 262144 characters of JSON; got 262153.'],
  ])('overrides beyond a limit are reported separately: %s', (_, overrides, problem) => {
    expect(findOverridesProblem(overrides)).toBe(problem);
  });

  test('overrides beyond a limit start right after it', () => {
    const max = { ...numbered(197), [`data.${'a.'.repeat(62)}b`]: 1, 'data.items[9999]': 1, id: '' };
    expect(findOverridesProblem(max)).toBeUndefined();
    expect(findOverridesProblem({ id: 'x'.repeat(262_144 - '{"id":""}'.length) })).toBeUndefined();
  });
});

describe('a trigger with overrides', () => {
  const trigger = (event: EventType, overrides: readonly OverrideInput[], more: Partial<TriggerInput> = {}) =>
    ({ type: 'trigger', event, overrides, ...more }) as const;

  test.each(EVENT_TYPES)(
    'overrides of %s change the payload, mark the event and leave the resource unchanged',
    (type) => {
      const testWorld = new TestWorld();
      testWorld.endpoint();
      const { events, charge, withdrawal } = testWorld.do(
        trigger(type, [{ path: 'data.object.amount', value: 7 }]),
      );
      expect((charge ?? withdrawal)?.amountCents).toBe(10_000);
      expect(events[0]?.overrides).toHaveLength(1);
      const [event] = events;
      expect(event === undefined ? {} : presentEvent(event, null)).toMatchObject({
        type,
        data: { object: { amount: 7, id: (charge ?? withdrawal)?.id } },
      });
    },
  );

  test.each(EVENT_TYPES)('overrides of %s can change every path of the payload', (type) => {
    const testWorld = new TestWorld();
    const fields = { metadata: { 'a.b': 'c' } };
    const made = testWorld.do(trigger(type, [], { chargeFields: fields, withdrawalFields: fields }));
    const [plain] = made.events;
    if (plain === undefined) throw new Error('Expected an event.');
    for (const path of listPayloadPaths(presentEvent(plain, null))) {
      const overrides = [{ path, value: 'overridden' }];
      const [event] = testWorld.do(
        trigger(type, overrides, { chargeFields: fields, withdrawalFields: fields }),
      ).events;
      expect([path, JSON.stringify(event && presentEvent(event, null))]).toEqual([
        path,
        expect.stringContaining('overridden'),
      ]);
    }
  });

  test.each<[EventType, string, string, unknown]>([
    ['pix.settled', 'data.object.amount', '9.99', '9.99'],
    ['pix.settled', 'data.object.payer_name', '7', '7'],
    ['pix.failed', 'data.object.payer_document', 'null', 'null'],
    ['pix.expired', 'data.object.qr_code_base64', 'aGk=', 'aGk='],
    ['pix.settled', 'schema_version', '2', 2],
    ['pix.settled', 'data.object.fees.net_amount', '1', '1'],
    ['withdrawal.failed', 'data.object.destination.beneficiary_name', 'true', 'true'],
  ])('an override of %s converts a text for %s to the type of the field', (event, path, value, expected) => {
    const testWorld = new TestWorld();
    const none = { payerName: null, payerDocument: null };
    const { events } = testWorld.do(
      trigger(event, [{ path, value, isText: true }], event.startsWith('pix') ? { chargeFields: none } : {}),
    );
    expect(events[0]?.overrides).toEqual([{ path, value: expected }]);
  });

  test('marks only the event that it names, if another precedes it', () => {
    const testWorld = new TestWorld();
    const overrides = [{ path: 'data.object.status', value: 'PAID' }];
    const { events } = testWorld.do(trigger('pix.settled', overrides, { late: true }));
    expect(events.map(({ type, overrides: own }) => [type, own?.length])).toEqual([
      ['pix.expired', undefined],
      ['pix.settled', 1],
    ]);
  });
});
