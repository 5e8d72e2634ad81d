import { describe, expect, test } from 'vitest';
import { exploreDeclaration } from '../../../../src/cli/declarations/tests.js';
import { getExitCode, createReproduction } from '../../../../src/cli/commands/explore/explore.js';
import { formatExploreReport } from '../../../../src/cli/commands/explore/text.js';
import { readOptions } from '../../../../src/cli/program/declaration.js';
import type {
  ExploreReport,
  RunFailure,
  PlannedFault,
  ExploreFinding,
} from '../../../../src/explore/explore.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';
import { tempFolder } from '../../../helpers/temp-folder.js';

const TWICE: PlannedFault = {
  on: 'delivery',
  action: 'duplicate',
  event: 'pix.settled',
  code: 'order-1',
  copies: 1,
};
/** A value wider than a terminal. */
const WORDS = Array.from({ length: 40 }, (_, index) => `value-${index}`).join(' ');
const RED: RunFailure = {
  category: 'test',
  name: 'credits once',
  message: `npm test exited with 1: credits once\n  not ok 1 - credits once\n  error: <2 == 1>\u0007\n${WORDS}`,
};
const FINDING: ExploreFinding = {
  faults: [TWICE],
  kinds: ['duplicate'],
  class: 'promised',
  failure: RED,
  fix: 'Store each webhook-id.',
  confirmed: '3/3',
  trace: Array.from({ length: 40 }, (_, index) => `line ${index + 1}`),
  runs: 2,
};
const REPORT: ExploreReport = {
  seed: '7',
  baseline: { runs: 3, points: 5, unstable: [] },
  kinds: 6,
  planned: 20,
  run: 15,
  failing: 2,
  missed: [{ faults: [TWICE, TWICE], fired: [1, 0] }],
  notRun: [
    { faults: [TWICE], reason: 'Cannot restart the application: no command or function was provided.' },
  ],
  left: 3,
  findings: [FINDING],
  flaky: [{ ...FINDING, confirmed: '1/3' }],
  recheck: null,
  untried: { outageKinds: 8, pairs: 120 },
  isBudgetSpent: true,
  ok: false,
  durationMs: 61_000,
};

function text(report: ExploreReport, columns: number): string {
  const { io } = fakeIo({ columns });
  return formatExploreReport(io, report, [
    { file: 'faults-1.json', repeat: `${io.program} exec --faults faults-1.json -- npm test` },
  ]);
}

function repeated(
  given: Readonly<Record<string, unknown>>,
  failure: RunFailure = RED,
  cwd = '/nowhere',
): string {
  const options = { ...readOptions(exploreDeclaration.options, given), url: undefined };
  const { io } = fakeIo({ cwd });
  return createReproduction('faults-1.json', failure, {
    io,
    args: { command: ['npm', 'test', 'a b'] },
    options,
  });
}

describe('the report', () => {
  test('fits 80 columns, except for the line to copy', () => {
    const lines = text(
      { ...REPORT, baseline: { ...REPORT.baseline, unstable: ['x'.repeat(200)] } },
      80,
    ).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.join('\n')).toMatch(
      /^failure scenario 1 of 1 \(allowed by the contract\)\n {2}pix\.settled of order-1 is delivered twice\n/,
    );
    expect(lines).toContain('result     npm test exited with 1: credits once');
    expect(lines).toContain('fix        Store each webhook-id.');
    expect(lines.map((line) => line.trim()).join(' ')).toContain(WORDS);
    expect(lines).toContain('reproduce  NPX sandbox exec --faults faults-1.json -- npm test');
    expect(lines).toContain('  … 28 more');
  });

  test('shows the result of every planned run', () => {
    const all = text(REPORT, 0);
    expect(all).toContain(
      '20 planned = 13 green + 2 failing (2 causes) + 1 missed + 1 not run + 3 left, in 1m 1s.',
    );
    expect(all).toContain('The time budget ran out');
    expect(all).toContain(
      '  pix.settled of order-1 is delivered twice, and pix.settled of order-1 is delivered twice (1, 0 times)\n',
    );
    expect(all).toContain(
      'not run\n  1: Cannot restart the application: no command or function was provided.',
    );
    expect(all).toContain('flaky failed again in 1/3 runs');
    expect(all).not.toContain('\u0007');
  });

  test('ends with what was not tried', () => {
    expect(text(REPORT, 0)).toMatch(
      /\nOutages not tried: 8 kinds; add `--faults all`\.\nPairs of faults not tried: 120; add a longer `--budget` or more `--pairs`\.$/,
    );
    expect(text({ ...REPORT, untried: { outageKinds: 0, pairs: 0 } }, 0)).not.toContain('not tried');
  });

  test('reports that the suite is flaky', () => {
    const recheck = { runs: 5, failures: [RED, RED] };
    expect(text({ ...REPORT, recheck }, 0)).toMatch(
      /Your suite is flaky: it failed in 2 of 5 additional runs without faults\.$/m,
    );
  });
});

test.each([
  [0, { findings: [], flaky: [FINDING], recheck: null, isBudgetSpent: false }, false],
  [1, { findings: [], flaky: [FINDING], recheck: null, isBudgetSpent: false }, true],
  [1, { findings: [FINDING], flaky: [], recheck: null, isBudgetSpent: true }, false],
  [4, { findings: [], flaky: [], recheck: null, isBudgetSpent: true }, true],
  [0, { findings: [], flaky: [FINDING], recheck: { runs: 5, failures: [] }, isBudgetSpent: false }, false],
  [2, { findings: [], flaky: [FINDING], recheck: { runs: 5, failures: [RED] }, isBudgetSpent: false }, false],
])('the exit code is %i (%#)', (code, found, isStrict) => {
  expect(getExitCode({ ...found, baseline: REPORT.baseline }, isStrict)).toBe(code);
});

test('a command that does not use its sandbox is not green', () => {
  const unused = { ...REPORT, findings: [], flaky: [], baseline: { runs: 3, points: 0, unstable: [] } };
  expect(getExitCode(unused, false)).toBe(1);
  expect(text(unused, 0)).toContain('No fault was tried: the command sent no API request');
});

describe('the reproduction command', () => {
  test('the reproduction command has the options of the search that exec accepts', () => {
    expect(repeated({})).toBe("exec --faults faults-1.json -- npm test 'a b'");
    const given = {
      restart: 'sh restart.sh',
      forwardTo: ['{port}/webhooks'],
      freeze: '2026-01-31T12:00:00Z',
      assume: ['charge.lifetime=15m'],
      allowLocalEndpoints: true,
      autoSettle: '5s~9s',
      rateLimit: '100/1m',
      jobs: '4',
      probe: 'curl {code}',
      seed: '7',
    };
    expect(repeated(given)).toBe(
      "exec --faults faults-1.json --restart 'sh restart.sh' --forward-to '{port}/webhooks' --freeze 2026-01-31T12:00:00.000Z --assume charge.lifetime=15m --allow-local-endpoints --auto-settle '5s~9s' --rate-limit 100/1m -- npm test 'a b'",
    );
  });

  test('the reproduction command omits what the settings file contains', () => {
    using folder = tempFolder();
    folder.write('sandbox.config.json', '{"env": {"PIX_TOKEN": "SANDBOX_TOKEN"}, "forwardTo": "3000"}');
    const given = { env: ['PIX_TOKEN=SANDBOX_TOKEN'], forwardTo: ['4000'], command: 'npm test' };
    expect(repeated(given, RED, folder.path)).toBe(
      "exec --faults faults-1.json --forward-to 4000 -- npm test 'a b'",
    );
  });

  test('a violated invariant is reproduced by explore itself, because a single run does not show it', () => {
    const failure: RunFailure = { category: 'invariant', name: 'no hang', message: '' };
    expect(repeated({ probe: 'curl {code}' }, failure)).toBe(
      "explore --only faults-1.json --probe 'curl {code}' -- npm test 'a b'",
    );
  });
});
