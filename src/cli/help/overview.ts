import { COMMON_OPTIONS, GROUPS } from '../commands/table.js';

/** What `help` prints: commands by purpose. It fits a terminal of 80 x 24, and loads no declaration. */
export function overviewText(program: string): string {
  const groups = Object.entries(GROUPS).map(([title, folders]) => [title, Object.keys(folders).join(', ')]);
  const first = [
    [`  ${program} start --forward-to 3000`, 'run the service for your code'],
    [`  ${program} trigger pix.settled`, 'have a charge paid'],
    ['  http://localhost:7490', 'see what happens'],
  ];
  const further = [
    [`${program} help <command>`, 'what it does, with options and examples'],
    [`${program} help --all`, 'every command in a line of its own'],
  ];
  return [
    'A local PIX payments sandbox and webhook CLI.',
    '',
    `Usage: ${program} <command> [options]`,
    '',
    'To begin:',
    ...columns(first),
    '',
    ...columns(groups),
    '',
    ...columns(further),
    `Every command takes ${COMMON_OPTIONS.map(({ flags }) => flags).join(', ')}.`,
  ].join('\n');
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.max(...rows.map(([term = '']) => term.length)) + 3;
  return rows.map(([term = '', text = '']) => term.padEnd(width) + text);
}
