import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/contract/time.js';
import type { RetryFilter } from '../../../src/core/webhooks/deliveries.js';
import { TestWorld } from '../../helpers/core/world.js';

/** Two endpoints without retries, each with a dead letter of each type that was announced. */
function withDeadLetters() {
  const test = new TestWorld();
  const endpoints = ['one', 'two'].map((name) =>
    test.endpoint({ schedule: 'off', url: `https://${name}.example/` }),
  );
  for (const event of ['pix.settled', 'withdrawal.settled'] as const) test.do({ type: 'trigger', event });
  const { rows } = test.world.deliveries;
  for (const delivery of rows) test.answer(delivery, 500);
  const retry = (filter: RetryFilter = {}) => {
    const { retried, skipped } = test.do({ type: 'deliveries.retry', ...filter });
    return { retried: retried.map(({ ordinal }) => ordinal), skipped: Object.fromEntries(skipped) };
  };
  return { test, rows, endpoints, retry };
}

describe('retrying by a filter', () => {
  test('gives every dead letter one attempt at once, in order', () => {
    const { test, rows, retry } = withDeadLetters();
    expect(retry()).toEqual({ retried: [0, 1, 2, 3], skipped: {} });
    expect(rows.filter(({ attempts, inFlight }) => attempts === 2 && inFlight)).toHaveLength(4);
    // What is under way or waits is no dead letter.
    expect(retry()).toEqual({ retried: [], skipped: {} });
    expect(test.now).toBe(test.world.now);
  });

  test.each([
    [{ eventType: 'pix.*' }, [0, 1]],
    [{ eventType: '*.settled' }, [0, 1, 2, 3]],
    [{ eventType: 'withdrawal.settled' }, [2, 3]],
    [{ eventType: 'pix.failed' }, []],
  ])('takes only what fits %j', (filter, retried) => {
    expect(withDeadLetters().retry(filter)).toEqual({ retried, skipped: {} });
  });

  test('takes only the deliveries of an endpoint', () => {
    const { endpoints, retry } = withDeadLetters();
    expect(retry({ endpointId: endpoints[1]?.id, eventType: 'pix.*' }).retried).toEqual([1]);
  });

  test('counts what cannot be retried, which stays as it is', () => {
    const { test, rows, endpoints, retry } = withDeadLetters();
    const [one, two] = endpoints.map(({ id }) => id);
    test.do({ type: 'endpoint.disable', endpointId: one ?? '' });
    test.do({ type: 'endpoint.delete', endpointId: two ?? '' });
    const before = JSON.stringify(rows);
    expect(retry()).toEqual({ retried: [], skipped: { disabled: 2, deleted: 2 } });
    expect(retry({ status: 'DELIVERED' })).toEqual({ retried: [], skipped: {} });
    expect(JSON.stringify(rows)).toBe(before);
  });

  test('skips what is no dead letter where its status is asked for', () => {
    const test = new TestWorld();
    test.endpoint();
    const [delivery] = test.announce();
    test.pass(DAY_MS);
    const retry = (status: 'PENDING' | 'DELIVERED') =>
      Object.fromEntries(test.do({ type: 'deliveries.retry', status }).skipped);
    expect(retry('PENDING')).toEqual({ pending: 1 });
    if (delivery !== undefined) test.answer(delivery, 200);
    expect(retry('DELIVERED')).toEqual({ delivered: 1 });
  });
});
