import { attributes, escaped, seconds } from '../../text/xml.js';
import type { CheckResult, Report } from '../check.js';
import type { Strictness } from '../judge.js';
import { counts } from '../judge.js';

/** A report as JUnit XML: one test case for each check; what does not count is skipped, with the reason. */
export function checkJunit({ checks, durationMs }: Report, options: Strictness): string {
  const failures = checks.filter((result) => counts(result, options)).length;
  const skipped = checks.filter((result) => result.verdict !== 'pass').length - failures;
  const totals = attributes({
    name: 'pix-sandbox check',
    tests: checks.length,
    failures,
    errors: 0,
    skipped,
    time: seconds(durationMs),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite${totals}>`,
    ...checks.flatMap((result) => testCase(result, options)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(result: CheckResult, options: Strictness): string[] {
  const { id, verdict, sent, got, expected, likely, fix, link, reason, durationMs } = result;
  const head = attributes({ name: id, classname: `check.${id.split('.')[0]}`, time: seconds(durationMs) });
  if (verdict === 'pass') return [`    <testcase${head}/>`];
  const message = reason ?? got;
  if (!counts(result, options)) {
    const skipped = attributes({ message: `${verdict}: ${message}` });
    return [`    <testcase${head}>`, `      <skipped${skipped}/>`, '    </testcase>'];
  }
  const facts = { sent, got, expected, likely, fix: `${fix} (${link})` };
  const text = Object.entries(facts).map(([name, value]) => `${name}: ${value}`);
  return [
    `    <testcase${head}>`,
    `      <failure${attributes({ message })}>${escaped(text.join('\n'))}</failure>`,
    '    </testcase>',
  ];
}
