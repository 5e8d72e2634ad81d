import type { JunitCase } from '../../text/junit.js';
import { junitXml } from '../../text/junit.js';
import type { ExploreReport, FaultFields } from '../explore.js';
import { kindName } from '../kinds.js';
import { faultText } from '../words.js';
import { findingText, sumText } from './text.js';

/** A report as JUnit XML: a test case for the sum and one for each finding; what was missed, not run or flaky is skipped, with the reason. */
export function exploreJunit(report: ExploreReport): string {
  const { findings, flaky, missed, notRun, durationMs } = report;
  const caseOf = (faults: readonly FaultFields[]): JunitCase => ({
    name: faults.map(faultText).join(' and '),
    classname: `explore.${faults.map(kindName).join('+')}`,
    durationMs: 0,
  });
  const cases: JunitCase[] = [
    { name: sumText(report), classname: 'explore', durationMs },
    ...findings.map((finding): JunitCase => {
      const failure = { message: finding.failure.name, text: findingText(finding) };
      return { ...caseOf(finding.faults), failure };
    }),
    ...flaky.map((finding): JunitCase => ({
      ...caseOf(finding.faults),
      skipped: `flaky ${finding.confirmed}: ${finding.failure.name}`,
    })),
    ...missed.map(({ faults, fired }): JunitCase => ({
      ...caseOf(faults),
      skipped: `missed: fired ${fired.join(', ')} times instead of once`,
    })),
    ...notRun.map(({ faults, reason }): JunitCase => ({ ...caseOf(faults), skipped: `not run: ${reason}` })),
  ];
  return junitXml('pix-sandbox explore', cases, durationMs);
}
