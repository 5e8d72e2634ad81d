import type { JunitCase } from '../../text/junit.js';
import { junitXml } from '../../text/junit.js';
import type { ExploreReport, FaultFields } from '../explore.js';
import { kindName } from '../kinds.js';
import { faultText } from '../words.js';
import { findingText, sumText } from './text.js';

/** A report as JUnit XML: a test case for the sum and one for each finding; what was missed, not run or flaky is skipped, with the reason. */
export function exploreJunit(report: ExploreReport): string {
  const { findings, flaky, missed, notRun, durationMs } = report;
  const cases: JunitCase[] = [
    { name: sumText(report), classname: 'explore', durationMs },
    ...findings.map((finding) =>
      caseOf(finding.faults, { failure: { message: finding.failure.name, text: findingText(finding) } }),
    ),
    ...flaky.map(({ faults, confirmed, failure }) =>
      caseOf(faults, { skipped: `flaky ${confirmed}: ${failure.name}` }),
    ),
    ...missed.map(({ faults, fired }) =>
      caseOf(faults, { skipped: `missed: fired ${fired.join(', ')} times instead of once` }),
    ),
    ...notRun.map(({ faults, reason }) => caseOf(faults, { skipped: `not run: ${reason}` })),
  ];
  return junitXml('pix-sandbox explore', cases, durationMs);
}

function caseOf(faults: readonly FaultFields[], outcome: Pick<JunitCase, 'failure' | 'skipped'>): JunitCase {
  return {
    name: faults.map(faultText).join(' and '),
    classname: `explore.${faults.map(kindName).join('+')}`,
    durationMs: 0,
    ...outcome,
  };
}
