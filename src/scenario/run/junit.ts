import type { ScenarioOutcome, StepOutcome } from './run.js';

export interface RunScenario extends ScenarioOutcome {
  readonly name: string;
  readonly file: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

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

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

/** Escapes text for XML; characters that XML 1.0 does not allow are left out. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u007f-\u009f]/gu, '')
    .replaceAll(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? character);
}
