import { stripVTControlCharacters } from 'node:util';

/** Lines of test runners about a failed test, with its name in the first group. */
const FAILED: readonly RegExp[] = [
  // TAP: node --test, tap, ava.
  /^ *not ok \d{1,9} - (.+)$/,
  // node --test, vitest and others while they run.
  /^ *[✖×✘] (.+)$/,
  // vitest, then jest.
  /^ *FAIL {1,2}(\S+ > .+)$/,
  /^ *● (.+)$/,
  // pytest, then unittest.
  /^FAILED ([^ :]+::(?:[^-]|-(?! ))+)/,
  /^(?:FAIL|ERROR): (\w+ \(.+\))$/,
  // Go, RSpec, Cargo and dotnet.
  /^ *--- FAIL: (\S+)/,
  /^rspec \S+ # (.+)$/,
  /^test (\S+) \.\.\. FAILED$/,
  /^ {2}Failed (\S+) \[/,
  // PHPUnit and mocha.
  /^ *\d{1,9}\) (.+)$/,
];

/** Tests that may fail, and a heading of node's. */
const NO_FAILURE = /# (?:TODO|SKIP)|^failing tests:$/;
const DURATION = / \(?[\d.]{1,20} ?m?s\)?$/;

/** The names of the tests that failed, from the output of any of the usual test runners: sorted, each once. */
export function failedTests(output: string): readonly string[] {
  const names = stripVTControlCharacters(output)
    .split(/\r?\n/)
    .flatMap((line) => nameIn(line.trimEnd()) ?? []);
  return [...new Set(names)].toSorted();
}

/** Enough for the values of an assertion. */
const MOST_LINES = 40;

/**
 * The lines that say most of why a command failed: from the last failed test on, or in TAP from the first, because the tests around it
 * follow there; without any, the last lines.
 */
export function tellingLines(output: string): readonly string[] {
  const lines = stripVTControlCharacters(output)
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const isFailed = (line: string) => nameIn(line) !== undefined;
  const first = lines.findIndex((line) => isFailed(line));
  if (first < 0) return lines.slice(-MOST_LINES);
  const isTap = lines[first]?.trimStart().startsWith('not ok ') === true;
  const start = isTap ? first : lines.findLastIndex((line) => isFailed(line));
  return lines.slice(start, start + MOST_LINES);
}

function nameIn(line: string): string | undefined {
  for (const pattern of FAILED) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined) return NO_FAILURE.test(name) ? undefined : name.replace(DURATION, '').trimEnd();
  }
  return undefined;
}
