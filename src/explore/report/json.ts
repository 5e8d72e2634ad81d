import type { ExploreReport, Finding } from '../explore.js';
import { faultText } from '../words.js';

/** The file with the faults of a finding, and the command or line that reproduces it. */
export interface Repeat {
  readonly file: string | null;
  readonly repeat: string;
}

/** A report as JSON; `repeats` go with the findings, in their order. */
export function reportJson(report: ExploreReport, repeats: readonly Repeat[]) {
  const { seed, baseline, planned, run, failing, missed, notRun, left } = report;
  const { findings, flaky, recheck, untried, isBudgetSpent, ok } = report;
  return {
    seed,
    baseline,
    planned,
    run,
    failing,
    missed,
    not_run: notRun,
    left,
    findings: findings.map((finding, index) =>
      Object.assign(findingJson(finding), repeats[index] ?? NO_REPEAT),
    ),
    flaky: flaky.map(findingJson),
    recheck,
    untried: { outage_kinds: untried.outageKinds, pairs: untried.pairs },
    budget_spent: isBudgetSpent,
    ok,
    duration_ms: report.durationMs,
  };
}

const NO_REPEAT: Repeat = { file: null, repeat: '' };

function findingJson({ faults, class: faultClass, failure, fix, confirmed, trace, runs }: Finding) {
  return { faults, words: faults.map(faultText), class: faultClass, failure, fix, confirmed, runs, trace };
}

/** The faults of a finding as a file that `--faults` accepts. */
export function faultFileJson({ faults, failure }: Finding, seed: string) {
  return {
    about: `Found by sandbox explore: ${faults.map(faultText).join('; ')}: ${failure.name}`,
    seed,
    faults,
  };
}
