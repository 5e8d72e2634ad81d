import { COMMON_OPTIONS, type CommandTable, GROUPS } from '../commands/table.js';
import type { Command } from '../program/declaration.js';
import { generalExits } from '../program/errors.js';
import { commandPage } from './page.js';

const COMMON = new Set<string>([...COMMON_OPTIONS.map(({ flags }) => flags), '--help']);

/** One page about every command, for a search or a reader that takes it whole. */
export function allMarkdown(table: CommandTable): string {
  const groups = Object.entries(GROUPS).map(([title, folders]) => {
    const commands = Object.keys(folders).flatMap((name) => table.folders.get(name)?.commands ?? []);
    return [`## ${title}`, ...commands.map((command) => commandMarkdown(command, table))].join('\n\n');
  });
  return [
    '# Every command',
    '`npx sandbox help --all --format markdown` prints this page. Every command also takes these options:',
    tableOf('Option', [
      ...COMMON_OPTIONS.map(({ flags, description }) => [`\`${flags}\``, description]),
      ['`--help`', 'print the help of the command'],
    ]),
    'Its exit code is one of these; what one means for a command in particular stands with the command.',
    tableOf(
      'Exit code',
      generalExits().map(({ code, meaning }) => [`\`${code}\``, meaning]),
    ),
    ...groups,
  ].join('\n\n');
}

/** The section about a command: purpose, usage, options, exit codes that mean something else than in general, examples. */
export function commandMarkdown(command: Command, table: CommandTable): string {
  const page = commandPage(command, table);
  const options = page.options.filter(({ flags }) => !COMMON.has(flags));
  const general = generalExits();
  const exits = page.exit_status.map(({ code, meaning }) => {
    const isGeneral = general.some((exit) => exit.code === code && exit.meaning === meaning);
    return isGeneral ? `\`${code}\`` : `\`${code}\` (${escaped(meaning)})`;
  });
  const rows = options.map(({ flags, description }) => [`\`${flags}\``, description]);
  return [
    `### ${command.name}`,
    escaped(page.description),
    `Usage: \`${page.usage}\``,
    ...(rows.length === 0 ? [] : [tableOf('Option', rows)]),
    `Exit codes: ${exits.join(', ')}.`,
    ['```sh', ...page.examples, '```'].join('\n'),
  ].join('\n\n');
}

/** The section about a group, and those of its commands. */
export function groupMarkdown(name: string, table: CommandTable): string {
  const { about = '', commands = [] } = table.folders.get(name) ?? {};
  const sections = commands.map((command) => commandMarkdown(command, table));
  return [`## ${name}`, escaped(`${about}.`), ...sections].join('\n\n');
}

function tableOf(term: string, rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |`);
  return [`| ${term} | Meaning |`, '|---|---|', ...lines].join('\n');
}

/** Text for a line or a cell of Markdown; what is in backticks is code, where only bars count. */
function escaped(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[<*_]/g, String.raw`\$&`)))
    .join('`')
    .replaceAll('|', String.raw`\|`);
}
