import { attributes, escaped, seconds } from '../../text/xml.js';
import type { ScenarioOutcome, StepOutcome } from './run.js';

export interface RunScenario extends ScenarioOutcome {
  readonly name: string;
  readonly file: string;
}

/** The results as JUnit XML, as `junit-10.xsd` of Jenkins' xunit-plugin has it: one test case for each scenario. */
export function junitXml(results: readonly RunScenario[]): string {
  const totals = attributes({
    name: 'pix-sandbox scenarios',
    tests: results.length,
    failures: results.filter(({ passed }) => !passed).length,
    errors: 0,
    time: seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites>`,
    `  <testsuite${totals}>`,
    ...results.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ name, file, steps, durationMs }: RunScenario): string[] {
  const head = attributes({ name, classname: file, time: seconds(durationMs) });
  const failed = steps.find(({ status }) => status === 'failed');
  if (failed === undefined) return [`    <testcase${head}/>`];
  const message = `step ${failed.number}, ${failed.title}: ${failed.reasons[0] ?? ''}`;
  return [
    `    <testcase${head}>`,
    `      <failure${attributes({ message })}>${escaped(steps.flatMap(stepLines).join('\n'))}</failure>`,
    '    </testcase>',
  ];
}

function stepLines({ number, title, status, reasons }: StepOutcome): string[] {
  return [`${number} ${status} ${title}`, ...reasons.map((reason) => `    ${reason}`)];
}
