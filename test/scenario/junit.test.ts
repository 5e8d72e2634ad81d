import { expect, test } from 'vitest';
import { scenariosJunit, type RunScenario } from '../../src/scenario/run.js';

function result(name: string, ...reasons: string[]): RunScenario {
  const status = reasons.length === 0 ? 'passed' : 'failed';
  const steps = [{ number: 1, title: 'expect events', note: undefined, status, reasons } as const];
  return { name, file: 'a.json', passed: reasons.length === 0, steps, notes: [], durationMs: 1_234 };
}

test('JUnit XML has a case for each scenario, with the reasons of a failure', () => {
  expect(
    scenariosJunit([result('paid'), result('failed "one"\u001b\u0000\ud800', 'expected <1> & got\n2')]),
  ).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites>',
      '  <testsuite name="pix-sandbox scenarios" tests="2" failures="1" errors="0" skipped="0" time="2.468">',
      '    <testcase name="paid" classname="a.json" time="1.234"/>',
      '    <testcase name="failed &quot;one&quot;" classname="a.json" time="1.234">',
      '      <failure message="step 1, expect events: expected &lt;1&gt; &amp; got&#10;2">1 failed expect events&#10;    expected &lt;1&gt; &amp; got&#10;2</failure>',
      '    </testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ].join('\n'),
  );
});
