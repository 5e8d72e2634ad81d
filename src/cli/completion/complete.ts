import type { CommandTable } from '../commands/table.js';
import { commandsFor } from '../commands/table.js';
import type { Command } from '../program/declaration.js';
import type { Candidate, Typist } from './lists.js';
import type { Values } from './sources.js';
import type { Spot } from './spot.js';
import { optionsOf, spotOf } from './spot.js';

const PROGRAM_OPTIONS: readonly Candidate[] = [
  { value: '--help', description: 'every command' },
  { value: '--version', description: 'the version' },
];

const NOTHING: Values = { candidates: [] };

/**
 * The candidates for the word being typed, which is the last of `words`; these are the words of the line without the program's
 * name. Candidates begin with what is typed. Never throws; empty if nothing is known.
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
