import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { BIN, Project } from '../helpers/e2e/e2e.js';
import { PLANTS } from '../helpers/explore/plants.js';

const repeats = Number(process.env.EXPLORE_REPEATS ?? 20);
const PROGRAM = join(import.meta.dirname, '../helpers/explore/program.js');
const OPTIONS = ['--forward-to', '{port}/webhooks', '--restart', 'curl -s -X POST localhost:{port}/restart'];
/** These need lost answers, which are an outage. */
const OF_CALLS = new Set(['new-code', 'no-retry']);
const PAIRS = 40;

interface Reported {
  readonly planned: number;
  readonly run: number;
  readonly missed: readonly object[];
  readonly findings: readonly {
    readonly faults: readonly object[];
    readonly confirmed: string;
    readonly repeat: string;
  }[];
}

/** Runs a line as a person types it. */
function typed({ folder: cwd, stateHome }: Project, line: string) {
  return execa('sh', ['-c', line], {
    cwd,
    env: { XDG_STATE_HOME: stateHome },
    stdin: 'ignore',
    reject: false,
  });
}

describe(`the command finds a shop, and what it prints repeats it ${repeats} of ${repeats} times, that`, () => {
  test.for(PLANTS)('$what', async ({ id, size }) => {
    using project = new Project();
    const faults = OF_CALLS.has(id) ? 'all' : 'promised';
    const pairs = String(size === 2 ? PAIRS : 0);
    const given = ['--faults', faults, '--pairs', pairs, '--seed', '7', '--jobs', '2', ...OPTIONS];
    const found = await project.run(['explore', ...given, '--json', '--', 'node', PROGRAM, id]);
    expect(found).toMatchObject({ exitCode: 1, stderr: '' });
    const { findings, missed } = JSON.parse(found.stdout) as Reported;
    expect(missed).toEqual([]);
    const finding = findings.find((one) => one.faults.length <= size);
    if (finding === undefined) throw new Error(`Nothing of at most ${size} faults: ${found.stdout}`);
    expect(finding.confirmed).toBe('3/3');
    const line = finding.repeat.replace(/^npx \S+/, `${process.execPath} ${BIN}`);
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      expect(await typed(project, line)).toMatchObject({ exitCode: 1 });
    }
  });
});

test('the command finds nothing in the right shop', async () => {
  using project = new Project();
  const given = ['--faults', 'all', '--pairs', String(PAIRS), '--seed', '7', '--jobs', '2', ...OPTIONS];
  const found = await project.run(['explore', ...given, '--json', '--', 'node', PROGRAM]);
  expect(found).toMatchObject({ exitCode: 0, stderr: '' });
  const { planned, run, missed, findings } = JSON.parse(found.stdout) as Reported;
  expect({ run, missed, findings }).toEqual({ run: planned, missed: [], findings: [] });
});
