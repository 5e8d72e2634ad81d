import type { CommandTable } from '../commands/table.js';
import { COMMON_OPTIONS } from '../program/declaration.js';
import { wrap } from '../terminal/text.js';
import { PROGRAM } from '../../text/program-name.js';
import { helpGroups } from './groups.js';

const WIDEST = 80;
const GAP = 3;
/** With less room beside the terms, their texts stand below them. */
const LEAST_ROOM = 24;

type Pair = readonly [term: string, text: string];

const FIRST: readonly Pair[] = [
  [`${PROGRAM} start --forward-to 3000`, 'run the service for your code'],
  [`${PROGRAM} trigger pix.settled`, 'have a charge paid'],
  ['http://localhost:7490', 'see what happens'],
];

const FURTHER: readonly Pair[] = [
  [`${PROGRAM} help <command>`, 'what it does, with options and examples'],
  [`${PROGRAM} help --all`, 'every command in a line of its own'],
];

/** What `help` prints: commands by purpose. It fits a terminal of 80 x 24; 0 columns are no terminal. */
export function overviewText(table: CommandTable, columns = 0): string {
  const width = Math.min(columns === 0 ? WIDEST : columns, WIDEST);
  const groups = helpGroups(table).map(({ title, folders }): Pair => [
    title,
    folders.map(([name]) => name).join(', '),
  ]);
  const flags = COMMON_OPTIONS.map(({ flags }) => flags.replace(' ', '\u00a0')).join(', ');
  return [
    ...wrap('A local PIX payments sandbox and webhook CLI.', width),
    '',
    `Usage: ${PROGRAM} <command> [options]`,
    '',
    'To begin:',
    ...pairs(FIRST, width, '  '),
    '',
    ...pairs(groups, width, ''),
    '',
    ...pairs(FURTHER, width, ''),
    ...wrap(`Every command takes ${flags}.`, width).map((line) => line.replaceAll('\u00a0', ' ')),
  ].join('\n');
}

/** Terms with their texts beside them, or below them on a narrow terminal. */
function pairs(rows: readonly Pair[], width: number, indent: string): readonly string[] {
  const left = indent.length + Math.max(...rows.map(([term]) => term.length)) + GAP;
  const isBeside = width - left >= LEAST_ROOM;
  return rows.flatMap(([term, text]) => {
    const hang = isBeside ? ' '.repeat(left) : `${indent}    `;
    const lines = wrap(text, width - hang.length).map((line) => hang + line);
    if (!isBeside) return [indent + term, ...lines];
    return [(indent + term).padEnd(left) + (lines[0] ?? '').slice(left), ...lines.slice(1)];
  });
}
