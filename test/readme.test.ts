import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { REFUSALS } from '../src/contract/refusals.js';

const ROOT = new URL('../', import.meta.url);
const LONGEST = 200;

function read(name: string): string {
  return readFileSync(fileURLToPath(new URL(name, ROOT)), 'utf8');
}

test(`the README has at most ${LONGEST} lines`, () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST);
});

test('INTERFACE.md names every error code that a door answers, with its status', () => {
  const errors = read('INTERFACE.md').split('## 7. Errors')[1]?.split('\n## ')[0] ?? '';
  const missing = Object.entries(REFUSALS).filter(
    ([code, { status }]) => !errors.includes(`\`${code}\``) || !errors.includes(String(status)),
  );
  expect(missing).toEqual([]);
});
