import { expect, test } from 'vitest';
import { formatAttributes, escapeXml, createJunitXml, formatSeconds } from '../../src/text/junit.js';

test('counts failed and skipped tests', () => {
  const base = { classname: 'shop', durationMs: 1500 };
  const cases = [
    { ...base, name: 'passes' },
    { ...base, name: 'fails', failure: { message: 'got "1" < 2', text: 'line 1\nline <2>' } },
    { ...base, name: 'waits', skipped: 'no probe' },
  ];
  expect(createJunitXml('suite & co', cases, 4500.4)).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="suite &amp; co" tests="3" failures="1" errors="0" skipped="1" time="4.500">
    <testcase name="passes" classname="shop" time="1.500"/>
    <testcase name="fails" classname="shop" time="1.500">
      <failure message="got &quot;1&quot; &lt; 2">line 1&#10;line &lt;2&gt;</failure>
    </testcase>
    <testcase name="waits" classname="shop" time="1.500">
      <skipped message="no probe"/>
    </testcase>
  </testsuite>
</testsuites>
`,
  );
});

test('omits characters that XML forbids', () => {
  expect(escapeXml('a\u0000b\u007fc\u0085d\ufffee\ud800f')).toBe('abcdef');
  expect(escapeXml('\t\n\u0020\ud7ff\ue000\ufffd\u{10000}\u{10ffff}é')).toBe(
    '&#9;&#10;\u0020\ud7ff\ue000\ufffd\u{10000}\u{10ffff}é',
  );
  expect(escapeXml('<a href="x">&</a>')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;');
});

test('separates attributes by spaces, and writes times in seconds', () => {
  expect(formatAttributes({ a: 1, b: '"' })).toBe(' a="1" b="&quot;"');
  expect(formatAttributes({})).toBe('');
  expect([0, 1, 1234.5678].map(formatSeconds)).toEqual(['0.000', '0.001', '1.235']);
});
