const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Escapes text for XML and HTML. Removes characters that XML 1.0 does not allow. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u007f-\u009f]/gu, '')
    .replaceAll(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? character);
}

/** Formats XML attributes, each with a leading space. */
export function formatAttributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

/** Formats milliseconds as seconds for JUnit. */
export function formatSeconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** A JUnit test case, which passed unless `failure` or `skipped` is set. */
export interface JunitCase {
  readonly name: string;
  readonly classname: string;
  readonly durationMs: number;
  readonly failure?:
    | { readonly message: string; readonly text: string; readonly type?: string | undefined }
    | undefined;
  /** Reason for skipping the test. */
  readonly skipped?: string | undefined;
}

/** Formats one test suite as JUnit XML. */
export function createJunitXml(name: string, cases: readonly JunitCase[], durationMs: number): string {
  const totals = formatAttributes({
    name,
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: 0,
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
    time: formatSeconds(durationMs),
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
  const head = formatAttributes({ name, classname, time: formatSeconds(durationMs) });
  const around = (inside: string) => [`    <testcase${head}>`, `      ${inside}`, '    </testcase>'];
  if (failure !== undefined) {
    const { text, message, type } = failure;
    const about = formatAttributes({ message, ...(type === undefined ? {} : { type }) });
    return around(`<failure${about}>${escapeXml(text)}</failure>`);
  }
  if (skipped !== undefined) return around(`<skipped${formatAttributes({ message: skipped })}/>`);
  return [`    <testcase${head}/>`];
}
