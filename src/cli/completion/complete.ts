import { allRunFiles } from '../../client/run-file.js';
import { commandsFor, type CommandTable, COMMON_OPTIONS } from '../commands/table.js';
import { type ArgumentSpec, type Command, flagsOf } from '../program/declaration.js';
import type { Candidate, Typist } from './lists.js';
import type { Values, ValueSource } from './sources.js';

/** An option as it can be typed. */
interface TypedOption {
  /** Such as `--limit`. */
  readonly flag: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly repeats: boolean;
  readonly values?: ValueSource | undefined;
}

/** The place on a command line where the cursor is. */
type Spot =
  /** At a command's name, or at its second word within a group; `command` takes that word as its argument. */
  | { readonly at: 'command'; readonly group: string | undefined; readonly command?: Command | undefined }
  /** At an argument or an option; `argument` is undefined if no further argument is allowed. */
  | {
      readonly at: 'argument';
      readonly command: Command;
      readonly argument: ArgumentSpec<unknown> | undefined;
      readonly given: ReadonlySet<string>;
      /** After `--`, where no word is an option. */
      readonly isLiteral: boolean;
    }
  | { readonly at: 'value'; readonly option: TypedOption }
  | { readonly at: 'nowhere' };

/** Parses the words before the one being typed, without the program's name. */
function spotOf(words: readonly string[], { folders, commands }: CommandTable): Spot {
  const named = (name: string) => commands.find((command) => command.name === name);
  const isHelp = words[0] === 'help';
  const [first, ...rest] = isHelp ? words.slice(1) : words;
  if (first === undefined) {
    return { at: 'command', group: undefined, command: isHelp ? named('help') : undefined };
  }
  const alone = named(first);
  if (alone !== undefined) return isHelp ? NOWHERE : within(alone, rest);
  if (!folders.has(first)) return NOWHERE;
  const [second, ...more] = rest;
  if (second === undefined) return { at: 'command', group: first };
  const command = named(`${first} ${second}`);
  return command === undefined || isHelp ? NOWHERE : within(command, more);
}

const NOWHERE: Spot = { at: 'nowhere' };

function within(command: Command, words: readonly string[]): Spot {
  const options = optionsOf(command);
  const given = new Set<string>();
  let open: TypedOption | undefined;
  let position = 0;
  let isLiteral = false;
  for (const word of words) {
    if (open !== undefined) {
      open = undefined;
    } else if (isLiteral || !word.startsWith('-') || word === '-') {
      position += 1;
    } else if (word === '--') {
      isLiteral = true;
    } else {
      const flag = word.split('=', 1)[0] ?? '';
      const option = options.find((option) => option.flag === flag);
      given.add(flag);
      if (option?.takesValue === true && !word.includes('=')) open = option;
    }
  }
  if (open !== undefined) return { at: 'value', option: open };
  return { at: 'argument', command, argument: argumentAt(command, position), given, isLiteral };
}

function argumentAt({ args }: Command, position: number): ArgumentSpec<unknown> | undefined {
  const specs = Object.values(args);
  const last = specs.at(-1);
  return specs[position] ?? (last?.form === 'rest' || last?.form === 'some' ? last : undefined);
}

/** All options of a command, the common ones last. */
export function optionsOf({ options }: Command): readonly TypedOption[] {
  const own = Object.entries(options).map(([key, option]) =>
    typedOption(flagsOf(key, option), option.description, option),
  );
  const common = COMMON_OPTIONS.map(({ flags, description }) =>
    typedOption(flags, description, flags.startsWith('--url') ? { values: runningUrls } : {}),
  );
  return [...own, ...common, typedOption('--help', 'how it is used, with examples', {})];
}

function typedOption(
  flags: string,
  description: string,
  { repeats = false, values }: { readonly repeats?: boolean; readonly values?: ValueSource | undefined },
): TypedOption {
  const [flag = flags] = flags.split(' ', 1);
  return { flag, description, takesValue: flags.includes(' '), repeats, values };
}

const runningUrls: ValueSource = ({ env }) => ({
  candidates: allRunFiles(env).map(({ url, folder }) => ({ value: url, description: folder })),
});

const PROGRAM_OPTIONS: readonly Candidate[] = [
  { value: '--help', description: 'every command' },
  { value: '--version', description: 'the version' },
];

const NOTHING: Values = { candidates: [] };

/**
 * The candidates for the word being typed, which is the last of `words`; these are the words of the line
 * without the program's name. Candidates begin with what is typed. Never throws; empty if nothing is known.
 */
export async function complete(words: readonly string[], typist: Omit<Typist, 'url'>): Promise<Values> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const table = await commandsFor();
  const spot = spotOf(before, table);
  const { candidates, paths } = await valuesFor(spot, table, typed, { ...typist, url: urlIn(before) });
  return { candidates: candidates.filter(({ value }) => isTypable(value) && value.startsWith(typed)), paths };
}

/** Line breaks and tabs separate candidates, so a candidate with control characters is dropped. */
function isTypable(value: string): boolean {
  return !/[\p{Cc}\p{Bidi_Control}]/u.test(value);
}

async function valuesFor(spot: Spot, table: CommandTable, typed: string, typist: Typist): Promise<Values> {
  switch (spot.at) {
    case 'command':
      return { candidates: commandsAt(spot, table, typed) };
    case 'value':
      return (await spot.option.values?.(typist, typed)) ?? NOTHING;
    case 'argument':
      return argumentsAt(spot, typed, typist);
    case 'nowhere':
      return NOTHING;
  }
}

function commandsAt(
  { group, command }: Extract<Spot, { readonly at: 'command' }>,
  { folders }: CommandTable,
  typed: string,
): readonly Candidate[] {
  if (group !== undefined) {
    const commands = folders.get(group)?.commands ?? [];
    return commands.map(({ name, summary }) => {
      return { value: name.slice(group.length + 1), description: summary };
    });
  }
  if (typed.startsWith('-')) {
    return command === undefined ? PROGRAM_OPTIONS : optionCandidates(command, new Set());
  }
  return Array.from(folders, ([value, { about, commands }]) => {
    return { value, description: about ?? commands[0]?.summary ?? '' };
  });
}

async function argumentsAt(
  spot: Extract<Spot, { readonly at: 'argument' }>,
  typed: string,
  typist: Typist,
): Promise<Values> {
  const { command, argument, given, isLiteral } = spot;
  if (typed.startsWith('-') && !isLiteral) return optionValues(spot, typed, typist);
  if (argument !== undefined) return (await argument.values?.(typist, typed)) ?? NOTHING;
  return { candidates: isLiteral ? [] : optionCandidates(command, given) };
}

/** The name of an option, or after its `=` the possible values. */
async function optionValues(
  { command, given }: Extract<Spot, { readonly at: 'argument' }>,
  typed: string,
  typist: Typist,
): Promise<Values> {
  const split = typed.indexOf('=');
  if (split < 0) return { candidates: optionCandidates(command, given) };
  const flag = typed.slice(0, split);
  const option = optionsOf(command).find((option) => option.flag === flag && option.takesValue);
  const { candidates, paths } = (await option?.values?.(typist, typed.slice(split + 1))) ?? NOTHING;
  return {
    candidates: candidates.map(({ value, description }) => ({ value: `${flag}=${value}`, description })),
    paths,
  };
}

/** The options that can still be given. */
function optionCandidates(command: Command, given: ReadonlySet<string>): readonly Candidate[] {
  return optionsOf(command)
    .filter(({ repeats, flag }) => repeats || !given.has(flag))
    .map(({ flag, description }) => ({ value: flag, description }));
}

/** The sandbox that the line itself names. */
function urlIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--url' || word.startsWith('--url='));
  if (at < 0) return undefined;
  return words[at]?.includes('=') ? words[at]?.slice('--url='.length) : words[at + 1];
}
