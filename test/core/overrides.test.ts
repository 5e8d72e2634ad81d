import { describe, expect, it } from 'vitest';
import type { Override } from '../../src/core/overrides.js';
import { checkOverrides, payloadPaths, withOverrides } from '../../src/core/overrides.js';
import { presentEvent } from '../../src/core/present.js';
import { Refusal } from '../../src/core/refusal.js';
import type { TriggerInput } from '../../src/core/trigger.js';
import type { EventType } from '../../src/core/world.js';
import { EVENT_TYPES } from '../../src/core/world.js';
import { thrownBy } from '../helpers/thrown-by.js';
import { TestWorld } from '../helpers/world.js';

const PAYLOAD = {
  id: 'evt_1',
  data: { object: { amount: '1.00', tags: ['a', { b: 1 }], metadata: { 'with.dot': 'x', 'a[0]': 'y' } } },
};

function overridden(...overrides: readonly [path: string, value: unknown][]): object {
  const list = overrides.map(([path, value]) => ({ path, value }));
  checkOverrides(PAYLOAD, list);
  return withOverrides(PAYLOAD, list);
}

describe('an override', () => {
  it.each<[string, unknown]>([
    ['id', 7],
    ['data.object.amount', null],
    ['data.object.amount', { nested: [true] }],
    ['data.object', 'gone'],
  ])('puts a value of any type at %s', (path, value) => {
    expect(overridden([path, value])).toHaveProperty(path, value);
    expect(PAYLOAD.data.object.amount).toBe('1.00');
  });

  it.each(['data.object.tags[1].b', 'data.object.tags.1.b'])('reaches into lists: %s', (path) => {
    expect(overridden([path, 2])).toMatchObject({ data: { object: { tags: ['a', { b: 2 }] } } });
    expect(overridden(['data.object.tags[0]', 'z'])).toMatchObject({ data: { object: { tags: ['z', {}] } } });
  });

  it('leaves order and all else as it was', () => {
    const changed = overridden(['data.object.amount', '2.00']);
    expect(JSON.stringify(changed)).toBe(JSON.stringify(PAYLOAD).replace('1.00', '2.00'));
  });

  it('reaches keys that hold a dot or a bracket', () => {
    expect(overridden(['data.object.metadata.with.dot', 1], ['data.object.metadata.a[0]', 2])).toMatchObject({
      data: { object: { metadata: { 'with.dot': 1, 'a[0]': 2 } } },
    });
  });

  it('comes after those before it', () => {
    expect(overridden(['id', 1], ['id', 2])).toMatchObject({ id: 2 });
    expect(overridden(['data.object', { amount: 1 }], ['data.object.amount', 2])).toMatchObject({
      data: { object: { amount: 2 } },
    });
  });

  it('of a path that is not there is refused, and those that are there are listed', () => {
    const wanted: Override[] = [
      { path: 'data.object.amout', value: 1 },
      { path: 'id', value: 1 },
      { path: 'data.object.tags[2]', value: 1 },
    ];
    const refusal = thrownBy(() => checkOverrides(PAYLOAD, wanted), Refusal);
    expect(refusal.message).toBe('The payload has no data.object.amout, data.object.tags[2].');
    expect(refusal.details.map(({ message }) => message)).toEqual([
      'There is no path data.object.amout.',
      'There is no path data.object.tags[2].',
    ]);
    expect(refusal.hint).toBe(`It has: ${payloadPaths(PAYLOAD).join(', ')}.`);
    expect(payloadPaths(PAYLOAD)).toContain('data.object.tags[1].b');
  });

  it.each([
    '',
    '.',
    'id.',
    '__proto__',
    'constructor',
    'data.object.amount.length',
    'data.object.tags.length',
  ])('of %j is refused', (path) => {
    expect(() => overridden([path, 1])).toThrow(Refusal);
  });

  it('that an earlier one took the place away from is refused', () => {
    expect(() => overridden(['data.object', null], ['data.object.amount', 1])).toThrow(
      'has no data.object.amount',
    );
  });
});

describe('a trigger with overrides', () => {
  const trigger = (event: EventType, overrides: readonly Override[], more: Partial<TriggerInput> = {}) =>
    ({ type: 'trigger', event, overrides, ...more }) as const;

  it.each(EVENT_TYPES)('of %s changes the payload, marks the event and leaves the resource', (type) => {
    const test = new TestWorld();
    test.endpoint();
    const { events, charge, withdrawal } = test.do(trigger(type, [{ path: 'data.object.amount', value: 7 }]));
    expect((charge ?? withdrawal)?.amountCents).toBe(10_000);
    expect(events[0]?.overrides).toHaveLength(1);
    const [event] = events;
    expect(event === undefined ? {} : presentEvent(event, null)).toMatchObject({
      type,
      data: { object: { amount: 7, id: (charge ?? withdrawal)?.id } },
    });
  });

  it.each(EVENT_TYPES)('of %s can change every path that its payload has', (type) => {
    const test = new TestWorld();
    const fields = { metadata: { 'a.b': 'c' } };
    const made = test.do(trigger(type, [], { chargeFields: fields, withdrawalFields: fields }));
    const [plain] = made.events;
    if (plain === undefined) throw new Error('Expected an event.');
    for (const path of payloadPaths(presentEvent(plain, null))) {
      const overrides = [{ path, value: 'overridden' }];
      const [event] = test.do(
        trigger(type, overrides, { chargeFields: fields, withdrawalFields: fields }),
      ).events;
      expect([path, JSON.stringify(event && presentEvent(event, null))]).toEqual([
        path,
        expect.stringContaining('overridden'),
      ]);
    }
  });

  it('marks the event that it names alone, where another comes before it', () => {
    const test = new TestWorld();
    const overrides = [{ path: 'data.object.status', value: 'PAID' }];
    const { events } = test.do(trigger('pix.settled', overrides, { late: true }));
    expect(events.map(({ type, overrides: own }) => [type, own?.length])).toEqual([
      ['pix.expired', undefined],
      ['pix.settled', 1],
    ]);
  });

  it.each<[EventType, Partial<TriggerInput>]>([
    ['pix.settled', {}],
    ['pix.settled', { late: true }],
    ['pix.settled', { charge: 'order-1' }],
    ['withdrawal.failed', {}],
    ['withdrawal.failed', { withdrawal: 'payout-1' }],
    ['withdrawal.settled', { withdrawalFields: { amountCents: 99_999_999 } }],
  ])('of an unknown path changes nothing: %s %j', (type, more) => {
    const test = new TestWorld();
    test.charge({ code: 'order-1' });
    test.withdrawal({ code: 'payout-1' });
    const refusal = test.refuse(trigger(type, [{ path: 'data.object.amout', value: 1 }], more));
    expect(refusal.code).toBe('INVALID_REQUEST');
    expect(refusal.hint).toContain('data.object.amount');
  });
});
