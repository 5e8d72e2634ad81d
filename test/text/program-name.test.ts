import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withProgramName } from '../../src/text/program-name.js';

const SRC = join(import.meta.dirname, '../../src');

test('texts name the program as it was started', () => {
  expect(withProgramName('`npx sandbox env`, then `npx sandbox stop`.', 'pnpm sandbox')).toBe(
    '`pnpm sandbox env`, then `pnpm sandbox stop`.',
  );
  expect(withProgramName('`npx sandbox env`')).toBe('`npx sandbox env`');
});

test('source texts use one program name; another version has to be downloaded', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const others = files.filter((file) => /npx pix-sandbox(?!@)/.test(readFileSync(join(SRC, file), 'utf8')));
  expect(others).toEqual([]);
});
