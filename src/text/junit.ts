import { attributes, escaped, seconds } from './xml.js';

/** A test as JUnit knows it: passed, unless it failed or was skipped. */
export interface JunitCase {
  readonly name: string;
  readonly classname: string;
  readonly durationMs: number;
  readonly failure?:
    | { readonly message: string; readonly text: string; readonly type?: string | undefined }
    | undefined;
  /** Why it does not count. */
  readonly skipped?: string | undefined;
}

/** One suite as JUnit XML. */
export function junitXml(name: string, cases: readonly JunitCase[], durationMs: number): string {
  const totals = attributes({
    name,
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: 0,
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
    time: seconds(durationMs),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite${totals}>`,
    ...cases.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ name, classname, durationMs, failure, skipped }: JunitCase): string[] {
  const head = attributes({ name, classname, time: seconds(durationMs) });
  const inside =
    failure === undefined
      ? skipped === undefined
        ? undefined
        : `<skipped${attributes({ message: skipped })}/>`
      : `<failure${attributes({ message: failure.message, ...(failure.type === undefined ? {} : { type: failure.type }) })}>${escaped(failure.text)}</failure>`;
  if (inside === undefined) return [`    <testcase${head}/>`];
  return [`    <testcase${head}>`, `      ${inside}`, '    </testcase>'];
}
