import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ROOMS, roomsMarkdown } from './helpers/source/rooms.js';

const ROOT = new URL('../', import.meta.url);
const FILE = fileURLToPath(new URL('ARCHITECTURE.md', ROOT));
const TABLE = /(?<=<!-- rooms:begin -->\n)[^]*(?=\n<!-- rooms:end -->)/;

test('every directory and file of src is in the table of rooms', () => {
  const names = readdirSync(new URL('src', ROOT)).filter((name) => !name.endsWith('.d.ts'));
  expect(new Set(Object.keys(ROOMS))).toEqual(new Set(names.map((name) => name.replace(/\.ts$/, ''))));
});

test('ARCHITECTURE.md shows the table of rooms that imports follow (UPDATE_DOCS=1 writes it)', () => {
  const text = readFileSync(FILE, 'utf8');
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(FILE, text.replace(TABLE, roomsMarkdown));
  expect(TABLE.exec(readFileSync(FILE, 'utf8'))?.[0]).toBe(roomsMarkdown());
});
