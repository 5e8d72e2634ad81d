import { afterEach, expect, test, vi } from 'vitest';
import { CheckContext } from '../../../src/check/bench.js';
import { runChecks } from '../../../src/check/engine.js';
import { OrderError } from '../../../src/check/orders.js';
import { StateObserver, parseProbeState, findRevertedPlaces } from '../../../src/check/probe.js';
import { Stage } from '../../helpers/check/receivers/stage.js';

const observer = new StateObserver(() => Promise.resolve(''), new AbortController().signal);
const twins = { observer, recorded: new Set<string>() };

function state(held: object) {
  return parseProbeState(JSON.stringify(held), { code: 'check-0', id: '-' }, 0);
}

test.each([
  [
    'does not recognize a note of the late event as a revert',
    { status: 'paid', paidAt: 'x' },
    { status: 'paid', paidAt: 'x', expiredAt: 'y' },
    false,
  ],
  ['recognizes another status as a revert', { status: 'paid' }, { status: 'expired' }, true],
  [
    'recognizes a removed credit as a revert',
    { status: 'paid', credits: 1 },
    { status: 'paid', credits: 0 },
    true,
  ],
  [
    'does not recognize an unchanged state as a revert',
    { status: 'paid', credits: 1 },
    { status: 'paid', credits: 1 },
    false,
  ],
])('%s', (_, before, after, isBack) => {
  const back = state({ status: 'open', paidAt: null, credits: 0 });
  expect(findRevertedPlaces(twins, { before: state(before), after: state(after), back })).toBe(isBack);
});

test('recognizes a reverted order by its first state if a probe prints only facts', () => {
  const [before, back] = [state({ paidAt: 'x' }), state({ paidAt: null })];
  expect(findRevertedPlaces(twins, { before, after: state({ paidAt: null }), back })).toBe(true);
  expect(findRevertedPlaces(twins, { before, after: state({ paidAt: 'x', expiredAt: 'y' }), back })).toBe(
    false,
  );
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The result of order.before-response for a right shop, where so many calls are answered before their event. */
async function answeredEarly(count: number) {
  await using stage = await Stage.open();
  const { control } = stage;
  const post = control.post.bind(control) as (...given: readonly unknown[]) => Promise<unknown>;
  let faults = 0;
  vi.spyOn(CheckContext.prototype, 'pause').mockResolvedValue();
  vi.spyOn(control, 'post').mockImplementation(((...given: readonly unknown[]) => {
    const isLost = given[0] === 'faults' && (faults += 1) <= count;
    return isLost ? Promise.resolve({ id: 'lost' }) : post(...given);
  }) as typeof control.post);
  const options = { ...stage.checkOptions(stage.shop()), only: ['order.before-response'] };
  const { checks } = await runChecks(options);
  return checks[0];
}

test('creates an order again that was confirmed before its event', async () => {
  expect(await answeredEarly(3)).toMatchObject({ verdict: 'pass' });
});

test('reports that every order is confirmed before its event', async () => {
  expect(await answeredEarly(4)).toMatchObject({
    verdict: 'gated',
    reason: expect.stringMatching(
      /^The response to the charge request for check-\S+ arrived before its event\.$/,
    ),
  });
});

test('does not blame the application for an order that fails during its delayed response', async () => {
  await using stage = await Stage.open();
  const options = stage.checkOptions(stage.shop());
  const order: typeof options.order = async (one, signal) => {
    const { data } = await stage.control.get('faults');
    if (data.length > 0) throw new OrderError('The order request got 504: late');
    await options.order?.(one, signal);
  };
  const { checks } = await runChecks({ ...options, order, only: ['order.before-response'] });
  expect(checks[0]).toMatchObject({
    verdict: 'gated',
    reason: 'While the response to the new charge was delayed: The order request got 504: late',
  });
});
