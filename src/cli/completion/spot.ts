import { allRunFiles } from '../../client/run-file.js';
import type { CommandTable } from '../commands/table.js';
import type { ArgumentSpec, Command } from '../program/declaration.js';
import { COMMON_OPTIONS } from '../commands/table.js';
import { flagsOf } from '../program/declaration.js';
import type { ValueSource } from './sources.js';

/** An option as it can be typed. */
export interface TypedOption {
  /** Such as `--limit`. */
  readonly flag: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly repeats: boolean;
  readonly values?: ValueSource | undefined;
}

/** The place on a command line where the cursor is. */
export type Spot =
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
export function spotOf(words: readonly string[], { folders, commands }: CommandTable): Spot {
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
