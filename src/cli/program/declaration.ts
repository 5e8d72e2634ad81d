import type { ControlClient } from '../../client/control.js';
import type { ValueSource } from '../completion/sources.js';
import type { Prompter, PromptFlow } from '../prompts/prompter.js';
import type { SandboxSearch } from '../sandbox/find-sandbox.js';
import type { CliError } from './errors.js';
import type { ExitCode, Io } from './io.js';

/** An environment variable of a command. */
export interface EnvironmentFact {
  readonly name: string;
  readonly meaning: string;
}

/** Options as commander parsed them, by name. */
export type RawOptions = Readonly<Record<string, unknown>>;

/** The words after a command's name, as commander parsed them. */
export interface ParsedArguments {
  readonly io: Io;
  readonly args: readonly string[];
  readonly given: RawOptions;
}

/** An option of a command; its flag is derived from its name: `forwardTo` is `--forward-to`. */
export interface OptionSpec<Value> {
  /** The name of its value in the help, such as `duration`; a switch has none. */
  readonly placeholder?: string;
  readonly description: string;
  /** May be given more than once. */
  readonly repeats?: boolean;
  /** Completions of its value. */
  readonly values?: ValueSource | undefined;
  /** Reads what commander parsed; throws a usage error that names the flag. */
  readonly read: (given: unknown, flag: string) => Value;
}

/** A positional argument of a command. */
export interface ArgumentSpec<Value> {
  readonly form: 'required' | 'optional' | 'rest' | 'some';
  /** Its completions. */
  readonly values?: ValueSource | undefined;
  readonly read: (given: readonly string[]) => Value;
  /** The error where it is missing and nobody can be asked for it. */
  readonly missing?: CliError;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec<unknown>>>;
type ArgumentSpecs = Readonly<Record<string, ArgumentSpec<unknown>>>;

/** Parsed values of arguments or options, by name. */
export type OptionValuesOf<Specs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends OptionSpec<infer Value> | ArgumentSpec<infer Value>
    ? Value
    : never;
};

/** Input of a command's code: its arguments and options in the declared types. */
export interface Invocation<Arguments = unknown, Options = unknown> {
  readonly io: Io;
  readonly args: Arguments;
  /** `--url` is an option of every command. */
  readonly options: Options & { readonly url: string | undefined };
}

export type InvocationOf<Declared> =
  Declared extends Declaration<infer Arguments, infer Options>
    ? Invocation<OptionValuesOf<Arguments>, OptionValuesOf<Options>>
    : never;

/** Runs a declared command and returns its exit code, 0 by default. A signal's code replaces it, unless it is final. */
export type BodyOf<Declared> = Body<InvocationOf<Declared>>;

/** The public face of a command: everything but its code. */
interface CommandTexts {
  /** The words after `sandbox`, such as `charges list`. */
  readonly name: string;
  readonly summary: string;
  /** More help text, after the summary. */
  readonly description?: string;
  /** Arguments and options of at least two calls that work, without the name. */
  readonly examples: readonly string[];
  /**
   * Meanings of its exit codes, in addition to the general ones; an empty text stands for the general
   * meaning.
   */
  readonly exits?: Readonly<Record<string, string>>;
  /** Related commands and groups, in addition to its own group. */
  readonly related?: readonly string[];
  /** Environment variables of this command only. */
  readonly environment?: readonly EnvironmentFact[];
}

/** The declaration; a single example is shown with --json, too. */
type Declared<Arguments, Options> = Omit<CommandTexts, 'examples'> &
  Partial<Pick<Declaration<Arguments, Options>, 'examples' | 'args' | 'options'>> & {
    /** Throws a usage error if arguments and options do not fit together. */
    readonly check?: (invocation: Read<Arguments, Options>) => void;
    readonly asks?: Asks<Read<Arguments, Options>>;
  };

type Read<Arguments, Options> = Invocation<OptionValuesOf<Arguments>, OptionValuesOf<Options>>;
type Body<Invoked> = (invocation: Invoked) => Promise<number | ExitCode | void>;

/**
 * Questions on a terminal if input is missing, and their condition: by default a missing required argument.
 */
interface Asks<Invoked> {
  readonly when?: (invocation: Invoked) => boolean;
  readonly load: () => Promise<PromptFlow<Invoked>>;
}

/** The text of a response, and a note for stderr; `nowMs` is the sandbox's time. */
type Show<View, Invoked, Text = string | Promise<string>> = (
  io: Io,
  view: View,
  nowMs: number,
  asked: Invoked & { readonly client: ControlClient },
) => Text;

/** A declared command without its code, which each of the functions adds. */
interface Declaration<Arguments, Options> extends CommandTexts {
  readonly args: Arguments;
  readonly options: Options;
  /** Loads the code when the command is called. */
  readonly runs: (
    load: () => Promise<Body<Read<Arguments, Options>>>,
    asks?: Asks<Read<Arguments, Options>>,
  ) => CommandDeclaration;
  /** Asks the sandbox and prints its response: as JSON, or as text with a note on stderr. */
  readonly shows: <View extends object>(
    ask: (client: ControlClient, invocation: Read<Arguments, Options>) => Promise<View>,
    text: Show<View, Read<Arguments, Options>>,
    note?: Show<View, Read<Arguments, Options>, string>,
    exitCode?: (view: View) => number,
  ) => CommandDeclaration;
}

/** A command callable with the words parsed by commander. */
export interface CommandDeclaration extends CommandTexts {
  readonly args: ArgumentSpecs;
  readonly options: OptionSpecs;
  /** Completes the typed input with answers to questions on a terminal. */
  readonly complete: (typed: ParsedArguments, asker?: Prompter) => Promise<ParsedArguments>;
  readonly invoke: (typed: ParsedArguments) => Promise<number | ExitCode | void>;
}

/** The commands of a first word: a single one, or a group with a common first word. */
export interface CommandFolder {
  /** Description of the group; undefined for a single command. */
  readonly about?: string;
  readonly commands: readonly CommandDeclaration[];
  /** Commands and groups to read about next. */
  readonly related?: readonly string[];
}

const NONE = {} as const;

/** Declares a command. Help and completion read the declaration only, so that code of its own is loaded by `runs`. */
export function declareCommand<
  const Arguments extends ArgumentSpecs = typeof NONE,
  const Options extends OptionSpecs = typeof NONE,
>(declared: Declared<Arguments, Options>): Declaration<Arguments, Options> {
  const { args = {} as Arguments, options = {} as Options, examples = [''], ...rest } = declared;
  const { check, asks: declaredAsks, ...others } = rest;
  const [example = ''] = examples;
  const face = {
    ...others,
    args,
    options,
    examples: examples.length > 1 ? examples : [example, `${example} --json`.trim()],
  };
  const read = ({ io, args: words, given }: ParsedArguments) => ({
    io,
    args: readArguments(args, words),
    options: { ...readOptions(options, given), url: toText(given.url) },
  });
  const missing = (words: readonly string[]) =>
    Object.values(args).find((spec, index) => spec.missing !== undefined && words[index] === undefined)
      ?.missing;
  const runs: Declaration<Arguments, Options>['runs'] = (load, asks = declaredAsks) => {
    const complete: CommandDeclaration['complete'] = async (typed, asker) => {
      if (asks === undefined || !typed.io.interactive) return typed;
      const invocation = read(typed);
      const isIncomplete = asks.when?.(invocation) ?? missing(typed.args) !== undefined;
      if (!isIncomplete) return typed;
      const [{ completeInvocation }, ask] = await Promise.all([
        import('../prompts/complete.js'),
        asks.load(),
      ]);
      return completeInvocation(face.name, typed, (asker) => ask(invocation, asker), asker);
    };
    const invoke: CommandDeclaration['invoke'] = async (typed) => {
      const all = await complete(typed);
      const lack = missing(all.args);
      if (lack !== undefined) throw lack;
      const invocation = read(all);
      check?.(invocation);
      const body = await load();
      return body(invocation);
    };
    return { ...face, complete, invoke };
  };
  const shows: Declaration<Arguments, Options>['shows'] = (ask, text, note, exitCode) =>
    runs(
      async () => (invocation) =>
        askSandbox(invocation, async (client) => {
          const { io } = invocation;
          const view = await ask(client, invocation);
          io.emit(view);
          const code = exitCode?.(view);
          if (io.json) return code;
          const nowMs = Date.parse((await client.get('clock')).now);
          const asked = { ...invocation, client };
          io.say(await text(io, view, nowMs, asked));
          const noted = note?.(io, view, nowMs, asked) ?? '';
          if (noted !== '') io.note(noted);
          return code;
        }),
    );
  return { ...face, runs, shows };
}

/** Works with the command's sandbox. What finds it is loaded when a command runs, not for help and completion. */
export async function askSandbox<Result>(
  invocation: SandboxSearch,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result> {
  const { withSandbox } = await import('../sandbox/find-sandbox.js');
  return withSandbox(invocation, work);
}

/** An option with a text, as commander parsed it. */
export function toText(given: unknown): string | undefined {
  return typeof given === 'string' ? given : undefined;
}

function readArguments<Arguments extends ArgumentSpecs>(
  specs: Arguments,
  words: readonly string[],
): OptionValuesOf<Arguments> {
  const values = Object.entries(specs).map(([name, { form, read }], index) => {
    const given = form === 'rest' || form === 'some' ? words.slice(index) : words.slice(index, index + 1);
    return [name, read(given)];
  });
  return Object.fromEntries(values) as OptionValuesOf<Arguments>;
}

/** The parsed options as a command's code receives them. */
export function readOptions<Options extends OptionSpecs>(
  specs: Options,
  given: RawOptions,
): OptionValuesOf<Options> {
  const values = Object.entries(specs).map(([name, { read }]) => [name, read(given[name], toFlag(name))]);
  return Object.fromEntries(values) as OptionValuesOf<Options>;
}

/** The option without its value: `--forward-to`. */
export function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Lists the flags of the passed options among these. */
export function listPassedFlags<Name extends string>(
  options: { readonly [Each in Name]?: unknown },
  names: readonly Name[],
): readonly string[] {
  const isGiven = (value: unknown) => value !== undefined && value !== false;
  return names.filter((name) => [options[name]].flat().some(isGiven)).map(toFlag);
}

/** The option as commander and the help show it: `--forward-to <target>`. */
export function formatFlags(name: string, { placeholder }: OptionSpec<unknown>): string {
  return placeholder === undefined ? toFlag(name) : `${toFlag(name)} <${placeholder}>`;
}

/** The argument as commander and the help show it, such as `<id>` or `[file...]`. */
export function formatArgument(name: string, { form }: ArgumentSpec<unknown>): string {
  return { required: `<${name}>`, optional: `[${name}]`, rest: `[${name}...]`, some: `<${name}...>` }[form];
}
