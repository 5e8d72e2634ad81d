import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MODULES, formatModuleTable } from './helpers/source/modules.js';

const ROOT = new URL('../', import.meta.url);
const FILE = fileURLToPath(new URL('ARCHITECTURE.md', ROOT));
const TABLE = /(?<=<!-- modules:begin -->\n)[^]*(?=\n<!-- modules:end -->)/;

test('every directory and file of src is in the table of modules', () => {
  const names = readdirSync(new URL('src', ROOT)).filter((name) => !name.endsWith('.d.ts'));
  expect(new Set(Object.keys(MODULES))).toEqual(new Set(names.map((name) => name.replace(/\.ts$/, ''))));
});

test('ARCHITECTURE.md shows the table of modules that imports follow (UPDATE_DOCS=1 writes it)', () => {
  const text = readFileSync(FILE, 'utf8');
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(FILE, text.replace(TABLE, formatModuleTable));
  expect(TABLE.exec(readFileSync(FILE, 'utf8'))?.[0]).toBe(formatModuleTable());
});
