import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import type { ExploreReport, PlannedFault, Runner } from '../../src/explore/explore.js';
import { BaselineError } from '../../src/explore/search.js';
import { searchFaults } from '../../src/explore/search.js';
import {
  BROKEN,
  fakeRunner,
  hanging,
  NOTHING_OBSERVED,
  OPTIONS,
  SETTLED,
} from '../helpers/explore/fake-runner.js';

const has = (faults: readonly PlannedFault[], action: string) =>
  faults.some((fault) => fault.action === action);

function sumOf({ run, missed, notRun, left }: ExploreReport): number {
  return run + missed.length + notRun.length + left;
}

test('runs correct code three times without faults, and once under each', async () => {
  const { runner, runs } = fakeRunner();
  const report = await searchFaults(runner, OPTIONS);
  expect(report).toMatchObject({ ok: true, failing: 0, missed: [], findings: [], flaky: [], left: 0 });
  expect(report.baseline).toEqual({ runs: 3, points: 2, unstable: [] });
  expect(runs.slice(0, 3)).toEqual([[], [], []]);
  expect(runs).toHaveLength(3 + report.run);
  expect(sumOf(report)).toBe(report.planned);
});

describe('code that fails without faults', () => {
  test('code that fails without faults is red if it always fails', async () => {
    const { runner } = fakeRunner({ play: () => ({ failure: BROKEN }) });
    const error = await searchFaults(runner, OPTIONS).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BaselineError);
    expect(error).toMatchObject({ kind: 'red', message: expect.stringContaining('in all 3 runs') });
  });

  test('code that fails without faults is flaky if it sometimes fails', async () => {
    const { runner } = fakeRunner({ play: (_, run) => (run === 1 ? { failure: BROKEN } : {}) });
    await expect(searchFaults(runner, OPTIONS)).rejects.toMatchObject({
      kind: 'flaky',
      failures: [BROKEN],
      message: expect.stringContaining('in 1 of 3 runs'),
    });
  });
});

describe('the budget of all runs without faults', () => {
  test('the budget of runs without faults is spent once by a hanging suite, neither red nor flaky', async () => {
    const { runner, runs } = hanging(() => true);
    await expect(searchFaults(runner, { ...OPTIONS, budgetMs: 30 })).rejects.toMatchObject({
      kind: 'unknown',
      failures: [],
      message: expect.stringContaining('The budget ran out in run 1 of 3 without faults.'),
    });
    expect(runs).toHaveLength(1);
  });

  test('reports a suite as red that failed before it hangs', async () => {
    const { runner } = hanging((_, run) => run === 1, { play: () => ({ failure: BROKEN }) });
    await expect(searchFaults(runner, { ...OPTIONS, budgetMs: 30 })).rejects.toMatchObject({
      kind: 'red',
      message: expect.stringContaining('The tests fail without faults in the first run.'),
    });
  });
});

describe('accounting', () => {
  test('reports a run as missed, not green, if its fault did not fire, or fired twice', async () => {
    const { runner } = fakeRunner({
      play: (faults) => ({
        fired: faults.map(({ action }) => (action === 'lose-answer' ? 0 : action === 'reorder' ? 2 : 1)),
        failure: has(faults, 'lose-answer') ? BROKEN : null,
      }),
    });
    const report = await searchFaults(runner, OPTIONS);
    expect(report.missed.map(({ faults, fired }) => [faults[0]?.action, fired])).toEqual([
      ['lose-answer', [0]],
      ['reorder', [2]],
    ]);
    expect(report.findings).toEqual([]);
    expect(sumOf(report)).toBe(report.planned);
  });

  test('reports runs that the runner cannot do, with the reason', async () => {
    const without = await searchFaults(fakeRunner().runner, OPTIONS);
    expect(without.notRun.map(({ faults }) => faults[0]?.action)).toEqual(['restart', 'restart']);
    expect(without.notRun[0]?.reason).toContain('restart the application');
    expect(sumOf(without)).toBe(without.planned);
    const { notRun, planned } = await searchFaults(fakeRunner({ can: ['restart'] }).runner, OPTIONS);
    expect([notRun, planned]).toEqual([[], without.planned]);
  });

  test('reports runs beyond the budget as left, and the result as not ok', async () => {
    const untilMs = performance.now() + 100;
    const busy = () => {
      while (performance.now() < untilMs) performance.now();
      return {};
    };
    const { runner, runs } = fakeRunner({ play: (_, run) => (run === 2 ? busy() : {}) });
    const report = await searchFaults(runner, { ...OPTIONS, budgetMs: 50 });
    expect(report).toMatchObject({ run: 0, isBudgetSpent: true, ok: false });
    expect(report.left).toBe(report.planned - report.notRun.length);
    expect(runs).toHaveLength(3);
  });

  test('reports a run cut off by the budget as left, not as a hang', async () => {
    const { runner, runs } = hanging((faults) => faults.length > 0);
    const report = await searchFaults(runner, { ...OPTIONS, budgetMs: 50 });
    expect(report).toMatchObject({ run: 0, findings: [], missed: [], isBudgetSpent: true, ok: false });
    expect(report.left).toBe(report.planned - report.notRun.length);
    expect(runs).toHaveLength(4);
  });
});

describe('fault pairs', () => {
  const orders = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...SETTLED,
      code: `order-${index}`,
      resource: index + 1,
    }));

  test('fault pairs are all planned if there are few, and otherwise as many as requested', async () => {
    const all = await searchFaults(fakeRunner().runner, { ...OPTIONS, pairs: undefined });
    const single = await searchFaults(fakeRunner().runner, OPTIONS);
    expect(single.untried).toEqual({ outageKinds: 13, pairs: all.planned - single.planned });
    expect(all).toMatchObject({ untried: { outageKinds: 13, pairs: 0 }, ok: true });
    const some = await searchFaults(fakeRunner().runner, { ...OPTIONS, pairs: 7, faults: 'all' });
    expect(some.untried.outageKinds).toBe(0);
    expect(
      some.planned - (await searchFaults(fakeRunner().runner, { ...OPTIONS, faults: 'all' })).planned,
    ).toBe(7);
  });

  test('fault pairs fill the budget if there are many, and do not fail when left', async () => {
    const points = orders(10);
    const { untried, planned } = await searchFaults(fakeRunner({ points }).runner, OPTIONS);
    const { runner } = hanging((faults) => faults.length > 1, { points });
    const report = await searchFaults(runner, { ...OPTIONS, pairs: undefined, budgetMs: 800 });
    expect(untried.pairs).toBeGreaterThan(200);
    expect(report).toMatchObject({ ok: true, left: 0, isBudgetSpent: false, planned, untried });
    expect(sumOf(report)).toBe(report.planned);
  });
});

describe('findings', () => {
  test('reports one bug behind several faults by the smallest fault, confirmed three times', async () => {
    const { runner, runs } = fakeRunner({
      play: (faults) => (has(faults, 'duplicate') ? { failure: BROKEN } : {}),
    });
    const report = await searchFaults(runner, OPTIONS);
    expect(report).toMatchObject({ ok: false, failing: 2 });
    expect(report.findings).toMatchObject([
      { kinds: ['duplicate'], class: 'promised', failure: BROKEN, confirmed: '3/3', runs: 2 },
    ]);
    expect(report.findings[0]?.faults).toEqual([
      {
        on: 'delivery',
        action: 'duplicate',
        copies: 1,
        event: 'pix.settled',
        code: 'order-1',
        attempt: 1,
        nth: 1,
      },
    ]);
    // The parallel copies were weakened to what had been tried before.
    expect(runs).toHaveLength(3 + report.run + 3);
  });

  test('keeps concurrent copies of a race, and drops unnecessary ones', async () => {
    const { runner } = fakeRunner({
      play: (faults) => (faults.some(({ parallel }) => parallel === true) ? { failure: BROKEN } : {}),
    });
    const { findings } = await searchFaults(runner, OPTIONS);
    expect(findings).toMatchObject([
      { kinds: ['parallel duplicate'], faults: [{ parallel: true, copies: 1 }] },
    ]);
  });

  test('reports a failure as flaky if it does not reproduce each time', async () => {
    let failures = 0;
    const { runner } = fakeRunner({
      play: (faults) => {
        if (!has(faults, 'reorder')) return {};
        failures += 1;
        return failures === 3 ? {} : { failure: BROKEN };
      },
    });
    const report = await searchFaults(runner, OPTIONS);
    expect(report.findings).toEqual([]);
    expect(report.flaky).toMatchObject([{ kinds: ['reorder'], confirmed: '2/3' }]);
    expect(report.ok).toBe(true);
  });

  test('lists one cause once, as reproducible if it is under any fault', async () => {
    for (const sometimes of ['lose-answer', 'reorder']) {
      let failures = 0;
      const { runner } = fakeRunner({
        play: (faults) => {
          if (has(faults, 'stale-expired') || has(faults, 'answer')) return { failure: BROKEN };
          if (!has(faults, sometimes)) return {};
          failures += 1;
          return failures > 1 ? {} : { failure: BROKEN };
        },
      });
      const report = await searchFaults(runner, OPTIONS);
      expect([report.flaky, report.recheck]).toEqual([[], null]);
      expect(report.findings).toMatchObject([{ kinds: ['answer'], confirmed: '3/3', runs: 2 }]);
    }
  });

  describe('two failures that never reproduce', () => {
    const never = (isGreen: (run: number) => boolean) => {
      const once = new Set<string>();
      return fakeRunner({
        play: (faults, run) => {
          if (faults.length === 0) return isGreen(run) ? {} : { failure: BROKEN };
          const kind = faults[0]?.action ?? '';
          const isNew = !once.has(kind) && (kind === 'lose-answer' || kind === 'reorder');
          once.add(kind);
          return isNew ? { failure: BROKEN } : {};
        },
      });
    };

    test('two failures that never reproduce are one flaky cause, and trigger five more runs without faults', async () => {
      const { runner, runs } = never(() => true);
      const report = await searchFaults(runner, OPTIONS);
      expect(report).toMatchObject({ ok: true, findings: [], recheck: { runs: 5, failures: [] } });
      expect(report.flaky).toMatchObject([{ confirmed: '0/3', runs: 2 }]);
      expect(runs.slice(-5)).toEqual([[], [], [], [], []]);
    });

    test('two failures that never reproduce are caused by a flaky suite if those runs are not all green', async () => {
      let without = 0;
      const { runner } = never(() => (without += 1) !== 5);
      const report = await searchFaults(runner, OPTIONS);
      expect(report).toMatchObject({ ok: false, recheck: { runs: 5, failures: [BROKEN] } });
    });
  });

  test('pairs reveal a bug that needs two faults', async () => {
    const { runner } = fakeRunner({
      play: (faults) =>
        has(faults, 'lose-answer') && has(faults, 'stale-expired') ? { failure: BROKEN } : {},
      observed: {
        payments: [
          {
            type: 'charge',
            id: 'c1',
            code: 'order-1',
            rank: 1,
            status: 'SETTLED',
            intent: '10.00',
            isCalled: true,
            probed: null,
          },
        ],
      },
    });
    expect((await searchFaults(runner, OPTIONS)).findings).toEqual([]);
    const { findings } = await searchFaults(runner, { ...OPTIONS, pairs: 500 });
    expect(findings.map(({ kinds }) => kinds.toSorted())).toEqual([['lose-answer', 'stale-expired']]);
  });

  test('reports another failure as another cause', async () => {
    const other = { ...BROKEN, name: 'the ledger is right' };
    const { runner } = fakeRunner({
      play: (faults) => (has(faults, 'duplicate') ? { failure: faults[0]?.parallel ? other : BROKEN } : {}),
    });
    const { findings } = await searchFaults(runner, OPTIONS);
    expect(findings.map(({ failure }) => failure.name)).toEqual([BROKEN.name, other.name]);
  });

  test('counts only invariants under an outage', async () => {
    const { runner } = fakeRunner({
      play: (faults) => {
        if (has(faults, 'reset')) return { failure: BROKEN };
        const violations = { 'a lost response is requested again': ['The answer was lost.'] };
        return has(faults, 'lose-response') ? { observed: { ...NOTHING_OBSERVED, violations } } : {};
      },
    });
    const { findings } = await searchFaults(runner, { ...OPTIONS, faults: 'all' });
    expect(findings).toMatchObject([
      {
        kinds: ['lose-response'],
        class: 'outage',
        failure: { category: 'invariant', message: 'The answer was lost.' },
      },
    ]);
  });
});

test('tries previously found faults individually', async () => {
  const only = [{ on: 'delivery', action: 'drop', event: 'pix.settled' }];
  const { runner, runs } = fakeRunner({ play: (faults) => (faults.length > 0 ? { failure: BROKEN } : {}) });
  const report = await searchFaults(runner, { ...OPTIONS, only });
  expect(report).toMatchObject({ planned: 1, run: 1, failing: 1, findings: [{ faults: only }] });
  expect(runs.slice(3)).toEqual([only, only, only, only]);
});

test('reports a run that does not end as a hang', async () => {
  const { runner } = hanging((faults) => has(faults, 'reorder'));
  const { findings } = await searchFaults(runner, { ...OPTIONS, runTimeoutMs: 20 });
  expect(findings).toMatchObject([
    {
      kinds: ['reorder'],
      failure: { category: 'invariant', name: 'no hang', message: 'The run did not finish within 20 ms.' },
    },
  ]);
});

test('reports the trace and the last output of a hang', async () => {
  const { runner } = fakeRunner();
  const run: Runner['run'] = async (options) => {
    const result = await runner.run(options);
    if (!has(options.faults, 'reorder')) return result;
    await new Promise<void>((resolve) => {
      options.signal.addEventListener('abort', () => resolve());
    });
    return { ...result, trace: ['attempt 1'], failure: { ...BROKEN, message: 'waiting' } };
  };
  const { findings } = await searchFaults({ ...runner, run }, { ...OPTIONS, runTimeoutMs: 20 });
  expect(findings).toMatchObject([
    {
      trace: ['attempt 1'],
      failure: { name: 'no hang', message: 'The run did not finish within 20 ms.\nwaiting' },
      fix: expect.stringContaining('Add a timeout'),
    },
  ]);
});

test('ends the search with the reason of its signal, and with the error of the runner', async () => {
  const stopping = new AbortController();
  const { runner } = fakeRunner({
    play: (faults) => {
      if (faults.length > 0) stopping.abort(new Error('Ctrl-C'));
      return {};
    },
  });
  await expect(searchFaults(runner, { ...OPTIONS, signal: stopping.signal })).rejects.toThrow('Ctrl-C');
  const broken = { can: new Set<never>(), run: () => Promise.reject(new Error('no such command')) };
  await expect(searchFaults(broken, OPTIONS)).rejects.toThrow('no such command');
});

test('names points that some runs lack, and does not use them', async () => {
  const now = { ...SETTLED, event: 'pix.failed' } as const;
  const { runner } = fakeRunner({
    play: (_, run) => (run === 1 ? { points: [SETTLED, now] } : { points: [SETTLED] }),
  });
  const { baseline } = await searchFaults(runner, OPTIONS);
  expect(baseline).toEqual({ runs: 3, points: 1, unstable: ['pix.failed of the first charge'] });
});
