import { expect, test } from 'vitest';
import {
  toExploreJunit,
  toFaultFileJson,
  formatFinding,
  toExploreJson,
  formatSummary,
} from '../../src/explore/report.js';
import { searchFaults } from '../../src/explore/search.js';
import { BROKEN, fakeRunner, OPTIONS } from '../helpers/explore/fake-runner.js';

async function reported() {
  let late = 0;
  const { runner } = fakeRunner({
    play: ([fault, ...others]) => {
      if (fault === undefined || others.length > 0) return {};
      if (fault.action === 'duplicate') return { failure: BROKEN };
      if (fault.action === 'lose-answer') return { fired: [0] };
      if (fault.action === 'answer') late += 1;
      return fault.action === 'answer' && late === 1 ? { failure: { ...BROKEN, name: 'it is in time' } } : {};
    },
  });
  return searchFaults(runner, OPTIONS);
}

test('the counts in the text add up', async () => {
  const report = await reported();
  const text = formatSummary(report);
  expect(text).toBe(
    '2 points × 10 kinds of faults: 10 planned = 4 green + 3 failing (2 causes) + 1 missed + 2 not run',
  );
  const [planned = 0, ...parts] =
    (text.split(': ')[1] ?? '')
      .replace(/\(.*?\)/, '')
      .match(/\d+/g)
      ?.map(Number) ?? [];
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(planned);
});

test('uses the singular for one item', async () => {
  const report = await reported();
  const text = formatSummary({ ...report, kinds: 1, baseline: { ...report.baseline, points: 1 } });
  expect(text).toMatch(/^1 point × 1 kind of faults: /);
});

test('a finding reports the faults, the failure and the history', async () => {
  const [finding] = (await reported()).findings;
  expect(finding && formatFinding(finding)).toBe(
    `When pix.settled of order-1 is delivered twice
  an order is paid:
    expected 1, got 2
  Fix: Store each webhook-id under a unique key, in the transaction that handles the event, and return 200 for duplicates.
  Reproduced in 3 of 3 runs; causes 2 failing runs.
  What happened:
    pix.settled of order-1`,
  );
});

test('JSON contains everything not green, and how to reproduce it', async () => {
  const report = await reported();
  const json = toExploreJson(report, [{ file: 'faults-1.json', repeat: 'again' }]);
  expect(json).toMatchObject({
    baseline: { runs: 3, points: 2 },
    planned: 10,
    run: 7,
    missed: [{ faults: [{ action: 'lose-answer' }], fired: [0] }],
    not_run: [{ reason: 'Cannot restart the application: no command or function was provided.' }, {}],
    findings: [{ class: 'promised', confirmed: '3/3', file: 'faults-1.json', repeat: 'again' }],
    flaky: [{ confirmed: '0/3' }],
    recheck: null,
    ok: false,
  });
  expect(report.findings.map((finding) => toFaultFileJson(finding, '7'))[0]).toEqual({
    about: 'Found by sandbox explore: pix.settled of order-1 is delivered twice: an order is paid',
    seed: '7',
    faults: json.findings[0]?.faults,
  });
});

test('JUnit has a test case for each finding, and skips the rest', async () => {
  const xml = toExploreJunit(await reported());
  expect(xml).toContain('tests="6" failures="1" errors="0" skipped="4"');
  expect(xml).toContain(
    '<testcase name="pix.settled of order-1 is delivered twice" classname="explore.duplicate"',
  );
  expect(xml).toContain('message="missed: fired 0 times instead of once"');
  expect(xml).toContain('message="flaky 0/3: it is in time"');
});
