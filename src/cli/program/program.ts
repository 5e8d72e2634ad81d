import { Command, CommanderError, Option } from 'commander';
import { isConfigured } from '../../config/settings.js';
import { closestMatches } from '../../text/closest.js';
import { withProgramName } from '../../text/program-name.js';
import { redactUrl } from '../../text/redaction.js';
import { COMMON_OPTIONS, loadCommands, renderOverview, splitCommon } from '../commands/table.js';
import { EXIT_CODES, suggestCommands } from './errors.js';
import type { CommandDeclaration as Declared, RawOptions } from './declaration.js';
import { type CommandName, formatArgument, toFlag, formatFlags, listNames } from './declaration.js';
import { toOneLine } from '../terminal/text.js';

/** Runs a parsed command. Resolves to the exit code. */
type CommandRunner = (command: Declared, args: readonly string[], options: RawOptions) => Promise<number>;

/** Output for commander's messages. */
interface ProgramTexts {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The program name as typed by the user. */
  readonly program: string;
}

/**
 * Parses a command line and runs the command. Loads only the declarations in the command's group. Prints
 * usage errors and resolves to the exit code.
 */
export async function runProgram(
  argv: readonly string[],
  run: CommandRunner,
  output: ProgramTexts,
): Promise<number> {
  const { words, given } = splitCommon(argv);
  const [first = '', second] = words;
  const isJson = given.includes('--json');
  const isGroup = first !== '' && (await loadCommands(first)).folders.get(first)?.about !== undefined;
  if (words.includes('--help') || words.includes('-h')) {
    const named = [first, ...(isGroup ? [second ?? ''] : [])].filter((word) => /^[^-]/.test(word));
    const [help] = (await loadCommands('help')).commands;
    if (help !== undefined) return run(help, named, { json: isJson, color: !given.includes('--no-color') });
  }
  if (first === '' || (isGroup && second === undefined)) {
    if (!isJson) return showPage(first, output);
    const message = first === '' ? 'no command given' : `no ${first} command given`;
    output.out(usageJson(message, commandsHint(output, first)));
    return EXIT_CODES.usage;
  }
  const problems: string[] = [];
  const texts = isJson ? { ...output, err: (text: string) => void problems.push(text) } : output;
  let exitCode: number = EXIT_CODES.done;
  const program = await programFor(first, texts, async (command, args, options) => {
    exitCode = await run(command, args, options);
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT_CODES.done;
    if (isJson) output.out(usageJson(problems[0] ?? error.message, commandsHint(output)));
    return EXIT_CODES.usage;
  }
  return exitCode;
}

/** Prints the overview or a group's help page. */
async function showPage(group: string, { err, program }: ProgramTexts): Promise<number> {
  if (group === '') {
    err(`${renderOverview(program)}\n`);
  } else {
    const { createGroupPage, renderPage } = await import('../help.js');
    err(`${withProgramName(renderPage(createGroupPage(group, await loadCommands())), program)}\n`);
  }
  return EXIT_CODES.usage;
}

/** Commonly guessed words for each command. */
const GUESSED_VERBS: Readonly<Record<string, readonly string[]>> = {
  settle: ['paid', 'confirm'],
  fail: ['reject', 'decline'],
  return: ['refund', 'reverse'],
  show: ['get', 'view', 'inspect'],
  list: ['ls', 'all'],
  create: ['new', 'add', 'make'],
  delete: ['remove', 'rm'],
  remove: ['delete', 'rm'],
  resend: ['retry', 'replay', 'send'],
};

/** Suggests commands for an unknown word. */
type Suggest = (word: string) => readonly string[];

function suggestVerb(verbs: readonly string[]): Suggest {
  return (word) => {
    const meant = verbs.find((verb) => GUESSED_VERBS[verb]?.includes(word));
    return meant === undefined ? closestMatches(word, verbs) : [meant];
  };
}

const COMMON_FLAGS = [...COMMON_OPTIONS.map(({ flags }) => flags.split(' ')[0] ?? ''), '--help'];

/** Suggests options for a word starting with `--`. */
function suggestOption(flags: readonly string[], otherwise: Suggest = () => []): Suggest {
  return (word) =>
    word.startsWith('--') ? closestMatches(word, [...flags, ...COMMON_FLAGS]) : otherwise(word);
}

async function programFor(
  word: string,
  texts: ProgramTexts,
  act: (command: Declared, args: readonly string[], options: RawOptions) => Promise<void>,
): Promise<Command> {
  const { folders, commands: all } = await loadCommands(word);
  const names = [...new Set([...folders.keys(), ...all.flatMap(listNames).map(({ path }) => path)])];
  const suggest = (unknown: string) =>
    ['-v', 'version'].includes(unknown) ? ['--version'] : suggestCommands(unknown, names);
  const program = new Command('sandbox').version(__VERSION__);
  configure(program, texts, commandsHint(texts), suggestOption(['--version'], suggest));
  for (const { flags } of COMMON_OPTIONS) program.option(flags, '');
  const hintOf = (name: string, why: string) => `Type \`${texts.program} ${name} --help\` to see ${why}.`;
  for (const [name, { about, commands }] of folders) {
    const paths = commands.flatMap(listNames);
    const verbs = paths.map(({ path }) => path.split(' ').at(-1) ?? '');
    const parent = about === undefined ? program : program.command(name);
    if (about !== undefined)
      configure(parent, texts, hintOf(name, 'its commands'), suggestOption([], suggestVerb(verbs)));
    for (const [index, called] of paths.entries()) {
      const command = (called.path.includes(' ') ? parent : program).command(verbs[index] ?? '');
      const flags = Object.keys(called.options).map(toFlag);
      configure(command, texts, hintOf(called.command.name, 'its usage'), suggestOption(flags));
      addWords(command, called);
      command.action(async () =>
        act(called.command, ...addPreset(called, command.args, command.optsWithGlobals())),
      );
    }
  }
  return program;
}

/** Returns the words and options of an alias as its command reads them. A missing word before a preset one is ''. */
function addPreset(
  { command, preset }: CommandName,
  words: readonly string[],
  given: RawOptions,
): [args: readonly string[], options: RawOptions] {
  const isPreset = (name: string) => Object.hasOwn(preset, name);
  const left = [...words];
  const args = Object.keys(command.args).some(isPreset)
    ? Object.keys(command.args).map((name) => String(preset[name] ?? left.shift() ?? ''))
    : words;
  const options = Object.entries(preset).filter(([name]) => Object.hasOwn(command.options, name));
  return [args, { ...given, ...Object.fromEntries(options) }];
}

function commandsHint({ program }: ProgramTexts, group = ''): string {
  return `Type \`${[program, group, '--help'].filter(Boolean).join(' ')}\` to see the commands.`;
}

function usageJson(problem: string, hint: string): string {
  const message = problem.replace(/^error:? /, '').trimEnd();
  const error = { code: 'USAGE', message, details: [], hint };
  return `${JSON.stringify({ error, exit_code: EXIT_CODES.usage })}\n`;
}

/** Formats commander's errors like other CLI errors, with suggestions for unknown commands and options. */
function configure(command: Command, { out, err }: ProgramTexts, hint: string, suggest: Suggest): void {
  const outputError = (text: string, write: (text: string) => void) => {
    const [, word = ''] = /unknown (?:command|option) '([^'=]*)/.exec(text) ?? [];
    const isExcess = text.includes('too many arguments');
    const meant = isExcess ? forwardTarget(command) : word === '' ? [] : suggest(word);
    const message = text.replace(/^error:/, 'error');
    const program = meant.length === 0 && word !== '' ? childProgram(command) : undefined;
    const advice =
      program === undefined ? `Did you mean ${meant.join(' or ')}?` : `Put -- before ${program}.`;
    const isPlain = meant.length === 0 && program === undefined;
    const valueless = command.options.find(({ flags }) =>
      text.includes(`option '${flags}' argument missing`),
    );
    const note = valueless === undefined ? advice : `${valueless.long}: ${valueless.description}`;
    write(isPlain && valueless === undefined ? message : `${message.trimEnd()}\n(${note})\n`);
  };
  command
    .showSuggestionAfterError(false)
    .exitOverride()
    .helpOption(false)
    .helpCommand(false)
    .showHelpAfterError(hint)
    .configureOutput({ writeOut: out, writeErr: err, outputError });
}

/** Suggests `--forward-to` for a port or URL passed as an argument. */
function forwardTarget({ args, options }: Command): readonly string[] {
  const target = args.find((arg) => /^(?:https?:\/\/|\/|:?\d+(?:\/|$)|[\w.-]+:\d)/.test(arg));
  const takes = options.some(({ long }) => long === '--forward-to');
  return takes && target !== undefined ? [`--forward-to ${toOneLine(redactUrl(target), 0)}`] : [];
}

/** Returns the child program before an unknown option. */
function childProgram({ args: [first = '-'], registeredArguments }: Command): string | undefined {
  const runsProgram = registeredArguments.some((argument) => argument.name() === 'command');
  return runsProgram && !first.startsWith('-') ? toOneLine(redactUrl(first), 0) : undefined;
}

function addWords(command: Command, { command: { name }, args, options }: CommandName): void {
  for (const [word, argument] of Object.entries(args)) command.argument(formatArgument(word, argument));
  for (const [key, option] of Object.entries(options)) {
    const { description, alias } = option;
    const flags = [alias ?? [], formatFlags(key, option)].flat().join(', ');
    if (option.repeats === true)
      command.option(flags, description, (value: string, earlier?: string[]) => [...(earlier ?? []), value]);
    else command.option(flags, description);
    // `--no-…` disables a flag set in a settings file or in the environment.
    if (isConfigured(name) && option.placeholder === undefined)
      command.addOption(new Option(toFlag(key).replace('--', '--no-')));
  }
}
