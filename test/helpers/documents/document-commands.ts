import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { splitLine } from '../../../src/cli/completion/complete.js';
import { COMMANDS } from '../cli/commands.js';
import { EXIT_CODES } from '../../../src/cli/program/errors.js';
import { PROGRAM_NAME } from '../../../src/text/program-name.js';
import { runProgram } from '../../../src/cli/program/program.js';
import type { Block } from './document-blocks.js';
import { blocksOf, proseOf, stepsOf } from './document-blocks.js';

const ROOT = join(import.meta.dirname, '../../..');
const OURS = new Set(['sandbox', 'pix-sandbox']);
/** Interpreters whose first argument is a file of ours. */
const RUNS_FILES = new Set(['node', 'python3', 'ruby', 'java', 'go']);
/** Programs of every machine, with nothing that can be held against the source. */
const COMMON = new Set([
  'curl',
  'tee',
  'tail',
  'cat',
  'echo',
  'export',
  'cd',
  'eval',
  'source',
  'git',
  'jq',
  'exit',
  'command',
  'sh',
]);
/** What the code of documents may be; anything else would be shown and never looked at. */
const TAGS = ['console', 'sh', 'js', 'ts', 'json', 'yaml', 'python', 'go', 'ruby', 'java', 'http'];

/** Where the reader is, and the files that the document has them save. */
interface Reader {
  readonly folder: string;
  readonly saved: readonly (string | undefined)[];
}

/** What is wrong with the code and the commands that a document shows: one text for each, with the line where it has one. */
export async function mistakesOf(markdown: string, path: string): Promise<string[]> {
  const issues: string[] = [];
  const blocks = blocksOf(markdown);
  const reader = { folder: dirname(path), saved: blocks.map(({ file }) => file) };
  for (const block of blocks) {
    if (!TAGS.includes(block.tag) && !(block.tag === 'text' && isGenerated(markdown, block.line))) {
      issues.push(`line ${block.line}: expected a fence tagged ${TAGS.join(', ')}; got "${block.tag}"`);
    }
    for (const command of shownCommands(block)) {
      const problem = await problemOf(command, reader, false);
      if (problem !== undefined) issues.push(`line ${block.line}: ${command}: ${problem}`);
    }
  }
  for (const [, span = ''] of proseOf(markdown).matchAll(/`([^`]+)`/g)) {
    // A usage may have parts in brackets.
    const command = commandOf(span.replaceAll(/\s+/g, ' ').replaceAll(/ \[[^\]]*\]/g, ''));
    const problem = command === undefined ? undefined : await problemOf(command, reader, true);
    if (problem !== undefined) issues.push(`\`${span}\`: ${problem}`);
  }
  return issues;
}

/** Whether a line stands between the marks of what a test writes. */
function isGenerated(markdown: string, line: number): boolean {
  const before = markdown.split('\n').slice(0, line).join('\n');
  return before.lastIndexOf(':begin -->') > before.lastIndexOf(':end -->');
}

function shownCommands(block: Block): string[] {
  if (block.tag === 'console') return stepsOf(block).map(({ command }) => command);
  if (block.tag !== 'sh') return [];
  const lines = block.content.join('\n').replaceAll('\\\n', ' ').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => line.replace(/^\$ /, ''));
}

/** A command of ours that stands in a sentence, with or without the program's name. */
function commandOf(span: string): string | undefined {
  if (/^(?:npx )?(?:pix-)?sandbox [a-z<]/.test(span)) return span;
  const isNamed = COMMANDS.some(({ name }) => span.startsWith(`${name} `));
  return isNamed && span.includes(' --') ? `npx sandbox ${span}` : undefined;
}

/** The first thing in a line of a shell that cannot be so. In a sentence, values may be missing. */
async function problemOf(line: string, reader: Reader, inProse: boolean): Promise<string | undefined> {
  for (const words of simpleCommands(line)) {
    const problem = await problemOfWords(words, reader);
    if (problem === undefined) continue;
    if (inProse && /argument missing|missing required argument/.test(problem)) continue;
    return problem;
  }
  return undefined;
}

/** The simple commands of a line: of lists, pipes and `$(…)`. Placeholders such as `<id>` become words. */
export function simpleCommands(line: string): string[][] {
  const inner: string[] = [];
  const plain = line
    .replace(/(sandbox) <command>/, '$1 status')
    .replaceAll(/<([a-z][a-z- ]*)>/g, '$1')
    .replaceAll(/\$\(([^()]*)\)/g, (_, command: string) => {
      inner.push(command);
      return 'x';
    });
  const own = unquotedParts(plain).map((part) => {
    const words = splitLine(part.replaceAll(/\d?>(?:&\d|>?\s*\S+)|<\s*\S+/g, '')).words;
    return words.filter((word) => word !== '');
  });
  const commands = own.map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))));
  return [...commands, ...inner.flatMap(simpleCommands)].filter(([word]) => word !== undefined);
}

/** A line cut where a shell ends a command; what follows a `#` is dropped. */
function unquotedParts(line: string): string[] {
  const tokens =
    line.match(/'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?:^|\s+)#.*|&&|\|\||\d?>&\d|[|;&\n]|[^'"\\|;&\s]+|\s+/g) ?? [];
  const parts = [''];
  for (const token of tokens) {
    if (/^(?:&&|\|\||[|;&\n])$/.test(token)) parts.push('');
    else if (!/^\s*#/.test(token)) parts.push(`${parts.pop() ?? ''}${token}`);
  }
  return parts;
}

async function problemOfWords(words: readonly string[], reader: Reader): Promise<string | undefined> {
  const [program = '', first = '', ...rest] = words;
  if (OURS.has(program)) return problemOfOurs(words.slice(1), reader);
  if (program === 'npx') {
    if (OURS.has(first)) return problemOfOurs(rest, reader);
    return existsSync(join(ROOT, 'node_modules/.bin', first)) ? undefined : `there is no npx ${first}`;
  }
  if (program === 'npm') return problemOfNpm(first, rest[0], reader);
  if (RUNS_FILES.has(program)) return problemOfFile(words.slice(1), reader);
  return COMMON.has(program) ? undefined : `${program} is not a program that documents may show`;
}

async function problemOfOurs(args: readonly string[], reader: Reader): Promise<string | undefined> {
  let said = '';
  const hear = (text: string) => {
    said += text;
  };
  const exitCode = await runProgram(args, async () => EXIT_CODES.done, {
    out: hear,
    err: hear,
    program: PROGRAM_NAME,
  });
  if (exitCode !== EXIT_CODES.done) return said.split('\n')[0];
  const end = args.indexOf('--');
  return end < 0 || args[end + 1] === undefined ? undefined : problemOfWords(args.slice(end + 1), reader);
}

function problemOfNpm(verb: string, name: string | undefined, { folder }: Reader): string | undefined {
  if (['ci', 'install', 'pack', 'audit'].includes(verb)) return undefined;
  const script = verb === 'run' ? name : verb;
  const scripts = [folder, ROOT]
    .map((place) => join(place, 'package.json'))
    .filter((file) => existsSync(file))
    .map((file) => (JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, string> }).scripts);
  const isThere = scripts.some((known) => known?.[script ?? ''] !== undefined);
  return isThere ? undefined : `there is no script ${script}`;
}

function problemOfFile(args: readonly string[], { folder, saved }: Reader): string | undefined {
  const file = args.find((arg) => /\.[a-z]+$/.test(arg) && !arg.startsWith('-'));
  if (file === undefined || saved.includes(file)) return undefined;
  const isThere = [folder, ROOT].some((place) => existsSync(join(place, file)));
  return isThere ? undefined : `there is no file ${file}`;
}
