import { describe, expect, test } from 'vitest';
import { getEventScope } from '../../../src/core/webhooks/events.js';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { TestWorld } from '../../helpers/core/world.js';

describe('an event', () => {
  test('an event is stored even if nobody subscribes to it', () => {
    const testWorld = new TestWorld();
    testWorld.announce();
    expect(testWorld.world.events.rows).toHaveLength(1);
    expect(testWorld.world.deliveries.rows).toEqual([]);
  });

  test('follows the change that it describes, and precedes its deliveries', () => {
    const testWorld = new TestWorld();
    testWorld.endpoint();
    const charge = testWorld.charge();
    const before = testWorld.effects.length;
    testWorld.do({ type: 'charge.settle', chargeId: charge.id });
    expect(testWorld.effects.slice(before).map(({ type }) => type)).toEqual([
      'charge',
      'event',
      'delivery',
      'due',
      'attempt',
    ]);
  });

  test('requires the read scope of its kind', () => {
    expect(EVENT_TYPES.map(getEventScope)).toEqual([
      'pix:read',
      'pix:read',
      'pix:read',
      'withdrawals:read',
      'withdrawals:read',
    ]);
  });
});

describe('resending an event', () => {
  function settled() {
    const testWorld = new TestWorld();
    const endpoints = ['a', 'b'].map((name) => testWorld.endpoint({ url: `https://${name}.example/` }));
    const [delivery] = testWorld.announce();
    if (delivery === undefined) throw new Error('Expected a delivery');
    return { test: testWorld, endpoints, event: delivery.event };
  }

  test('creates new deliveries of the same event to all current subscribers', () => {
    const { test, event } = settled();
    const late = test.endpoint({ url: 'https://late.example/' });
    const deliveries = test.do({ type: 'event.resend', eventId: event.id });
    expect(deliveries.map((delivery) => delivery.event)).toEqual([event, event, event]);
    expect(deliveries.at(-1)?.endpointId).toBe(late.id);
    expect(test.world.events.rows).toHaveLength(1);
    expect(test.attempts).toHaveLength(5);
  });

  test('skips endpoints that do not subscribe to it', () => {
    const { test, event, endpoints } = settled();
    const endpointId = endpoints[0]?.id ?? '';
    test.do({ type: 'endpoint.disable', endpointId });
    expect(test.do({ type: 'event.resend', eventId: event.id, endpointId })).toEqual([]);
  });
});
