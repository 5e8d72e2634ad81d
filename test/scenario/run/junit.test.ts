import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunScenario } from '../../../src/scenario/run/junit.js';
import { junitXml } from '../../../src/scenario/run/junit.js';

function result(name: string, ...reasons: string[]): RunScenario {
  const status = reasons.length === 0 ? 'passed' : 'failed';
  const steps = [{ number: 1, title: 'expect events', note: undefined, status, reasons } as const];
  return { name, file: 'a.json', passed: reasons.length === 0, steps, notes: [], durationMs: 1_234 };
}

const TAG = /<(\/?)(\w+)(?: \w+="[^"<>]*")*(\/?)>/g;
const NOT_XML = /[^\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const LOOSE = /[<>]|&(?!(?:amp|lt|gt|quot|#10|#9);)/;

/** What keeps a text from being well-formed; undefined when it is. */
function flawOf(xml: string): string | undefined {
  const open: (string | undefined)[] = [];
  const flaws: string[] = [];
  const body = xml.replace('<?xml version="1.0" encoding="UTF-8"?>', '');
  for (const [tag, end, name, empty] of body.matchAll(TAG)) {
    if (end === '' && empty === '') open.push(name);
    if (end !== '' && open.pop() !== name) flaws.push(`${tag} closes nothing`);
  }
  if (open.length > 0) flaws.push(`${open.join(', ')} not closed`);
  for (const wrong of [LOOSE.exec(body.replaceAll(TAG, '')), NOT_XML.exec(xml)]) {
    if (wrong !== null) flaws.push(JSON.stringify(wrong[0]));
  }
  return flaws[0];
}

describe('JUnit XML', () => {
  test('has a case for each scenario, with the reasons of a failure', () => {
    const xml = junitXml([result('paid'), result('failed "one"', 'expected <1> & got\n2')]);
    expect(flawOf(xml)).toBeUndefined();
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml).toContain('<testsuite name="pix-sandbox scenarios" tests="2" failures="1" time="2.468">');
    expect(xml).toContain('<testcase name="paid" classname="a.json" time="1.234"/>');
    expect(xml).toContain('<testcase name="failed &quot;one&quot;"');
    expect(xml).toContain('message="step 1, expect events: expected &lt;1&gt; &amp; got&#10;2"');
  });

  test('is well-formed whatever stands in names and reasons', () => {
    const odd = fc.constantFrom('<', '&', '"', ']]>', '\u0000', '\u001b', '\ud800', '\ufffe', '\n', '\r');
    const text = fc
      .array(fc.oneof(odd, fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'grapheme' })))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (name, reason) => {
        expect(flawOf(junitXml([result(name, reason)]))).toBeUndefined();
      }),
    );
  });

  test('a flaw would be seen', () => {
    for (const flawed of ['<a>', '</a>', '<a></b>', 'a & b', '<a b="<"/>', '\u0001']) {
      expect({ flawed, flaw: flawOf(flawed) }).toEqual({ flawed, flaw: expect.any(String) });
    }
  });
});
