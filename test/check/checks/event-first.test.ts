import { afterEach, expect, test, vi } from 'vitest';
import { Bench } from '../../../src/check/bench.js';
import { runChecks } from '../../../src/check/engine.js';
import { Stage } from '../../helpers/check/receivers/stage.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** The result of order.before-response for a right shop, where so many calls are answered before their event. */
async function answeredEarly(count: number) {
  await using stage = await Stage.open();
  const { control } = stage;
  const post = control.post.bind(control) as (...given: readonly unknown[]) => Promise<unknown>;
  let faults = 0;
  vi.spyOn(Bench.prototype, 'pause').mockResolvedValue();
  vi.spyOn(control, 'post').mockImplementation(((...given: readonly unknown[]) => {
    const isLost = given[0] === 'faults' && (faults += 1) <= count;
    return isLost ? Promise.resolve({ id: 'lost' }) : post(...given);
  }) as typeof control.post);
  const options = { ...stage.checkOptions(stage.shop()), only: ['order.before-response'] };
  const { checks } = await runChecks(options);
  return checks[0];
}

test('an order that was answered before its event is made again', async () => {
  expect(await answeredEarly(3)).toMatchObject({ verdict: 'pass' });
});

test('where each order is answered before its event, that is the reason', async () => {
  expect(await answeredEarly(4)).toMatchObject({
    verdict: 'gated',
    reason: expect.stringMatching(/^The charge of check-\S+ was answered before its event\.$/),
  });
});
