import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { INCIDENTS } from '../../src/contract/incidents.js';
import { EXPLORED_KINDS } from '../../src/explore/kinds.js';
import { generatedPart, markdownTable } from '../helpers/documents/generated-part.js';
import type { Ended } from '../helpers/explore/fake-runner.js';
import { explored, exploredShop, scenarioOf, sumOf } from '../helpers/explore/fake-runner.js';
import type { Plant } from '../helpers/explore/plants.js';
import { PLANTS } from '../helpers/explore/plants.js';
import { tries } from '../helpers/soak-scale.js';

const PATIENCE_MS = 180_000;
const SHORT = ['an order is paid'];

/** What brings each mistake to light, with the least faults. */
const FOUND_BY: Readonly<Record<string, string>> = {
  'no-deduplication': 'duplicate',
  race: 'duplicate at once',
  'last-event-wins': 'stale-expired',
  'expiry-wins': 'stale-expired',
  'expired-is-final': 'late-payment',
  'parsed-body': 'reserialized-body',
  'answered-before-stored': 'restart',
  'drops-early-events': 'event-first',
  'new-code': 'lose-response',
  'no-retry': 'lose-response',
  'unknown-type': 'unknown-type',
  'ids-in-memory': 'lose-answer, restart',
  'skips-rows': 'insert-between-pages',
  'adds-twice': 'duplicate',
  'last-id-only': 'lose-answer, stale-expired',
};

const GUIDE = 'fixtures/guides/explore.md';
const EXAMPLE = 'fixtures/examples/shop/test/explore.test.js';

/** What the guide says of a mistake: the first finding, without the line that repeats it. */
function section({ what, fix }: Plant, message: string): string {
  const [, finding = ''] = message
    .split('\n\nWhen ')
    .map((text) => text.replace(/\n {2}To reproduce it: .*$/s, ''));
  return `### It ${what}\n\n\`\`\`text\nWhen ${finding}\n\`\`\`\n\nFix: ${fix}.\n`;
}

test('finds and misses nothing in the correct shop', { timeout: PATIENCE_MS }, async () => {
  const scenario = scenarioOf(undefined, [...SHORT, 'every transaction is booked']);
  const pairs = tries({ part: 2, whole: 10 });
  const { report } = await explored(scenario, { pairs, seed: '7' });
  expect(report).toMatchObject({ findings: [], flaky: [], missed: [], not_run: [], ok: true });
  expect(report).toMatchObject({ baseline: { runs: 3, unstable: [] }, failing: 0, run: report.planned });
});

describe('a shop with one bug', () => {
  const found = new Map<string, Ended>();
  beforeAll(async () => {
    for (const plant of PLANTS) found.set(plant.id, await exploredShop(plant));
  }, PATIENCE_MS);

  test.for(PLANTS)('finds a shop that $what', async (plant) => {
    const { id, tests, size } = plant;
    const report = found.get(id)?.report;
    if (report === undefined) throw new Error('It was not explored.');
    const { findings, missed, not_run, flaky } = report;
    expect([missed, not_run, flaky, report.planned]).toEqual([[], [], [], sumOf(report)]);
    const confirmed = findings.map((finding) => [finding.confirmed, finding.faults.length]);
    expect(confirmed).toEqual(findings.map(() => ['3/3', size]));
    const kinds = findings.map(({ faults }) =>
      faults.map(({ action, ...rest }) => ('parallel' in rest ? `${action} at once` : action)),
    );
    expect(kinds.map((names) => names.toSorted().join(', '))).toContain(FOUND_BY[id]);

    const [{ faults, failure } = {}] = findings;
    const again = await explored(scenarioOf(plant, tests), { seed: report.seed, only: faults });
    expect(again.report.findings).toMatchObject([{ faults, failure }]);
  });

  test('reports what the guide shows (UPDATE_DOCS=1 writes it)', () => {
    const sections = PLANTS.map((plant) => section(plant, found.get(plant.id)?.message ?? ''));
    const { page, wanted } = generatedPart(GUIDE, 'shops', `\n${sections.join('\n')}`);
    expect(page).toBe(wanted);
  });
});

describe('the guide (UPDATE_DOCS=1 writes it)', () => {
  test('shows the test of the example shop', () => {
    const code = readFileSync(EXAMPLE, 'utf8');
    const { page, wanted } = generatedPart(GUIDE, 'test', `\n\`\`\`js\n${code}\`\`\`\n`);
    expect(page).toBe(wanted);
  });

  test('lists the kinds of faults', () => {
    const rows = EXPLORED_KINDS.map(({ class: faultClass, name, description, needs }) => [
      Object.hasOwn(INCIDENTS, name) ? `${faultClass} (incident)` : faultClass,
      name,
      [description, ...needs.map((need) => `needs \`${need}\``)].join('; '),
    ]);
    const table = markdownTable(['Class', 'Kind', 'The request or attempt …'], rows);
    const { page, wanted } = generatedPart(GUIDE, 'kinds', `\n${table}\n`);
    expect(page).toBe(wanted);
  });
});

test('repeats the search byte for byte with the same seed, and tries other pairs with another', async () => {
  const tried = async (seed: string) => {
    const runs: string[] = [];
    // A receiver of one event has few points, and pairs enough.
    await explored(
      async (sandbox, context) => {
        runs.push(JSON.stringify(context.faults));
        sandbox.forwardTo({ fetch: () => new Response() });
        await sandbox.trigger('pix.settled', { with: { code: 'order-1' } });
        await sandbox.idle();
      },
      { pairs: 5, seed },
    );
    return runs;
  };
  const [one, again, other] = [await tried('1'), await tried('1'), await tried('2')];
  expect(again).toEqual(one);
  expect(other).toHaveLength(one.length);
  expect(other).not.toEqual(one);
});
