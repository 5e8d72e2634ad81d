import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { RegisterLine } from '../src/contract/assumption-register.js';
import { assumptionRegister } from '../src/contract/assumption-register.js';
import { assume } from '../src/contract/assumptions.js';
import { REFUSALS } from '../src/contract/refusals.js';

const README = fileURLToPath(new URL('../README.md', import.meta.url));
const BEGIN = '<!-- assumptions:begin -->\n';
const END = '\n<!-- assumptions:end -->';

/** The register as a Markdown table. */
function registerMarkdown(lines: readonly RegisterLine[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = lines.map(({ id, section, question, value, choices, reason }) =>
    [`\`${id}\``, section, question, value, choices ?? '', reason].map(cell).join(' | '),
  );
  return [
    '| Id | Contract | Question | Assumed | May be | Why |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

test('the assumptions table of the README is the register (`npm run docs` writes it)', () => {
  const readme = readFileSync(README, 'utf8');
  const [before = '', rest = ''] = readme.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const wanted = `${before}${BEGIN}${registerMarkdown(assumptionRegister(assume()))}${END}${after}`;
  if (process.env.UPDATE_README) writeFileSync(README, wanted);
  expect(readFileSync(README, 'utf8')).toBe(wanted);
});

test('INTERFACE.md names every error code that a door answers, with its status', () => {
  const contract = readFileSync(fileURLToPath(new URL('../INTERFACE.md', import.meta.url)), 'utf8');
  const errors = contract.split('## 7. Errors')[1]?.split('\n## ')[0] ?? '';
  const missing = Object.entries(REFUSALS).filter(
    ([code, { status }]) => !errors.includes(`\`${code}\``) || !errors.includes(String(status)),
  );
  expect(missing).toEqual([]);
});
