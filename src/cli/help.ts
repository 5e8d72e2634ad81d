import { Help } from 'commander';
import { getEnvironmentName, getSettingFlag, SETTINGS } from '../config/settings.js';
import { withProgramName, PROGRAM_NAME } from '../text/program-name.js';
import {
  type CommandTable,
  COMMON_OPTIONS,
  loadCommands,
  COMMAND_GROUPS,
  renderOverview,
} from './commands/table.js';
import type { help } from './declarations/setup.js';
import {
  type ExitStatus,
  listExitStatuses,
  listGeneralExits,
  suggestCommands,
  parseChoice,
  createUsageError,
} from './program/errors.js';
import {
  formatArgument,
  type BodyOf,
  type CommandDeclaration,
  type EnvironmentFact,
  formatFlags,
  listNames,
} from './program/declaration.js';

/** The program name in page titles, independent of how the CLI was started. */
const NAME = 'sandbox';

interface HelpLine {
  readonly name: string;
  readonly summary: string;
  /** The group's title in the overview. */
  readonly group?: string;
}

/** A help page, as printed by `help --json`. Missing sections are empty. */
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

const CONNECTION_VARIABLES: readonly EnvironmentFact[] = [
  { name: 'SANDBOX_URL', meaning: 'the sandbox to use; same as --url' },
  { name: 'SANDBOX_CONTROL_TOKEN', meaning: 'the control API token, if required' },
];

/** Variables read by every command. */
const COLORS: readonly EnvironmentFact[] = [
  { name: 'NO_COLOR', meaning: 'print without colors; same as --no-color' },
  { name: 'FORCE_COLOR', meaning: 'print colors even to a pipe; 0 disables colors' },
];

/** Lists a command's environment variables for settings, sandbox connections and colors. */
function environmentOf(command: CommandDeclaration): readonly EnvironmentFact[] {
  const { name, environment = [] } = command;
  const twins = SETTINGS.filter(
    ({ commands }) => name === 'config' || commands.some((one) => one === name),
  ).map((setting) => ({ name: getEnvironmentName(setting), meaning: `same as ${getSettingFlag(setting)}` }));
  const asks = listExitStatuses(command).some(({ code }) => code === '3');
  return [...twins, ...environment, ...(asks ? CONNECTION_VARIABLES : []), ...COLORS];
}

/** Default values for a page's optional sections. */
const EMPTY = { commands: [], options: [], environment: [], files: [], exit_status: [], examples: [] };

const HELP_OPTION = { flags: '--help', description: 'print the usage and exit' };
/** Commands shown as examples in the overview. */
const FIRST_STEPS = new Set(['start', 'listen', 'trigger', 'verify']);

/** Files that commands read or write automatically. */
const FILES: HelpPage['files'] = [
  {
    path: 'sandbox.config.json',
    holds: `project settings, next to package.json; \`${PROGRAM_NAME} config --schema\` prints the JSON Schema`,
  },
  {
    path: '~/.local/state/pix-sandbox/<project>-<sandbox>.json',
    holds:
      'a running sandbox’s run file with its URL and control API token; ' +
      'stored in XDG_STATE_HOME if set, or in ~/Library/Application Support on macOS',
  },
  {
    path: '~/.local/state/pix-sandbox/<project>.log',
    holds: 'the output of a sandbox started with --detach',
  },
  {
    path: '~/.cache/pix-sandbox/',
    holds:
      'the compile cache (Node 22.8 and newer); stored in XDG_CACHE_HOME if set, or in ' +
      '~/Library/Caches on macOS; not used if other users can write there, or with ' +
      'NODE_DISABLE_COMPILE_CACHE=1',
  },
];

/** Creates the overview page, which lists groups or, with `all`, every command. */
export function createOverviewPage(table: CommandTable, all = false): HelpPage {
  const firstSteps = table.commands.filter(({ name }) => FIRST_STEPS.has(name));
  return {
    ...EMPTY,
    name: NAME,
    summary: 'a local PIX payments sandbox and webhook CLI',
    usage: `${PROGRAM_NAME} <command> [options] [arguments]`,
    description:
      'Runs the entire TEST environment on this machine: charges, withdrawals, identity ' +
      'sessions, and webhooks that are signed, retried and dead-lettered as in the hosted ' +
      'environment. Results are printed on stdout, everything else on stderr. With --json, stdout ' +
      'contains one object. Streams print one object per line, the first of type `ready`. Ids ' +
      'can be shortened to a unique prefix of at least four digits, such as evt_1a2b or ' +
      '1a2b; delete commands require the full id. latest stands for the newest charge, event, ' +
      'delivery etc., and the code of a payment for the payment, or its newest event, delivery ' +
      'or API request. A code equal to latest wins.',
    commands: Object.entries(COMMAND_GROUPS).flatMap(([group, folders]) =>
      Object.keys(folders).flatMap((name): readonly HelpLine[] => {
        const { about, commands = [] } = table.folders.get(name) ?? {};
        if (about !== undefined && !all) return [{ name, summary: about, group }];
        return commands.map((command) => ({ name: command.name, summary: command.summary, group }));
      }),
    ),
    options: [{ flags: '--version', description: 'print the version' }, HELP_OPTION, ...COMMON_OPTIONS],
    environment: COLORS,
    files: FILES,
    exit_status: listGeneralExits(),
    examples: firstSteps.flatMap(firstExample),
    see_also: linesOf(['help <command>', 'help --all', 'doctor']),
  };
}

export function createGroupPage(name: string, table: CommandTable): HelpPage {
  const { about = '', commands = [] } = table.folders.get(name) ?? {};
  return {
    ...EMPTY,
    name: `${NAME} ${name}`,
    summary: about,
    usage: `${PROGRAM_NAME} ${name} <command> [options] [arguments]`,
    description: `Run \`${PROGRAM_NAME} help ${name} <command>\` for details.`,
    commands: commands.map((command) => ({ name: command.name, summary: command.summary })),
    examples: commands.flatMap(firstExample),
    see_also: linesOf(relatedTo(name, table)),
  };
}

export function createCommandPage(command: CommandDeclaration, table: CommandTable): HelpPage {
  const { name, summary, description = '', args, aliases = {} } = command;
  const words = Object.entries(args).map(([word, argument]) => formatArgument(word, argument));
  const own = Object.entries(command.options).map(([key, option]) => ({
    flags: formatFlags(key, option),
    description: [
      option.description,
      ...(option.repeats === true ? ['can be repeated'] : []),
      ...(option.alias === undefined ? [] : [`also ${option.alias}`]),
    ].join('; '),
  }));
  const also = Object.keys(aliases).length === 0 ? '' : ` Also: ${Object.keys(aliases).join(', ')}.`;
  return {
    ...EMPTY,
    name: `${NAME} ${name}`,
    summary,
    usage: [PROGRAM_NAME, name, '[options]', ...words].join(' '),
    description: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. ${description}`.trimEnd() + also,
    options: [...own, ...COMMON_OPTIONS, HELP_OPTION],
    environment: environmentOf(command),
    exit_status: listExitStatuses(command),
    examples: command.examples.map((example) => `${PROGRAM_NAME} ${name} ${example}`.trimEnd()),
    see_also: linesOf(relatedTo(name, table)),
  };
}

function firstExample({ name, examples: [first = ''] }: CommandDeclaration): string {
  return `${PROGRAM_NAME} ${name} ${first}`.trimEnd();
}

/** Lists related commands and groups without duplicates, excluding `name`. */
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
  return names.map((name) => `${PROGRAM_NAME} ${name}`);
}

const COLUMNS = 80;
/** Maximum term width in columns. Longer terms get a separate line. */
const LONGEST_TERM = 28;

/** Renders a page as text, at most 80 columns wide unless a word or an example is longer. */
export function renderPage(page: HelpPage): string {
  const help = new Help();
  help.prepareContext({ helpWidth: COLUMNS });
  const list = (title: string, pairs: readonly (readonly [term: string, meaning: string])[]) => {
    const width = Math.max(0, ...pairs.map(([term]) => term.length).filter((one) => one <= LONGEST_TERM));
    const items = pairs.flatMap(([term, meaning]) => {
      if (meaning === '') return [`  ${term}`];
      return term.length > LONGEST_TERM
        ? [`  ${term}`, help.formatItem('', width, meaning, help)]
        : [help.formatItem(term, width, meaning, help)];
    });
    return help.formatItemList(`${title}:`, items, help);
  };
  const titles = new Set(page.commands.map(({ group = 'Commands' }) => group));
  const pairs = <Row>(rows: readonly Row[], term: keyof Row, meaning: keyof Row) =>
    rows.map((row): [string, string] => [String(row[term]), String(row[meaning])]);
  const lines = (items: readonly string[]) => items.map((item): [string, string] => [item, '']);
  return [
    `Usage: ${page.usage}`,
    '',
    help.boxWrap(page.description, COLUMNS),
    '',
    ...[...titles].flatMap((title) => {
      const commands = page.commands.filter(({ group = 'Commands' }) => group === title);
      return list(title, pairs(commands, 'name', 'summary'));
    }),
    ...list('Options', pairs(page.options, 'flags', 'description')),
    ...list('Environment', pairs(page.environment, 'name', 'meaning')),
    ...list('Files', pairs(page.files, 'path', 'holds')),
    ...list('Exit codes', pairs(page.exit_status, 'code', 'meaning')),
    ...list('Examples', lines(page.examples)),
    ...list('See also', lines(page.see_also)),
  ]
    .join('\n')
    .trimEnd();
}

const COMMON = new Set<string>([...COMMON_OPTIONS.map(({ flags }) => flags), '--help']);

/** Renders every command on one page, e.g. for searching. */
function allMarkdown(table: CommandTable): string {
  const groups = Object.entries(COMMAND_GROUPS).map(([title, folders]) => {
    const commands = Object.keys(folders).flatMap((name) => table.folders.get(name)?.commands ?? []);
    return [`## ${title}`, ...commands.map((command) => commandMarkdown(command, table))].join('\n\n');
  });
  return [
    '# Every command',
    '`npx sandbox help --all --format markdown` prints this page. Every command also accepts these options:',
    tableOf('Option', [
      ...COMMON_OPTIONS.map(({ flags, description }) => [`\`${flags}\``, description]),
      ['`--help`', 'print help for the command'],
    ]),
    'All commands use these exit codes; each command’s section lists specific meanings.',
    tableOf(
      'Exit code',
      listGeneralExits().map(({ code, meaning }) => [`\`${code}\``, meaning]),
    ),
    ...groups,
  ].join('\n\n');
}

/** Renders a command's section. Explains only exit codes with a command-specific meaning. */
function commandMarkdown(command: CommandDeclaration, table: CommandTable): string {
  const page = createCommandPage(command, table);
  const options = page.options.filter(({ flags }) => !COMMON.has(flags));
  const general = listGeneralExits();
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

function groupMarkdown(name: string, table: CommandTable): string {
  const { about = '', commands = [] } = table.folders.get(name) ?? {};
  const sections = commands.map((command) => commandMarkdown(command, table));
  return [`## ${name}`, escaped(`${about}.`), ...sections].join('\n\n');
}

function tableOf(term: string, rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |`);
  return [`| ${term} | Meaning |`, '|---|---|', ...lines].join('\n');
}

/** Escapes Markdown in a line or table cell. Inside code spans, escapes only `|`. */
function escaped(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[<*_]/g, String.raw`\$&`)))
    .join('`')
    .replaceAll('|', String.raw`\|`);
}

export const showHelp: BodyOf<typeof help> = async ({ io, args, options }) => {
  const { all, format } = options;
  if (all && args.command.length > 0) {
    throw createUsageError(
      'help accepts a command or --all, not both.',
      `Omit --all or ${args.command.join(' ')}.`,
    );
  }
  const table = await loadCommands();
  const name = args.command.length === 0 ? undefined : nameOf(args.command, table);
  const called = (text: string) => withProgramName(text, io.program);
  const pages = all ? { pages: table.commands.map((command) => createCommandPage(command, table)) } : {};
  const page = { ...pageOf(name, table, all), ...pages };
  const calledPage = JSON.parse(called(JSON.stringify(page))) as HelpPage;
  io.emit(calledPage);
  if (format === 'markdown') io.say(called(markdownOf(name, table)));
  else if (name === undefined && !all) io.say(renderOverview(io.program));
  else io.say(renderPage(calledPage));
};

function pageOf(name: string | undefined, table: CommandTable, all: boolean): HelpPage {
  if (name === undefined) return createOverviewPage(table, all);
  const command = table.commands.find((one) => one.name === name);
  return command === undefined ? createGroupPage(name, table) : createCommandPage(command, table);
}

function markdownOf(name: string | undefined, table: CommandTable): string {
  if (name === undefined) return allMarkdown(table);
  const command = table.commands.find((one) => one.name === name);
  return command === undefined ? groupMarkdown(name, table) : commandMarkdown(command, table);
}

/** Resolves words to a group or command name. Throws a usage error with suggestions for an unknown name. */
function nameOf(words: readonly string[], { folders, commands }: CommandTable): string {
  const [first = ''] = words;
  const isGroup = folders.get(first)?.about !== undefined;
  const all = [...new Set([...folders.keys(), ...commands.map(({ name }) => name)])];
  const text = words.join(' ');
  if (all.includes(text)) return text;
  const names = commands.flatMap(listNames);
  const called = names.find(({ path }) => path === text);
  if (called !== undefined) return called.command.name;
  const near = all.filter((name) => (isGroup ? name.split(' ')[0] === first : !name.includes(' ')));
  const suggest = () =>
    near.includes(first) && !isGroup
      ? [first]
      : suggestCommands(text, isGroup ? near : [...new Set([...all, ...names.map(({ path }) => path)])]);
  return parseChoice('command', text, near, suggest);
}
