import type { Check } from './check.js';
import type { Io } from '../../program/io.js';
import { oneLine, wrap } from '../../terminal/text.js';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const STATUS_COLUMNS = 6;
const NAME_COLUMNS = 13;
const LEAST_COLUMNS = 20;

/** A line for each check, with the advice below it. */
export function checkupText(io: Io, checks: readonly Check[]): string {
  return checks.flatMap((check) => checkLines(io, check)).join('\n');
}

function checkLines({ colour, columns }: Io, { name, status, message, advice }: Check): readonly string[] {
  const indent = STATUS_COLUMNS + NAME_COLUMNS;
  const width = columns === 0 ? 0 : Math.max(columns - indent, LEAST_COLUMNS);
  const head = colour[COLOURS[status]](status) + ' '.repeat(STATUS_COLUMNS - status.length);
  const texts = [message, ...(advice === undefined ? [] : [`→ ${advice}`])];
  const lines = texts.flatMap((text) => wrap(oneLine(text, 0), width));
  return lines.map(
    (line, index) => (index === 0 ? head + name.padEnd(NAME_COLUMNS) : ' '.repeat(indent)) + line,
  );
}
