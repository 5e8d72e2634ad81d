import { oneLine } from '../terminal/text.js';
import { complete } from './complete.js';
import type { Typist } from './lists.js';
import type { Values } from './sources.js';

/** The words of an unfinished command line, the last one being typed, and its open quote. */
interface ShellWords {
  readonly words: readonly string[];
  /** `'`, `"`, or nothing. */
  readonly quote: string;
}

/** Splits a line at quotes and backslashes as a shell does, without any expansion. */
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

/** Longer descriptions break a shell's column layout. */
const DESCRIPTION_COLUMNS = 60;

/**
 * What `sandbox __complete` prints for the scripts: how to complete, then a line for each candidate. `words`
 * are the shell's name and what its script passes on. Prints nothing for an unknown shell.
 */
export async function answer(words: readonly string[], typist: Omit<Typist, 'url'>): Promise<string> {
  const [shell, ...rest] = words;
  if (shell === 'bash') return bashAnswer(rest, typist);
  if (shell !== 'zsh' && shell !== 'fish' && shell !== 'powershell') return '';
  const values = await complete(unquoted(rest, shell), typist);
  const line = { zsh: zshLine, fish: tabbedLine, powershell: tabbedLine }[shell];
  return linesOf(
    values,
    values.candidates.map(({ value, description }) => line(value, oneLine(description, DESCRIPTION_COLUMNS))),
  );
}

/** Zsh passes all words as written; fish only the current one; PowerShell none, and each after an equals sign. */
function unquoted(words: readonly string[], shell: 'zsh' | 'fish' | 'powershell'): readonly string[] {
  if (shell === 'powershell') return words.map((word) => word.slice(1));
  return words.map((word, index) => {
    return shell === 'zsh' || index === words.length - 1 ? splitLine(word).words.join(' ') : word;
  });
}

/** Bash passes the line and its word-break characters; it replaces only the part after the last of them. */
async function bashAnswer(
  [line = '', wordBreaks = '']: readonly string[],
  typist: Omit<Typist, 'url'>,
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

function linesOf({ candidates, paths }: Values, lines: readonly string[]): string {
  const isOpen = candidates.length > 0 && candidates.every(({ value }) => value.endsWith('='));
  const how = paths ?? (isOpen ? 'nospace' : 'values');
  return `${[how, ...lines].join('\n')}\n`;
}

/**
 * Quotes a value, so that a code from elsewhere is a word and not a command. Within quotes, bash adds the
 * closing one itself.
 */
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
