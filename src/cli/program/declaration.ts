import type { ControlClient } from '../../client/control.js';
import type { ValueSource } from '../completion/sources.js';
import type { Prompter, PromptFlow } from '../prompts/prompter.js';
import type { SandboxSearch } from '../sandbox/find-sandbox.js';
import type { CliError } from './errors.js';
import type { ExitCode, Io } from './io.js';

/** An environment variable read by commands. */
export interface EnvironmentFact {
  readonly name: string;
  readonly meaning: string;
}

/** Commander's parsed options, by name. */
export type RawOptions = Readonly<Record<string, unknown>>;

/** A command's input, as parsed by commander. */
export interface ParsedArguments {
  readonly io: Io;
  readonly args: readonly string[];
  readonly given: RawOptions;
}

/** A command option. The flag is derived from the name: `forwardTo` becomes `--forward-to`. */
export interface OptionSpec<Value> {
  /** The value's name in the help, e.g. `duration`; undefined for a flag. */
  readonly placeholder?: string;
  /** Another flag, e.g. `-f`. */
  readonly alias?: string;
  readonly description: string;
  readonly repeats?: boolean;
  /** Completes the option's value. */
  readonly values?: ValueSource | undefined;
  /** Parses commander's value. Throws a usage error that names the flag. */
  readonly read: (given: unknown, flag: string) => Value;
}

/** A command's positional argument. */
export interface ArgumentSpec<Value> {
  readonly form: 'required' | 'optional' | 'rest' | 'some';
  /** Completes the argument. */
  readonly values?: ValueSource | undefined;
  readonly read: (given: readonly string[]) => Value;
  /** Thrown if the argument is missing and the user cannot be prompted. */
  readonly missing?: CliError;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec<unknown>>>;
type ArgumentSpecs = Readonly<Record<string, ArgumentSpec<unknown>>>;

/** Parsed argument or option values, by name. */
export type OptionValuesOf<Specs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends OptionSpec<infer Value> | ArgumentSpec<infer Value>
    ? Value
    : never;
};

/** A command's parsed input, typed by its declaration. */
export interface Invocation<Arguments = unknown, Options = unknown> {
  readonly io: Io;
  readonly args: Arguments;
  /** Every command accepts `--url`. */
  readonly options: Options & { readonly url: string | undefined };
}

export type InvocationOf<Declared> =
  Declared extends Declaration<infer Arguments, infer Options>
    ? Invocation<OptionValuesOf<Arguments>, OptionValuesOf<Options>>
    : never;

/**
 * Implements a declared command. Returns the exit code (default: 0). A signal's exit code overrides a
 * returned number, but not an `ExitCode`.
 */
export type BodyOf<Declared> = Body<InvocationOf<Declared>>;

/** Describes a command's public interface. */
interface CommandTexts {
  /** The full name without `sandbox`, e.g. `charges list`. */
  readonly name: string;
  /** Other names, each with preset arguments and options by name. Help lists none of them. */
  readonly aliases?: Readonly<Record<string, Readonly<Record<string, string | true>>>>;
  readonly summary: string;
  /** Help text after the summary. */
  readonly description?: string;
  /** At least two working examples, without the command name. */
  readonly examples: readonly string[];
  /** Meanings of additional exit codes. An empty string selects the default meaning. */
  readonly exits?: Readonly<Record<string, string>>;
  /** Related commands and groups outside the command's group. */
  readonly related?: readonly string[];
  /** Command-specific environment variables. */
  readonly environment?: readonly EnvironmentFact[];
}

/** Input for `declareCommand`. If there is only one example, adds a variant with `--json`. */
type Declared<Arguments, Options> = Omit<CommandTexts, 'examples'> &
  Partial<Pick<Declaration<Arguments, Options>, 'examples' | 'args' | 'options'>> & {
    /** Throws a usage error for an invalid combination of arguments and options. */
    readonly check?: (invocation: ParsedInvocation<Arguments, Options>) => void;
    readonly asks?: PromptSpec<ParsedInvocation<Arguments, Options>>;
  };

type ParsedInvocation<Arguments, Options> = Invocation<OptionValuesOf<Arguments>, OptionValuesOf<Options>>;
type Body<Invoked> = (invocation: Invoked) => Promise<number | ExitCode | void>;

/**
 * Defines terminal prompts for missing input. By default, a missing required argument triggers the prompts.
 */
interface PromptSpec<Invoked> {
  readonly when?: (invocation: Invoked) => boolean;
  readonly load: () => Promise<PromptFlow<Invoked>>;
}

/** Formats a response as text. `nowMs` is the sandbox's time. */
type ResponseFormatter<View, Invoked, Text = string | Promise<string>> = (
  io: Io,
  view: View,
  nowMs: number,
  asked: Invoked & { readonly client: ControlClient },
) => Text;

/** Command declaration. `runs` and `shows` add the implementation. */
interface Declaration<Arguments, Options> extends CommandTexts {
  readonly args: Arguments;
  readonly options: Options;
  /** Adds a lazily loaded implementation. */
  readonly runs: (
    load: () => Promise<Body<ParsedInvocation<Arguments, Options>>>,
    asks?: PromptSpec<ParsedInvocation<Arguments, Options>>,
  ) => CommandDeclaration;
  /**
   * Adds an implementation that queries the sandbox and prints the response as JSON, or as text with a note
   * on stderr.
   */
  readonly shows: <View extends object>(
    ask: (client: ControlClient, invocation: ParsedInvocation<Arguments, Options>) => Promise<View>,
    text: ResponseFormatter<View, ParsedInvocation<Arguments, Options>>,
    note?: ResponseFormatter<View, ParsedInvocation<Arguments, Options>>,
    exitCode?: (view: View) => number,
  ) => CommandDeclaration;
}

/** A command with its implementation, invoked with commander's parsed input. */
export interface CommandDeclaration extends CommandTexts {
  readonly args: ArgumentSpecs;
  readonly options: OptionSpecs;
  /** Prompts for missing input on a terminal. */
  readonly complete: (typed: ParsedArguments, asker?: Prompter) => Promise<ParsedArguments>;
  readonly invoke: (typed: ParsedArguments) => Promise<number | ExitCode | void>;
}

/** A command's name or alias, with the arguments and options that are not preset. */
export interface CommandName extends Pick<CommandDeclaration, 'args' | 'options'> {
  readonly path: string;
  readonly command: CommandDeclaration;
  readonly preset: Readonly<Record<string, string | true>>;
}

/** Lists a command's name and aliases. */
export function listNames(command: CommandDeclaration): readonly CommandName[] {
  return Object.entries({ [command.name]: {}, ...command.aliases }).map(([path, preset]) => {
    const omitPreset = <Spec>(specs: Readonly<Record<string, Spec>>) =>
      Object.fromEntries(Object.entries(specs).filter(([name]) => !Object.hasOwn(preset, name)));
    return { path, command, preset, args: omitPreset(command.args), options: omitPreset(command.options) };
  });
}

/** A single command, or a group of commands with a common first word. */
export interface CommandFolder {
  /** The group's description; undefined for a single command. */
  readonly about?: string;
  readonly commands: readonly CommandDeclaration[];
  readonly related?: readonly string[];
}

const NONE = {} as const;

/**
 * Declares a command. Help and completion require only the declaration, so `runs` loads the implementation
 * lazily.
 */
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
    Object.values(args).find((spec, index) => spec.missing !== undefined && !words[index])?.missing;
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
        querySandbox(invocation, async (client) => {
          const { io } = invocation;
          const view = await ask(client, invocation);
          io.emit(view);
          const code = exitCode?.(view);
          if (io.json) return code;
          const nowMs = Date.parse((await client.get('clock')).now);
          const asked = { ...invocation, client };
          io.say(await text(io, view, nowMs, asked));
          const noted = (await note?.(io, view, nowMs, asked)) ?? '';
          if (noted !== '') io.note(noted);
          return code;
        }),
    );
  return { ...face, runs, shows };
}

/**
 * Runs `work` with a client for the command's sandbox. Loads the lookup module lazily, because help and
 * completion do not use the module.
 */
export async function querySandbox<Result>(
  invocation: SandboxSearch,
  work: (client: ControlClient) => Promise<Result>,
): Promise<Result> {
  const { withSandbox } = await import('../sandbox/find-sandbox.js');
  return withSandbox(invocation, work);
}

/** Returns commander's value if it is a string. */
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

/** Parses commander's options into the declared types. */
export function readOptions<Options extends OptionSpecs>(
  specs: Options,
  given: RawOptions,
): OptionValuesOf<Options> {
  const values = Object.entries(specs).map(([name, { read }]) => [name, read(given[name], toFlag(name))]);
  return Object.fromEntries(values) as OptionValuesOf<Options>;
}

/** Converts an option name such as `forwardTo` to the flag `--forward-to`. */
export function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Lists the flags for all passed options in `names`. */
export function listPassedFlags<Name extends string>(
  options: { readonly [Each in Name]?: unknown },
  names: readonly Name[],
): readonly string[] {
  const isGiven = (value: unknown) => value !== undefined && value !== false;
  return names.filter((name) => [options[name]].flat().some(isGiven)).map(toFlag);
}

/** Formats an option for commander and the help, e.g. `--forward-to <target>`. */
export function formatFlags(name: string, { placeholder }: OptionSpec<unknown>): string {
  return placeholder === undefined ? toFlag(name) : `${toFlag(name)} <${placeholder}>`;
}

/** Formats an argument for commander and the help, e.g. `<id>` or `[file...]`. */
export function formatArgument(name: string, { form }: ArgumentSpec<unknown>): string {
  return { required: `<${name}>`, optional: `[${name}]`, rest: `[${name}...]`, some: `<${name}...>` }[form];
}
