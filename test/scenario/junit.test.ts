import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunScenario } from '../../src/scenario/run.js';
import { junitXml } from '../../src/scenario/run.js';

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

/**
 * What `junit-10.xsd` of Jenkins' xunit-plugin (src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd, MIT) says of the
 * elements that we write: attributes, those that are required, elements inside, and whether text may be inside.
 */
const SCHEMA: Readonly<
  Record<string, { may: readonly string[]; must?: readonly string[]; in?: readonly string[]; text?: true }>
> = {
  testsuites: { may: ['name', 'time', 'tests', 'failures', 'errors'], in: ['testsuite'] },
  testsuite: {
    may: 'group time skipped timestamp hostname id package file log url'.split(' '),
    must: ['name', 'tests', 'failures', 'errors'],
    in: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    may: ['time', 'classname', 'group'],
    must: ['name'],
    in: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: { may: ['type', 'message'], text: true },
};
/** SUREFIRE_TIME, the only type there that is not any text. */
const SUREFIRE_TIME = /^(?:(?:[0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(?:\.[0-9]*)?$/;

/** What the schema does not allow. */
function refusedBySchema(xml: string): string[] {
  const open: string[] = [];
  let end = xml.indexOf('?>') + 2;
  return [...xml.matchAll(TAG)].flatMap(([tag, isEnd = '', name = '', isEmpty], index) => {
    const text = xml.slice(end, xml.indexOf(tag, end)).trim();
    end = xml.indexOf(tag, end) + tag.length;
    const parent = open.at(-1);
    const wrong = text !== '' && SCHEMA[parent ?? '']?.text === undefined ? [`${parent} has text`] : [];
    if (isEnd !== '') {
      open.pop();
      return wrong;
    }
    const rule = SCHEMA[name];
    const isPlaced = parent === undefined ? index === 0 : SCHEMA[parent]?.in?.includes(name) === true;
    if (rule === undefined || !isPlaced) wrong.push(`${name} in ${parent}`);
    const attributes = new Map(
      [...tag.matchAll(/ (\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
    );
    const { may = [], must = [] } = rule ?? {};
    wrong.push(...must.filter((key) => !attributes.has(key)).map((key) => `${name} lacks ${key}`));
    const unknown = [...attributes.keys()].filter((key) => !may.includes(key) && !must.includes(key));
    wrong.push(...unknown.map((key) => `${name} has ${key}`));
    const time = attributes.get('time') ?? '';
    if (name.startsWith('testsuite') && !SUREFIRE_TIME.test(time)) wrong.push(`${name} takes ${time}`);
    if (isEmpty === '') open.push(name);
    return wrong;
  });
}

describe('JUnit XML', () => {
  test('is what the schema of Jenkins allows', () => {
    for (const results of [[], [result('paid')], [result('paid'), result('a', 'b < c'), result('d', '')]]) {
      expect(refusedBySchema(junitXml(results))).toEqual([]);
    }
  });

  test('what the schema refuses would be seen', () => {
    const good = junitXml([result('paid'), result('failed', 'why')]);
    for (const [part, by, problem] of [
      [' errors="0"', '', 'testsuite lacks errors'],
      ['<testcase name="paid"', '<testcase file="a.json"', 'testcase lacks name'],
      ['time="2.468"', 'time="2 s"', 'testsuite takes 2 s'],
      ['<failure', '<reason', 'reason in testcase'],
      ['<testsuites>', '<testsuites>loose', 'testsuites has text'],
    ] as const) {
      expect(good).toContain(part);
      expect(refusedBySchema(good.replace(part, by))).toContain(problem);
    }
  });

  test('has a case for each scenario, with the reasons of a failure', () => {
    const xml = junitXml([result('paid'), result('failed "one"', 'expected <1> & got\n2')]);
    expect(flawOf(xml)).toBeUndefined();
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml).toContain(
      '<testsuite name="pix-sandbox scenarios" tests="2" failures="1" errors="0" time="2.468">',
    );
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
