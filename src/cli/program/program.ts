import { Command, CommanderError, Option } from 'commander';
import { isConfigured } from '../../config/settings.js';
import { COMMON_OPTIONS, commandsFor } from '../commands/table.js';
import type { Command as Declared, Given } from './declaration.js';
import { argumentText, flagOf, flagsOf } from './declaration.js';
import { EXIT } from './errors.js';
import { closeOnes } from '../../text/closest.js';
import { asCalled } from '../../text/program-name.js';
import { meantCommands } from './closest.js';

/** Runs a command with its parsed words; resolves to the exit code. */
export type Run = (command: Declared, args: readonly string[], options: Given) => Promise<number>;

/** Where commander writes its own texts. */
export interface Texts {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** This program as its user calls it. */
  readonly program: string;
}

/**
 * Parses the words of a command line and runs the command. Loads only the declarations of the command's
 * folder, and no code until it is chosen. Resolves to the exit code after writing usage errors.
 */
export async function runProgram(argv: readonly string[], run: Run, output: Texts): Promise<number> {
  const own = ownWords(argv);
  if (own.includes('--help') || own.includes('-h')) return runHelp(own, run);
  const isJson = own.includes('--json');
  const [first, second] = own;
  if (first === undefined || (second === undefined && (await isGroup(first)))) return showPage(first, output);
  const problems: string[] = [];
  const texts = isJson ? { ...output, err: (text: string) => void problems.push(text) } : output;
  let exitCode: number = EXIT.done;
  const program = await programFor(argv[0], texts, async (command, args, options) => {
    exitCode = await run(command, args, options);
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.done;
    if (isJson) output.out(usageJson(problems[0] ?? error.message, commandsHint(output)));
    return EXIT.usage;
  }
  return exitCode;
}

async function isGroup(word: string): Promise<boolean> {
  return (await commandsFor(word)).folders.get(word)?.about !== undefined;
}

function verbOf({ name }: Declared): string {
  return name.split(' ').at(-1) ?? '';
}

function optionFlags({ options }: Declared): readonly string[] {
  return [...Object.keys(options).map(flagOf), ...COMMON_OPTIONS.map(({ flags }) => flags)];
}

/** Words that people try, by the verbs that do what they mean. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  settle: ['pay', 'paid', 'confirm'],
  fail: ['reject', 'decline'],
  return: ['refund', 'reverse'],
  show: ['get', 'view', 'inspect'],
  list: ['ls', 'all'],
  create: ['new', 'add', 'make'],
  delete: ['remove', 'rm'],
  remove: ['delete', 'rm'],
  resend: ['retry', 'replay', 'send'],
  decide: ['approve', 'reject'],
};

/** What an unknown word probably means. */
type Suggest = (word: string) => readonly string[];

/** An error of commander; one about an unknown command or option suggests what was probably meant. */
function suggesting(message: string, suggest: Suggest): string {
  const [, word = ''] = /unknown (?:command|option) '([^'=]*)/.exec(message) ?? [];
  const meant = word === '' ? [] : suggest(word);
  return meant.length === 0 ? message : `${message.trimEnd()}\n(Did you mean ${meant.join(' or ')}?)\n`;
}

function suggestVerb(verbs: readonly string[]): Suggest {
  return (word) => {
    const meant = verbs.find((verb) => MEANT[verb]?.includes(word));
    return meant === undefined ? closeOnes(word, verbs) : [meant];
  };
}

/** Suggests options for a word that begins like one. */
function suggestOption(flags: readonly string[], otherwise: Suggest = () => []): Suggest {
  const known = flags.map((one) => one.split(' ')[0] ?? '').concat('--help');
  return (word) => (word.startsWith('--') ? closeOnes(word, known) : otherwise(word));
}

/** Shows the overview or the group's page if no command was chosen. */
async function showPage(group: string | undefined, { err, program }: Texts): Promise<number> {
  if (group === undefined) {
    const { overviewText } = await import('../help/overview.js');
    err(`${overviewText(program)}\n`);
  } else {
    const [{ groupPage }, { pageText }] = await Promise.all([
      import('../help/page.js'),
      import('../help/text.js'),
    ]);
    err(`${asCalled(pageText(groupPage(group, await commandsFor())), program)}\n`);
  }
  return EXIT.usage;
}

/** `sandbox charges list --help` runs `sandbox help charges list`. */
async function runHelp(words: readonly string[], run: Run): Promise<number> {
  const { commands } = await commandsFor('help');
  const [help] = commands;
  if (help === undefined) throw new RangeError('There is no command help.');
  const about = await namedBy(words);
  return run(help, about, { json: words.includes('--json'), color: !words.includes('--no-color') });
}

/** The words of a command line that name a group or a command; the words after them are its arguments. */
async function namedBy([first, second]: readonly string[]): Promise<readonly string[]> {
  if (first === undefined || first.startsWith('-')) return [];
  if (second === undefined || second.startsWith('-')) return [first];
  return (await isGroup(first)) ? [first, second] : [first];
}

async function programFor(
  word: string | undefined,
  texts: Texts,
  act: (command: Declared, args: readonly string[], options: Given) => Promise<void>,
): Promise<Command> {
  const { folders, commands: all } = await commandsFor(word);
  const names = [...new Set([...folders.keys(), ...all.map(({ name }) => name)])];
  const suggest = suggestOption(['--version'], (unknown) => meantCommands(unknown, names));
  const program = configure(new Command('sandbox'), texts, suggest)
    .version(__VERSION__)
    .showHelpAfterError(commandsHint(texts));
  for (const [name, folder] of folders) {
    const { about, commands } = folder;
    const verbs = suggestOption([], suggestVerb(commands.map(verbOf)));
    const parent = about === undefined ? program : configure(program.command(name), texts, verbs);
    if (parent !== program)
      parent.showHelpAfterError(`Type \`${texts.program} ${name} --help\` to see its commands.`);
    for (const declared of commands) {
      const command = describe(
        configure(parent.command(verbOf(declared)), texts, suggestOption(optionFlags(declared))),
        declared,
        texts,
      );
      command.action(async (...received: unknown[]) => {
        const args = received
          .slice(0, -2)
          .flat()
          .filter((arg): arg is string => typeof arg === 'string');
        await act(declared, args, command.opts());
      });
    }
  }
  return program;
}

/** The words up to `--`; those after it belong to another program. */
function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

function commandsHint({ program }: Texts): string {
  return `Type \`${program} --help\` to see the commands.`;
}

function usageJson(problem: string, hint: string): string {
  const message = problem.replace(/^error:? /, '').trimEnd();
  const error = { code: 'USAGE', message, details: [], hint };
  return `${JSON.stringify({ error, exit_code: EXIT.usage })}\n`;
}

function configure(command: Command, { out, err }: Texts, suggest: Suggest): Command {
  const outputError = (text: string, write: (text: string) => void) =>
    write(suggesting(text.replace(/^error:/, 'error'), suggest));
  return command
    .showSuggestionAfterError(false)
    .exitOverride()
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ writeOut: out, writeErr: err, outputError });
}

function describe(command: Command, { name, args, options }: Declared, { program }: Texts): Command {
  command.showHelpAfterError(`Type \`${program} ${name} --help\` to see how it is used.`);
  for (const [word, argument] of Object.entries(args)) command.argument(argumentText(word, argument));
  for (const [key, option] of Object.entries(options)) {
    const flags = flagsOf(key, option);
    if (option.repeats === true)
      command.option(flags, '', (value: string, earlier?: string[]) => [...(earlier ?? []), value]);
    else command.option(flags, '');
    // Turns off what a file or the environment turns on.
    if (isConfigured(name) && option.placeholder === undefined)
      command.addOption(new Option(flagOf(key).replace('--', '--no-')));
  }
  for (const { flags } of COMMON_OPTIONS) command.option(flags, '');
  return command;
}
