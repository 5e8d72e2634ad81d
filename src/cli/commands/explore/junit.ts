import type { ExploreReport, Failure } from '../../../explore/explore.js';
import { attributes, escaped, seconds } from '../../../text/xml.js';
import { faultsText } from './text.js';

/** A report as JUnit XML: a test case for each cause, for what was flaky, missed or not run, and one for all that was right. */
export function exploreJunit(report: ExploreReport, isStrict: boolean): string {
  const { run, failing, findings, flaky, missed, notRun, durationMs } = report;
  const failed = isStrict ? [...findings, ...flaky] : findings;
  const skipped = [
    ...(isStrict
      ? []
      : flaky.map(({ faults, confirmed }) => ({ faults, why: `flaky: it failed again ${confirmed} times` }))),
    ...missed.map(({ faults, fired }) => ({ faults, why: `missed: fired ${fired.join(', ')} times` })),
    ...notRun.map(({ faults, reason }) => ({ faults, why: `not run: ${reason}` })),
  ];
  const totals = attributes({
    name: 'pix-sandbox explore',
    tests: failed.length + skipped.length + 1,
    failures: failed.length,
    errors: 0,
    skipped: skipped.length,
    time: seconds(durationMs),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite${totals}>`,
    `    <testcase${attributes({ name: `${run - failing} bad days`, classname: 'explore' })}/>`,
    ...failed.flatMap(({ faults, failure }) => testCase(faultsText(faults), failureTag(failure))),
    ...skipped.flatMap(({ faults, why }) =>
      testCase(faultsText(faults), `<skipped${attributes({ message: why })}/>`),
    ),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function failureTag({ name, message }: Failure): string {
  return `<failure${attributes({ message: name })}>${escaped(message)}</failure>`;
}

function testCase(name: string, inner: string): string[] {
  return [`    <testcase${attributes({ name, classname: 'explore' })}>`, `      ${inner}`, '    </testcase>'];
}
