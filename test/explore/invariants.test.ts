import { describe, expect, test } from 'vitest';
import type { Observation, ObservedPayment } from '../../src/explore/explore.js';
import { createRunBaseline, judgeRun } from '../../src/explore/invariants.js';
import { BROKEN, NOTHING_OBSERVED } from '../helpers/explore/fake-runner.js';

function charge(code: string, fields: Partial<ObservedPayment> = {}): ObservedPayment {
  const usual = {
    type: 'charge',
    rank: 1,
    status: 'SETTLED',
    intent: '10.00',
    isCalled: true,
    probed: null,
  } as const;
  return { ...usual, id: `id-${code}`, code, ...fields };
}

function nameOf(
  observed: Partial<Observation>,
  usual: readonly Partial<Observation>[] = [{}, {}, {}],
  comparesProbe = true,
): string | undefined {
  const baseline = createRunBaseline(usual.map((one) => ({ ...NOTHING_OBSERVED, ...one })));
  const result = { failure: null, observed: { ...NOTHING_OBSERVED, ...observed } };
  return judgeRun(result, baseline, { onlyInvariants: true, comparesProbe })?.name;
}

const thrice = (observed: Partial<Observation>) => [observed, observed, observed];

test('counts a failure of the tests unless only invariants do, and always counts a hang', () => {
  const observed = NOTHING_OBSERVED;
  const hang = { ...BROKEN, category: 'invariant' } as const;
  const judge = (failure: typeof BROKEN, onlyInvariants: boolean) =>
    judgeRun({ failure, observed }, createRunBaseline([]), { onlyInvariants, comparesProbe: true });
  expect([judge(BROKEN, false), judge(BROKEN, true)]).toEqual([BROKEN, null]);
  expect([judge(hang, false), judge(hang, true)]).toEqual([hang, hang]);
});

const violating = (name: string, ...lines: string[]) => ({ violations: { [name]: lines } });

test.each([
  'no unverified acceptance',
  'a valid signature is accepted',
  'unknown types are acknowledged',
  'a lost response is requested again',
])('reports a violation on any run: %s', (name) => {
  expect(nameOf(violating(name, 'x'), [violating(name, 'x')])).toBe(name);
  expect(nameOf({})).toBeUndefined();
});

test.each(['the ledger is consistent', 'every delivery arrives'])(
  'ignores what also happens without faults: %s',
  (name) => {
    expect(nameOf(violating(name, 'x'))).toBe(name);
    expect(nameOf(violating(name, 'x'), [violating(name, 'x'), {}, {}])).toBeUndefined();
    expect(nameOf(violating(name, 'x', 'y'), [violating(name, 'x')])).toBe(name);
  },
);

describe('one charge for one intent', () => {
  const NAME = 'one charge for one intent';

  test('one charge for one intent is violated by an additional charge, or by a new code', () => {
    const random = ['a', 'b', 'c'].map((code) => ({ payments: [charge(code)] }));
    expect(nameOf({ payments: [charge('d'), charge('e')] }, random)).toBe(NAME);
    expect(nameOf({ payments: [charge('d')] }, random)).toBeUndefined();
    const stable = thrice({ payments: [charge('a'), charge('b')] });
    expect(nameOf({ payments: [charge('a'), charge('a-again')] }, stable)).toBe(NAME);
    expect(nameOf({ payments: [charge('a')] }, stable)).toBeUndefined();
  });

  test('covers only charges created by the application', () => {
    const stable = thrice({ payments: [charge('a')] });
    expect(nameOf({ payments: [charge('a'), charge('b', { isCalled: false })] }, stable)).toBeUndefined();
  });

  test('ignores what the tests do only on this day', () => {
    const stable = thrice({ payments: [charge('a')] });
    expect(nameOf({ payments: [charge('a'), charge('z', { intent: '77.00' })] }, stable)).toBeUndefined();
  });
});

describe('settled payments known to the application', () => {
  const NAME = 'settled payments are known to the application';
  const probed = (credits: number, extra = {}) => ({
    payments: [charge('a', { probed: JSON.stringify({ code: 'a', credits, ...extra }) })],
  });

  test('settled payments are known if a probe prints the same as without faults', () => {
    expect(nameOf(probed(1), thrice(probed(1)))).toBeUndefined();
    expect(nameOf(probed(0), thrice(probed(1)))).toBe(NAME);
    expect(nameOf(probed(2), thrice(probed(1)))).toBe(NAME);
  });

  test('the comparison of payments ignores what differs without faults, too', () => {
    const usual = [probed(1, { queue: 3 }), probed(1, { queue: 4 }), probed(1, { queue: 3 })];
    expect(nameOf(probed(1, { queue: 9 }), usual)).toBeUndefined();
    expect(nameOf(probed(2, { queue: 9 }), usual)).toBe(NAME);
  });

  test('payments are not compared if a correct application records the fault', () => {
    expect(nameOf(probed(0), thrice(probed(1)), false)).toBeUndefined();
  });

  test('payments that ended otherwise are not compared', () => {
    const [settled] = probed(1).payments;
    const pending = { payments: [charge('a', { status: 'PENDING', probed: '{}' })] };
    expect(settled?.status).toBe('SETTLED');
    expect(nameOf(pending, thrice(probed(1)))).toBeUndefined();
  });

  test('payments are matched by rank if codes are random', () => {
    const run = (code: string, credits: number) => ({
      payments: [charge(code, { probed: JSON.stringify({ code, credits }) })],
    });
    const usual = [run('r1', 1), run('r2', 1), run('r3', 1)];
    expect(nameOf(run('r4', 1), usual)).toBeUndefined();
    expect(nameOf(run('r5', 2), usual)).toBe(NAME);
  });
});
