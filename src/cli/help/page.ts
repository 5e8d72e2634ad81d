import type { CommandTable } from '../commands/table.js';
import type { Command } from '../program/declaration.js';
import { argumentText, COMMON_OPTIONS, flagsOf } from '../program/declaration.js';
import type { EnvironmentFact } from './environment.js';
import { COLOURS, environmentOf } from './environment.js';
import type { ExitStatus } from './exit-statuses.js';
import { exitStatusesOf, generalExits } from './exit-statuses.js';
import { wrap } from '../terminal/text.js';
import { PROGRAM } from '../../text/program-name.js';
import { helpGroups } from './groups.js';

/** The program in the titles of pages, whatever it is called as. */
const NAME = 'sandbox';

export interface HelpLine {
  readonly name: string;
  readonly summary: string;
  /** The title of its group, in the overview. */
  readonly group?: string;
}

/** A help page for a command, a group or everything, as `help --json` prints it; missing sections are empty. */
export interface HelpPage {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly description: string;
  readonly commands: readonly HelpLine[];
  readonly options: readonly { readonly flags: string; readonly description: string }[];
  readonly environment: readonly EnvironmentFact[];
  readonly files: readonly { readonly path: string; readonly holds: string }[];
  readonly exit_status: readonly ExitStatus[];
  readonly examples: readonly string[];
  readonly see_also: readonly string[];
}

const COLUMNS = 80;
const INDENT = '    ';
/** A longer term gets its own line. */
const LONGEST_TERM = 26;
const GAP = 2;
const HELP_OPTION = { flags: '--help', description: 'print the usage and exit' };
/** The examples of the overview page. */
const FIRST_STEPS = ['start', 'listen', 'trigger', 'verify'];

/** Files that commands read and write by themselves. */
const FILES: HelpPage['files'] = [
  {
    path: 'sandbox.config.json',
    holds: `settings of a project, beside its package.json; \`${PROGRAM} config --schema\` describes it`,
  },
  {
    path: '~/.local/state/pix-sandbox/<project>-<sandbox>.json',
    holds:
      'the run file of a running sandbox: where it answers, and the token of its control API; below XDG_STATE_HOME where it is set, in ~/Library/Application Support on macOS',
  },
  {
    path: '~/.local/state/pix-sandbox/<project>.log',
    holds: 'the output of a sandbox that was started with --detach',
  },
  {
    path: '~/.cache/pix-sandbox/',
    holds:
      'compiled code, on Node 22.8 and newer; below XDG_CACHE_HOME where it is set, in ~/Library/Caches on macOS; unused where others can write, and with NODE_DISABLE_COMPILE_CACHE=1',
  },
];

/** The overview page: the commands and groups, or with `all` every command, and exit codes, files and common options. */
export function overviewPage(table: CommandTable, all = false): HelpPage {
  return {
    name: NAME,
    summary: 'a local PIX payments sandbox and webhook CLI',
    usage: `${PROGRAM} <command> [options] [arguments]`,
    description:
      'Runs the whole TEST environment on this machine: charges, withdrawals, identity sessions, and webhooks that are signed, retried and dead-lettered as the service does it. Results are printed on stdout, everything else on stderr; with --json, stdout carries one object, or for a stream one object per line, the first of type `ready`. An id may be shortened to four digits or more that begin no other, such as evt_1a2b or 1a2b; what deletes takes it whole.',
    commands: helpGroups(table).flatMap(({ title, folders }) =>
      folders.flatMap(([name, { about, commands }]) =>
        about === undefined || all
          ? commands.map((command) => ({ name: command.name, summary: command.summary, group: title }))
          : [{ name, summary: about, group: title }],
      ),
    ),
    options: [{ flags: '--version', description: 'print the version' }, HELP_OPTION, ...COMMON_OPTIONS],
    environment: COLOURS,
    files: FILES,
    exit_status: generalExits(),
    examples: FIRST_STEPS.flatMap((name) =>
      table.commands.filter((command) => command.name === name).flatMap(firstExample),
    ),
    see_also: [`${PROGRAM} help <command>`, `${PROGRAM} help --all`, `${PROGRAM} doctor`],
  };
}

export function groupPage(name: string, table: CommandTable): HelpPage {
  const { about = '', commands = [] } = table.folders.get(name) ?? {};
  return {
    name: `${NAME} ${name}`,
    summary: about,
    usage: `${PROGRAM} ${name} <command> [options] [arguments]`,
    description: `\`${PROGRAM} help ${name} <command>\` tells more about each.`,
    commands: commands.map((command) => ({ name: command.name, summary: command.summary })),
    options: [],
    environment: [],
    files: [],
    exit_status: [],
    examples: commands.flatMap(firstExample),
    see_also: linesOf(relatedTo(name, table)),
  };
}

export function commandPage(command: Command, table: CommandTable): HelpPage {
  const { name, summary, description = '', args, options } = command;
  const words = Object.entries(args).map(([word, argument]) => argumentText(word, argument));
  return {
    name: `${NAME} ${name}`,
    summary,
    usage: [PROGRAM, name, '[options]', ...words].join(' '),
    description: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. ${description}`.trimEnd(),
    commands: [],
    options: [...optionLines(options), ...COMMON_OPTIONS, HELP_OPTION],
    environment: environmentOf(command),
    files: [],
    exit_status: exitStatusesOf(command),
    examples: command.examples.map((example) => callOf(name, example)),
    see_also: linesOf(relatedTo(name, table)),
  };
}

/** A page as text: at most 80 columns, unless a word or an example is longer. */
export function pageText(page: HelpPage): string {
  const { name, summary, usage, description } = page;
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['NAME', paragraph(`${name} – ${summary}`)],
    ['SYNOPSIS', [INDENT + usage]],
    ['DESCRIPTION', paragraph(description)],
    ['COMMANDS', commandLines(page.commands)],
    ['OPTIONS', terms(page.options.map((option) => [option.flags, option.description]))],
    ['ENVIRONMENT', terms(page.environment.map((fact) => [fact.name, fact.meaning]))],
    ['FILES', terms(page.files.map(({ path, holds }) => [path, holds]))],
    ['EXIT STATUS', terms(page.exit_status.map(({ code, meaning }) => [code, meaning]))],
    ['EXAMPLES', page.examples.map((example) => INDENT + example)],
    ['SEE ALSO', listing(page.see_also)],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines].join('\n'))
    .join('\n\n');
}

/** Commands with their summaries, below the title of their group where they have one. */
function commandLines(commands: readonly HelpLine[]): readonly string[] {
  const all = commands.map((one) => [one.name, one.summary] as const);
  const titles = [...new Set(commands.map(({ group }) => group))];
  return titles.flatMap((title, index) => {
    const lines = terms(
      all.filter((_, at) => commands[at]?.group === title),
      widthFor(all),
    );
    const heading = title === undefined ? [] : [`  ${title}`];
    return (index === 0 ? heading : ['', ...heading]).concat(lines);
  });
}

function optionLines(options: Command['options']): HelpPage['options'] {
  return Object.entries(options).map(([key, option]) => ({
    flags: flagsOf(key, option),
    description: option.repeats === true ? `${option.description}; may be repeated` : option.description,
  }));
}

function firstExample({ name, examples: [first = ''] }: Command): string {
  return callOf(name, first);
}

function callOf(name: string, example: string): string {
  return `${PROGRAM} ${name} ${example}`.trimEnd();
}

/** Related commands and groups, each once, without the page's own. */
function relatedTo(name: string, { folders, commands }: CommandTable): readonly string[] {
  const [first = name] = name.split(' ');
  const folder = folders.get(first);
  const command = commands.find((one) => one.name === name);
  const siblings = first === name ? [] : (folder?.commands.map((one) => one.name) ?? []);
  const further = command?.related ?? folder?.related ?? [];
  const related = [...siblings, ...further].filter((other) => other !== name);
  return related.length > 0 ? [...new Set(related)] : ['help'];
}

function linesOf(names: readonly string[]): readonly string[] {
  return names.map((name) => `${PROGRAM} ${name}`);
}

function paragraph(text: string): readonly string[] {
  return wrap(text, COLUMNS - INDENT.length).map((line) => INDENT + line);
}

/** A list of names, wrapped between names. */
function listing(names: readonly string[]): readonly string[] {
  const unbroken = names.map((name) => name.replaceAll(' ', '\u00a0'));
  return paragraph(unbroken.join(', ')).map((line) => line.replaceAll('\u00a0', ' '));
}

type Term = readonly [term: string, meaning: string];

/** The columns of the terms that are short enough to stand beside their meanings. */
function widthFor(pairs: readonly Term[]): number {
  const lengths = pairs.map(([term]) => term.length).filter((length) => length <= LONGEST_TERM);
  return Math.max(0, ...lengths) + GAP;
}

/** Terms with their meanings, on the same line if the term is short enough. */
function terms(pairs: readonly Term[], width = widthFor(pairs)): readonly string[] {
  const left = INDENT.length + width;
  return pairs.flatMap(([term, meaning]) => {
    const lines = wrap(meaning, COLUMNS - left).map((line) => ' '.repeat(left) + line);
    if (term.length > LONGEST_TERM) return [INDENT + term, ...lines];
    const [first = '', ...rest] = lines;
    return [`${INDENT}${term.padEnd(width)}${first.slice(left)}`.trimEnd(), ...rest];
  });
}
