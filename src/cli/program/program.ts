import { Command, CommanderError, Option } from 'commander';
import { isConfigured } from '../../config/configured-commands.js';
import type { CommandSpec, OptionSpec } from './command-spec.js';
import { COMMON_OPTIONS } from './command-spec.js';
import { COMMANDS, GROUPS } from './command-table.js';
import { EXIT } from './errors.js';

/** The help is the same text in every terminal, so that it can be written down when the package is built. */
const HELP_COLUMNS = 80;
/** What is left for descriptions beside the longest term may be this narrow. */
const LEAST_HELP_COLUMNS = 20;

/** Runs a chosen command with its parsed words; the exit code comes back. */
export type Run = (spec: CommandSpec, args: string[], options: Record<string, unknown>) => Promise<number>;

/** Where commander's own texts go. */
export interface Texts {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Parses the words of a command line and runs the command of the table. Loads no command's code before it is chosen.
 * Resolves to the exit code; usage errors have been written by then.
 */
export async function runProgram(argv: readonly string[], run: Run, output: Texts): Promise<number> {
  let exitCode: number = EXIT.done;
  const isJson = ownWords(argv).includes('--json');
  const texts = isJson ? { ...output, err: () => undefined } : output;
  const program = configure(new Command('sandbox'), texts)
    .description('A local PIX payments sandbox and webhook CLI.')
    .version(__VERSION__)
    .showHelpAfterError('Type `npx pix-sandbox --help` to see the commands.');
  const parents = new Map<string, Command>();
  for (const spec of meant(argv)) {
    const words = spec.name.split(' ');
    const parent = words.length > 1 ? groupOf(words[0] ?? '', parents, program, texts) : program;
    const command = describe(configure(parent.command(words.at(-1) ?? ''), texts), spec);
    command.action(async (...received: unknown[]) => {
      const args = received
        .slice(0, -2)
        .flat()
        .filter((arg): arg is string => typeof arg === 'string');
      exitCode = await run(spec, args, command.opts());
    });
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.done;
    if (isJson) output.out(usageJson(error));
    return EXIT.usage;
  }
  return exitCode;
}

/** The words up to `--`; those after it belong to another program. */
function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** The commands that begin with the first word, or all where none does: describing all takes longer than most take to run. */
function meant([word]: readonly string[]): readonly CommandSpec[] {
  const named = COMMANDS.filter(({ name }) => name.split(' ')[0] === word);
  return named.length > 0 ? named : COMMANDS;
}

function usageJson({ message }: CommanderError): string {
  const error = {
    code: 'USAGE',
    message: message.replace(/^error: /, ''),
    details: [],
    hint: 'Type `npx pix-sandbox --help` to see the commands.',
  };
  return `${JSON.stringify({ error, exit_code: EXIT.usage })}\n`;
}

/** The command of a group, made when its first member comes. */
function groupOf(name: string, made: Map<string, Command>, program: Command, texts: Texts): Command {
  const summary = GROUPS[name] ?? '';
  const group =
    made.get(name) ?? configure(program.command(name), texts).summary(summary).description(sentence(summary));
  made.set(name, group);
  return group;
}

function configure(command: Command, { out, err }: Texts): Command {
  const outputError = (text: string, write: (text: string) => void) =>
    write(text.replace(/^error:/, 'error'));
  return command.exitOverride().configureOutput({ writeOut: out, writeErr: err, outputError }).configureHelp({
    helpWidth: HELP_COLUMNS,
    minWidthToWrap: LEAST_HELP_COLUMNS,
    showGlobalOptions: false,
    sortSubcommands: false,
  });
}

function describe(command: Command, spec: CommandSpec): Command {
  command.summary(spec.summary).description(sentence(spec.summary));
  command.showHelpAfterError(`Type \`npx pix-sandbox ${spec.name} --help\` to see how it is used.`);
  for (const arg of spec.args ?? []) command.argument(arg);
  for (const { flags, description, list } of [...(spec.options ?? []), ...COMMON_OPTIONS]) {
    if (list)
      command.option(flags, description, (value: string, earlier?: string[]) => [...(earlier ?? []), value]);
    else command.option(flags, description);
  }
  if (isConfigured(spec.name)) addNegations(command, spec.options ?? []);
  const examples = spec.examples.map((example) => `  $ sandbox ${spec.name} ${example}`.trimEnd());
  return command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
}

/** `--no-strict` and its like, which take back what a file or the environment switches on. */
function addNegations(command: Command, options: readonly OptionSpec[]): void {
  for (const { flags } of options.filter(({ flags }) => !flags.includes(' '))) {
    command.addOption(new Option(flags.replace('--', '--no-')).hideHelp());
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
