import { readAllRunFiles } from '../../client/run-file.js';
import { loadCommands, type CommandTable, COMMON_OPTIONS, splitCommon } from '../commands/table.js';
import { type ArgumentSpec, type CommandName, formatFlags, listNames } from '../program/declaration.js';
import { toOneLine } from '../terminal/text.js';
import type { Candidate, CompletionContext } from './lists.js';
import type { Completions, ValueSource } from './sources.js';

interface TypedOption extends Candidate {
  readonly alias: string | undefined;
  readonly takesValue: boolean;
  readonly repeats: boolean;
  readonly values?: ValueSource | undefined;
}

/** Lists a command's options, followed by the common options. */
export function listOptions({ options }: Pick<CommandName, 'options'>): readonly TypedOption[] {
  const own = Object.entries(options).map(([key, option]) => typedOption(formatFlags(key, option), option));
  const common = COMMON_OPTIONS.map(({ flags, description }) =>
    typedOption(flags, { description, values: runningUrls }),
  );
  return [...own, ...common, typedOption('--help', { description: 'show usage and examples' })];
}

interface Described {
  readonly alias?: string;
  readonly description: string;
  readonly repeats?: boolean;
  readonly values?: ValueSource | undefined;
}

function typedOption(flags: string, { alias, description, repeats = false, values }: Described): TypedOption {
  const [value = flags] = flags.split(' ', 1);
  return { value, alias, description, takesValue: flags.includes(' '), repeats, values };
}

const runningUrls: ValueSource = ({ env }) => ({
  candidates: readAllRunFiles(env).map(({ url, folder }) => ({ value: url, description: folder })),
});

const PROGRAM_OPTIONS: readonly Candidate[] = [
  { value: '--help', description: 'list all commands' },
  { value: '--version', description: 'print the version' },
];

const NOTHING: Completions = { candidates: [] };

/**
 * Completes the last word of a command line. `words` excludes the program name. Every candidate starts with
 * the typed text. Never throws; returns an empty list if no candidates are known.
 */
export async function complete(
  words: readonly string[],
  typist: Omit<CompletionContext, 'url'>,
): Promise<Completions> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const at = before.findIndex((word) => word === '--url' || word.startsWith('--url='));
  const url = before[at]?.includes('=') ? before[at]?.slice('--url='.length) : before[at + 1];
  const values = valuesAt(before, typed, { ...typist, url: at < 0 ? undefined : url });
  const { candidates, paths } = await values;
  return { candidates: candidates.filter(({ value }) => isTypable(value) && value.startsWith(typed)), paths };
}

/** Returns false for values with control characters, because line breaks and tabs separate candidates. */
function isTypable(value: string): boolean {
  return !/[\p{Cc}\p{Bidi_Control}]/u.test(value);
}

async function valuesAt(
  before: readonly string[],
  typed: string,
  typist: CompletionContext,
): Promise<Completions> {
  const table = await loadCommands();
  const { words, given } = splitCommon(before);
  const end = before.indexOf('--');
  if (end < 0 && before.at(-1) === '--url') return runningUrls(typist, typed);
  const isHelp = words[0] === 'help';
  const path = isHelp ? words.slice(1) : words;
  const names = table.commands.flatMap(listNames);
  const typedNames = new Set([path.slice(0, 1), path.slice(0, 2)].map((part) => part.join(' ')));
  const command = names.find((name) => typedNames.has(name.path));
  if (command === undefined) return { candidates: commandsAt(path, isHelp, { ...table, names }, typed) };
  if (isHelp) return NOTHING;
  const options = listOptions(command);
  const flags = new Set(given.map((word) => word.split('=', 1)[0]));
  let position = end < 0 ? 0 : before.length - end - 1;
  let open: TypedOption | undefined;
  for (const word of path.slice(command.path.split(' ').length)) {
    const [flag] = word.split('=', 1);
    const option = options.find(({ value, alias }) => value === flag || alias === flag);
    if (open !== undefined) open = undefined;
    else if (!word.startsWith('-') || word === '-') position += 1;
    else {
      flags.add(option?.value ?? flag);
      open = option?.takesValue === true && flag === word ? option : undefined;
    }
  }
  if (open !== undefined && end < 0) return (await open.values?.(typist, typed)) ?? NOTHING;
  const left = end < 0 ? options.filter(({ repeats, value }) => repeats || !flags.has(value)) : [];
  if (end < 0 && typed.startsWith('-')) return optionValues(options, left, typed, typist);
  const argument = argumentAt(command, position);
  return argument === undefined
    ? { candidates: left }
    : ((await argument.values?.(typist, typed)) ?? NOTHING);
}

function argumentAt({ args }: CommandName, position: number): ArgumentSpec<unknown> | undefined {
  const specs = Object.values(args);
  const last = specs.at(-1);
  return specs[position] ?? (last?.form === 'rest' || last?.form === 'some' ? last : undefined);
}

/**
 * Lists the possible next words: a group's subcommands, or the top-level commands. Completes aliases only once they
 * are begun.
 */
function commandsAt(
  [first, ...others]: readonly string[],
  isHelp: boolean,
  { folders, commands, names }: CommandTable & { readonly names: readonly CommandName[] },
  typed: string,
): readonly Candidate[] {
  const start = first === undefined ? '' : `${first} `;
  const words = names
    .filter(({ path, command }) => path === command.name || typed !== '')
    .filter(({ path }) => path.startsWith(start))
    .map(({ path, command }) => ({ value: path.slice(start.length), description: command.summary }))
    .filter(({ value }) => !value.includes(' '));
  if (first !== undefined) return others.length > 0 ? [] : words;
  if (typed.startsWith('-')) {
    const help = commands.filter(({ name }) => isHelp && name === 'help');
    return isHelp ? help.flatMap(listOptions) : PROGRAM_OPTIONS;
  }
  const groups = Array.from(folders, ([value, { about = '' }]) => ({ value, description: about }));
  return [...groups.filter(({ description }) => description !== ''), ...words];
}

/** Completes an option name, or an option's value after `=`. */
async function optionValues(
  options: readonly TypedOption[],
  left: readonly TypedOption[],
  typed: string,
  typist: CompletionContext,
): Promise<Completions> {
  const split = typed.indexOf('=');
  const aliases = left.flatMap((option) => ({ ...option, value: option.alias ?? '' }));
  // Aliases are completed only once they are begun.
  if (split < 0) return { candidates: /^--?$/.test(typed) ? left : [...left, ...aliases] };
  const flag = typed.slice(0, split);
  const option = options.find((one) => [one.value, one.alias].includes(flag) && one.takesValue);
  const { candidates, paths } = (await option?.values?.(typist, typed.slice(split + 1))) ?? NOTHING;
  return {
    candidates: candidates.map(({ value, description }) => ({ value: `${flag}=${value}`, description })),
    paths,
  };
}

/** Words of an unfinished command line. The last word is still being typed. */
interface ShellWords {
  readonly words: readonly string[];
  /** The open quote (`'` or `"`), or an empty string. */
  readonly quote: string;
}

/** Splits a line into words as a shell does, but without expansion. */
export function splitLine(line: string): ShellWords {
  const words: string[] = [];
  let word = '';
  let isBegun = false;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (quote === '' && /\s/.test(character)) {
      if (isBegun) words.push(word);
      word = '';
      isBegun = false;
      continue;
    }
    isBegun = true;
    if (character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === '\\' && quote !== "'") {
      at += 1;
      word += line[at] ?? '';
    } else word += character;
  }
  return { words: [...words, word], quote };
}

/** Maximum description width. Longer descriptions break a shell's column layout. */
const DESCRIPTION_COLUMNS = 60;

/**
 * Formats the output of `sandbox __complete`: the completion mode, then one candidate per line. `words`
 * contains the shell's name and the script's arguments. Returns an empty string for an unknown shell.
 */
export async function printCompletions(
  words: readonly string[],
  typist: Omit<CompletionContext, 'url'>,
): Promise<string> {
  const [shell, ...rest] = words;
  if (shell === 'bash') return printBashCompletions(rest, typist);
  if (shell !== 'zsh' && shell !== 'fish' && shell !== 'powershell') return '';
  const values = await complete(removeQuotes(rest, shell), typist);
  const line = { zsh: zshLine, fish: tabbedLine, powershell: tabbedLine }[shell];
  return linesOf(
    values,
    values.candidates.map(({ value, description }) =>
      line(value, toOneLine(description, DESCRIPTION_COLUMNS)),
    ),
  );
}

/**
 * Removes shell quoting. zsh quotes every word, fish only the current word. PowerShell passes unquoted words,
 * each prefixed with `=`.
 */
function removeQuotes(words: readonly string[], shell: 'zsh' | 'fish' | 'powershell'): readonly string[] {
  if (shell === 'powershell') return words.map((word) => word.slice(1));
  return words.map((word, index) => {
    return shell === 'zsh' || index === words.length - 1 ? splitLine(word).words.join(' ') : word;
  });
}

/**
 * Formats completions for Bash, which passes the line and the word-break characters, and replaces only the
 * text after the last break.
 */
async function printBashCompletions(
  [line = '', wordBreaks = '']: readonly string[],
  typist: Omit<CompletionContext, 'url'>,
): Promise<string> {
  const { words, quote } = splitLine(line);
  const values = await complete(words.slice(1), typist);
  const typed = words.at(-1) ?? '';
  const kept = quote === '' ? lastBreak(typed, wordBreaks) + 1 : 0;
  return linesOf(
    values,
    values.candidates.map(({ value }) => bashQuoted(value.slice(kept), quote)),
  );
}

function lastBreak(typed: string, wordBreaks: string): number {
  return Math.max(...Array.from(wordBreaks, (character) => typed.lastIndexOf(character)), -1);
}

function linesOf({ candidates, paths }: Completions, lines: readonly string[]): string {
  const isOpen = candidates.length > 0 && candidates.every(({ value }) => value.endsWith('='));
  const how = paths ?? (isOpen ? 'nospace' : 'values');
  return `${[how, ...lines].join('\n')}\n`;
}

/** Quotes a value so that Bash never runs it as a command. Bash adds the closing quote. */
function bashQuoted(value: string, quote: string): string {
  if (quote === "'") return value.replaceAll("'", String.raw`'\''`);
  if (quote === '"') return value.replaceAll(/["$`\\!]/g, String.raw`\$&`);
  return value.replaceAll(/[^\p{L}\p{N}_@%+:,./=-]/gu, String.raw`\$&`);
}

function zshLine(value: string, description: string): string {
  const escaped = value.replaceAll(/[\\:]/g, String.raw`\$&`);
  return description === '' ? escaped : `${escaped}:${description}`;
}

function tabbedLine(value: string, description: string): string {
  return description === '' ? value : `${value}\t${description}`;
}
