import type { CommandTable } from '../commands/table.js';
import { COMMON_OPTIONS, GROUPS } from '../commands/table.js';
import type { Command } from '../program/declaration.js';
import { exitStatusesOf, generalExits } from '../program/errors.js';
import type { HelpPage } from './page.js';
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
    tableOf('Option', 'Meaning', [
      ...COMMON_OPTIONS.map(rowOf),
      ['`--help`', 'print the help of the command'],
    ]),
    'Its exit code is one of these; what one means for a command in particular stands with the command.',
    tableOf(
      'Exit code',
      'Meaning',
      generalExits().map(({ code, meaning }) => [`\`${code}\``, meaning]),
    ),
    ...groups,
  ].join('\n\n');
}

/** The section about a command: purpose, usage, options, exit codes, examples. */
export function commandMarkdown(command: Command, table: CommandTable): string {
  const page = commandPage(command, table);
  const options = page.options.filter(({ flags }) => !COMMON.has(flags)).map(rowOf);
  return [
    `### ${command.name}`,
    escaped(page.description),
    `Usage: \`${page.usage}\``,
    ...(options.length === 0 ? [] : [tableOf('Option', 'Meaning', options)]),
    `Exit codes: ${exitsOf(command)}.`,
    examplesOf(page),
  ].join('\n\n');
}

/** The section about a group, and those of its commands. */
export function groupMarkdown(name: string, table: CommandTable): string {
  const { about = '', commands = [] } = table.folders.get(name) ?? {};
  return [`## ${name}`, escaped(`${about}.`), ...commands.map((one) => commandMarkdown(one, table))].join(
    '\n\n',
  );
}

function rowOf({ flags, description }: HelpPage['options'][number]): readonly [string, string] {
  return [`\`${flags}\``, description];
}

/** The codes, and the meaning of those that mean something else than in general. */
function exitsOf(command: Command): string {
  const general = new Map(generalExits().map(({ code, meaning }) => [code, meaning]));
  return exitStatusesOf(command)
    .map(({ code, meaning }) =>
      general.get(code) === meaning ? `\`${code}\`` : `\`${code}\` (${escaped(meaning)})`,
    )
    .join(', ');
}

function examplesOf({ examples }: HelpPage): string {
  return ['```sh', ...examples, '```'].join('\n');
}

function tableOf(
  term: string,
  meaning: string,
  rows: readonly (readonly [term: string, meaning: string])[],
): string {
  const lines = rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |`);
  return [`| ${term} | ${meaning} |`, '|---|---|', ...lines].join('\n');
}

/** Text for a line or a cell of Markdown; what is in backticks is code, where only bars count. */
function escaped(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[<*_]/g, String.raw`\$&`)))
    .join('`')
    .replaceAll('|', String.raw`\|`);
}
