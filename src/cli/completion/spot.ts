import type { CommandSpec, OptionSpec } from '../program/command-spec.js';
import { COMMON_OPTIONS } from '../program/command-spec.js';
import { COMMANDS, GROUPS } from '../program/command-table.js';

/** Where on a command line somebody is typing. */
export type Spot =
  /** At a command's name, or at the second word of one in a group; `spec` is the command that takes it as its argument. */
  | { readonly at: 'command'; readonly group: string | undefined; readonly spec?: CommandSpec | undefined }
  /** At an argument, or at an option; `name` is undefined where no further argument may come. */
  | {
      readonly at: 'argument';
      readonly spec: CommandSpec;
      readonly name: string | undefined;
      readonly given: ReadonlySet<string>;
      /** After `--`, where nothing is an option. */
      readonly isLiteral: boolean;
    }
  | { readonly at: 'value'; readonly spec: CommandSpec; readonly option: OptionSpec }
  | { readonly at: 'nowhere' };

/** Understands the words before the one that is being typed, without the program's own name. */
export function spotOf(words: readonly string[]): Spot {
  const isHelp = words[0] === 'help';
  const [first, ...rest] = isHelp ? words.slice(1) : words;
  if (first === undefined) {
    return { at: 'command', group: undefined, spec: COMMANDS.find(({ name }) => isHelp && name === 'help') };
  }
  const alone = COMMANDS.find(({ name }) => name === first);
  if (alone !== undefined) return isHelp ? NOWHERE : within(alone, rest);
  if (!Object.hasOwn(GROUPS, first)) return NOWHERE;
  const [second, ...more] = rest;
  if (second === undefined) return { at: 'command', group: first };
  const spec = COMMANDS.find(({ name }) => name === `${first} ${second}`);
  return spec === undefined || isHelp ? NOWHERE : within(spec, more);
}

const NOWHERE: Spot = { at: 'nowhere' };

function within(spec: CommandSpec, words: readonly string[]): Spot {
  const options = optionsOf(spec);
  const given = new Set<string>();
  let open: OptionSpec | undefined;
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
      const name = word.split('=', 1)[0] ?? '';
      const option = options.find((option) => nameOf(option) === name);
      given.add(name);
      if (option !== undefined && takesValue(option) && !word.includes('=')) open = option;
    }
  }
  if (open !== undefined) return { at: 'value', spec, option: open };
  return { at: 'argument', spec, name: argumentAt(spec, position), given, isLiteral };
}

/** The argument at a position, as its name in the help: `<file>` and `[file]` are both `file`. */
function argumentAt({ args = [] }: CommandSpec, position: number): string | undefined {
  const last = args.at(-1);
  const arg = args[position] ?? (last?.includes('...') ? last : undefined);
  return arg?.replaceAll(/[<>[\].]/g, '');
}

/** All options of a command, the common ones last. */
export function optionsOf({ options = [] }: CommandSpec): readonly OptionSpec[] {
  return [...options, ...COMMON_OPTIONS, HELP];
}

const HELP: OptionSpec = { flags: '--help', description: 'how it is used, with examples' };

/** An option without its value: `--limit`. */
export function nameOf({ flags }: OptionSpec): string {
  return flags.split(' ', 1)[0] ?? flags;
}

export function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes(' ');
}
