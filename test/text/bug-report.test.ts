import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toCommandError } from '../../src/cli/commands/mcp/run-tool.js';
import { listGeneralExits } from '../../src/cli/program/errors.js';
import { BUG_HINT } from '../../src/text/bug-report.js';

const ROOT = join(import.meta.dirname, '../..');

test('an internal error states where to report it', () => {
  expect(BUG_HINT).toBe('Report it with the complete output: `npm bugs pix-sandbox`');
  expect(listGeneralExits().find(({ code }) => code === '70')?.meaning).toContain(BUG_HINT);
  expect(toCommandError(new TypeError('x is not a function'), { program: 'sandbox' }).hint).toContain(
    BUG_HINT,
  );
});

test('no text calls something a bug in the sandbox, or asks to report it, without the place', () => {
  const paths = ['src', 'bin', 'fixtures/guides'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const lines = paths
    .filter((path) => /\.(?:tsx?|js|md)$/.test(path))
    .flatMap((path) => readFileSync(join(ROOT, path), 'utf8').split('\n'))
    .filter((line) =>
      /\bbug in (?:the sandbox|pix-sandbox)\b|\breport (?:the|this|a|it as a) .*\bbug\b/i.test(line),
    );
  const placed = (line: string) => /BUG_HINT|npm bugs|\$\{hint\}/.test(line);
  expect(lines.length).toBeGreaterThan(7);
  expect(lines.filter((line) => !placed(line))).toEqual([]);
});
