import { stripVTControlCharacters } from 'node:util';
import { STATUS_TONES } from '../../contract/transitions.js';
import type { ExchangeDifference, ExchangeDifferences } from '../../text/exchange/differences.js';
import type { PageView } from '../../http/control/schema.js';
import { CONTROL_CHARACTERS, escapeControlCharacters } from '../../text/control-characters.js';
import { shortenSecret } from '../../text/redaction.js';
import type { Io } from '../program/io.js';
import { clearInterval, setInterval } from 'node:timers';
import { isAbsolute, relative, resolve, sep } from 'node:path';

const COLORS = { good: 'green', bad: 'red', waiting: 'yellow' } as const;

/** Aligns continuation lines in a log with the status in the first line. */
export const LOG_INDENT = ' '.repeat('00:00:00 '.length);

/** Colors text by status. */
export function colorStatus({ colors }: Pick<Io, 'colors'>, status: string, text = status): string {
  const tone = STATUS_TONES[status];
  return tone === undefined ? text : colors[COLORS[tone]](text);
}

/** A named value with an optional color. `isWhole` prevents wrapping. */
export type TextFact = readonly [
  name: string,
  value: string | null | undefined,
  paint?: ((text: string) => string) | undefined,
  isWhole?: boolean,
];

const FACT_GAP = 2;
/**
 * Minimum width of the value column. If less space is available, long values are printed below their names.
 */
const LEAST_FACT_COLUMNS = 20;

export function listBalanceFacts(
  accounts: readonly { readonly id: string; readonly balance: string }[],
): TextFact[] {
  return accounts.map(({ id, balance }) => ['balance', `${balance} BRL in account ${id}`]);
}

/**
 * Formats names and values in two columns and omits empty values. Never truncates values, so that they can be
 * copied. On a terminal, wraps long values; prints a value below its name if wrapping is disabled or would
 * split a word.
 */
export function formatFacts({ columns }: Pick<Io, 'columns'>, lines: readonly TextFact[]): string {
  const known = lines.filter(([, value]) => value != null && value !== '');
  const left = Math.max(0, ...known.map(([name]) => name.length)) + FACT_GAP;
  const room = columns === 0 ? Infinity : columns - left;
  return known
    .map(([name, value, paint, isWhole]) => {
      const text = toOneLine(value ?? '', 0);
      const isShort = measureWidth(text) <= room;
      const isBelow = !isShort && (isWhole || room < Math.max(LEAST_FACT_COLUMNS, measureLongestWord(text)));
      const parts = isWhole || isShort ? [text] : wrapText(text, isBelow ? columns : room);
      const shown = parts.map((part) => paint?.(part) ?? part);
      return isBelow ? [name, ...shown].join('\n') : name.padEnd(left) + shown.join(`\n${' '.repeat(left)}`);
    })
    .join('\n');
}

const NARROW = /^[\x20-\x7e]*$/;
/** Matches double-width characters: East Asian scripts, full-width forms and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
/** Matches zero-width combining characters. */
const MARK = /[\p{Mn}\p{Me}]/u;

/** Measures a text's width in terminal columns. The text must not contain control characters. */
export function measureWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Truncates text to a width in columns. */
export function truncate(text: string, columns: number): string {
  let left = columns;
  let kept = '';
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) break;
    kept += character;
  }
  return kept;
}

function columnsOf(character: string): number {
  if (WIDE.test(character)) return 2;
  return MARK.test(character) ? 0 : 1;
}

export { escapeControlCharacters } from '../../text/control-characters.js';

const GAP = '  ';
const UNBREAKABLE = '\u00a0';
/** Formats a value as one line of JSON, with control characters as `\u` escapes. */
export function formatJsonLine(value: object): string {
  return JSON.stringify(value).replaceAll(CONTROL_CHARACTERS, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Escapes and indents multi-line external text so that it cannot be mistaken for CLI output. */
export function indent(text: string, indent: string, columns: number): string {
  const width = columns === 0 ? 0 : Math.max(columns - indent.length, 1);
  const lines = escapeControlCharacters(text)
    .replaceAll('\t', ' ')
    .split('\n')
    .flatMap((line) => wrapText(line, width));
  return lines.join(`\n${indent}`);
}

/** Escapes external text, joins its lines and truncates the result to a width. */
export function toOneLine(text: string, width: number): string {
  return fitText(escapeControlCharacters(text).replaceAll(/\s+/g, ' ').trim(), width);
}

/** Truncates text to a width in columns and appends an ellipsis. A width of 0 disables truncation. */
export function fitText(text: string, width: number): string {
  if (width === 0) return text;
  // A tab's width depends on its position.
  const plain = text.replaceAll('\t', ' ');
  return measureWidth(plain) <= width ? plain : `${truncate(plain, width - 1)}…`;
}

/** Shortens the value in `Name: value`, or the entire text if the name is missing. */
export function shortenHeader(text: string): string {
  const split = text.indexOf(':');
  return split < 0
    ? shortenSecret(text)
    : `${text.slice(0, split)}: ${shortenSecret(text.slice(split + 1).trim())}`;
}

function measureLongestWord(text: string): number {
  return Math.max(...text.split(' ').map(shownWidth));
}

/**
 * Wraps text at word boundaries to a width in columns. Supports colored words. A width of 0 disables
 * wrapping.
 */
export function wrapText(text: string, width: number): string[] {
  if (width === 0) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && shownWidth(line) + 1 + shownWidth(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Wraps a built-in message without breaking commands in backticks. */
export function wrapSentence(text: string, width: number): string[] {
  const kept = text.replaceAll(/`[^`]*`/g, (command) => command.replaceAll(' ', UNBREAKABLE));
  return wrapText(kept, width).map((line) => line.replaceAll(UNBREAKABLE, ' '));
}

/** Wraps external text for the terminal and indents each line. */
export function formatParagraph({ columns }: Pick<Io, 'columns'>, text: string, indent = ''): string[] {
  const width = columns === 0 ? 0 : columns - indent.length;
  return wrapText(toOneLine(text, 0), width).map((line) => indent + line);
}

/** Wraps a built-in message for the terminal and indents continuation lines. */
export function formatHanging(text: string, columns: number, indent = GAP): string {
  if (columns === 0 || shownWidth(text) <= columns - indent.length) return text;
  const [first = '', ...others] = wrapSentence(text, Math.max(columns - indent.length, 1));
  return [first, ...others.map((line) => indentIfFits(line, indent, columns))].join('\n');
}

/** Indents a line, unless the indent would cause the terminal to wrap it. */
export function indentIfFits(line: string, indent: string, columns: number): string {
  const width = shownWidth(line);
  return width <= columns && indent.length + width > columns ? line : indent + line;
}

/** Prints a built-in message, wrapped for the terminal. */
export function printNote(io: Pick<Io, 'note' | 'columns'>, text: string): void {
  io.note(wrapSentence(text, io.columns).join('\n'));
}

function shownWidth(text: string): number {
  return measureWidth(stripVTControlCharacters(text));
}

/**
 * Joins parts on one line, or stacks and indents them if the terminal is too narrow. Parts can be colored.
 */
export function formatItems(parts: readonly string[], indent: string, columns: number): string[] {
  const line = parts.join(GAP);
  if (columns === 0 || shownWidth(line) <= columns) return [line];
  const [first = '', ...others] = parts;
  const below = others.flatMap((part) => {
    const start = indent.length + measureLongestWord(part) > columns ? GAP : indent;
    return wrapText(part, columns - start.length).map((line) => indentIfFits(line.trim(), start, columns));
  });
  return [...formatHanging(first, columns, '').split('\n'), ...below];
}

/** Formats a body's first lines: escaped, prefixed and truncated to the terminal width. */
export function formatBodyLines(
  { columns }: Pick<Io, 'columns'>,
  body: string,
  prefix: string,
  max: number,
): string[] {
  const text = escapeControlCharacters(body).trimEnd();
  if (text === '') return [];
  const lines = text.split('\n');
  const width = columns === 0 ? 0 : Math.max(columns - shownWidth(prefix), 1);
  const first = lines.slice(0, max).map((line) => prefix + fitText(line, width));
  const left = lines.length - first.length;
  return left === 0 ? first : [...first, `${prefix}… ${left} more ${left === 1 ? 'line' : 'lines'}`];
}

/** Minimum width of an id column: enough digits to identify the row, plus an ellipsis. */
export const SHORT_ID = 9;

export interface TextColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Minimum width on a narrow terminal. Used for ids, because commands accept shortened ids. */
  readonly minWidth?: number;
  /** Wraps the column between words on a narrow terminal. */
  readonly wraps?: boolean;
  /**
   * Omits the column if all cells are empty or the terminal is too narrow. The last optional column is
   * omitted first.
   */
  readonly optional?: boolean;
  /** Colors a cell after wrapping and truncation. */
  readonly paint?: (text: string, row: Row) => string;
}

/** Creates a column for a field, with the field name as the title. Joins lists with spaces. */
export function createColumn<Row>(
  field: keyof Row & string,
  more: Partial<TextColumn<Row>> = {},
): TextColumn<Row> {
  return {
    title: field.toUpperCase().replaceAll('_', ' '),
    value: (row) => [row[field] ?? ''].flat().join(' '),
    ...more,
  };
}

/** Creates a column with colored statuses. */
export function createStatusColumn<Row extends { readonly status: string }>(io: Io): TextColumn<Row> {
  return createColumn<Row>('status', { paint: (text, { status }) => colorStatus(io, status, text) });
}

/** Returns a formatter that renders a list as a table, or `none` for an empty list. */
export function formatList<Row>(
  none: string,
  columns: (io: Io, nowMs: number) => readonly TextColumn<Row>[],
): (io: Io, list: { readonly data: readonly Row[] }, nowMs: number) => string {
  return (io, { data }, nowMs) => (data.length === 0 ? none : formatTable(io, data, columns(io, nowMs)));
}

/** Formats the options that show adjacent pages. */
export function formatPageNote(_: Io, { paging }: Pick<PageView<unknown>, 'paging'>): string {
  const newer = paging.before === null ? [] : [`newer: --before ${paging.before}`];
  return [...newer, ...(paging.after === null ? [] : [`older: --after ${paging.after}`])].join('\n');
}

/** A column with measured cells. The first cell is the title. */
interface MeasuredColumn<Row> {
  readonly column: TextColumn<Row>;
  readonly cells: readonly string[];
  readonly min: number;
  width: number;
}

function measureColumn<Row>(column: TextColumn<Row>, rows: readonly Row[]): MeasuredColumn<Row> {
  const cells = [column.title, ...rows.map((row) => toOneLine(column.value(row), 0))];
  const width = Math.max(...cells.map(measureWidth));
  const min = column.wraps
    ? Math.max(...cells.map(measureLongestWord))
    : Math.min(width, column.minWidth ?? width);
  return { column, cells, width, min };
}

/** Returns the number of columns by which the table exceeds the terminal width. */
function excess(shown: readonly MeasuredColumn<never>[], size: 'width' | 'min', room: number): number {
  return shown.reduce((sum, each) => sum + each[size] + GAP.length, -GAP.length) - room;
}

/** Narrows the widest columns until the table fits, if possible. */
function narrow(shown: readonly MeasuredColumn<never>[], room: number): void {
  while (excess(shown, 'width', room) > 0) {
    const [widest] = shown.filter(({ width, min }) => width > min).sort((a, b) => b.width - a.width);
    if (widest === undefined) break;
    widest.width -= 1;
  }
}

/** Formats a row, or the titles if `row` is undefined. Wrapped cells produce several lines. */
function rowLines<Row>(shown: readonly MeasuredColumn<Row>[], index: number, row?: Row): string[] {
  const parts = shown.map(({ column, cells, width }) => {
    const cell = cells[index] ?? '';
    return column.wraps ? wrapText(cell, width) : [fitText(cell, width)];
  });
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    shown
      .map(({ column, width }, at) => {
        const text = parts[at]?.[line] ?? '';
        const painted = row === undefined ? undefined : column.paint?.(text, row);
        return (painted ?? text) + ' '.repeat(Math.max(width - measureWidth(text), 0));
      })
      .join(GAP)
      .trimEnd(),
  );
}

/**
 * Formats rows in columns as wide as their content. On a narrow terminal, omits optional columns first, then
 * moves the last columns to a line below the row, then wraps or truncates the widest columns. A width of 0
 * means no terminal and disables these changes.
 */
export function formatTable<Row>(
  { columns: terminal }: Pick<Io, 'columns'>,
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
): string {
  const room = terminal === 0 ? Infinity : terminal;
  let shown = columns
    .map((column) => measureColumn(column, rows))
    .filter(({ column, cells }) => !column.optional || cells.some((cell, index) => index > 0 && cell !== ''));
  while (excess(shown, 'min', room) > 0) {
    const surplus = shown.findLast(({ column }) => column.optional);
    if (surplus === undefined) break;
    shown = shown.filter((each) => each !== surplus);
  }
  const below: MeasuredColumn<Row>[] = [];
  while (excess(shown, 'min', room) > 0 && shown.length > 1) below.unshift(...shown.splice(-1));
  narrow(shown, room);
  narrow(below, room - GAP.length);
  const lines = [undefined, ...rows].flatMap((row, index) =>
    rowLines(shown, index, row).concat(
      rowLines(below, index, row).flatMap((line) => (line === '' ? [] : GAP + line)),
    ),
  );
  return lines.join('\n');
}

/** Differences between two exchanges. `not_kept` lists incompletely stored exchanges. */
interface Compared extends ExchangeDifferences {
  readonly not_kept: readonly (string | number)[];
}

export function formatComparison(
  io: Io,
  from: string,
  to: string,
  { not_kept: unknown, ...found }: Compared,
): string {
  const note =
    unknown.length === 0
      ? []
      : [`Headers and bodies of ${unknown.join(' and ')} are no longer stored, so they are not compared.`];
  return [`${from} -> ${to}`, differencesText(io, found), ...note].join('\n');
}

/** Lists one difference per line. The last line names the parts that always differ. */
function differencesText(io: Io, { differences, always }: ExchangeDifferences): string {
  const lines = differences.map((difference) => {
    const { of, from, to } = difference;
    const what = `${of.padEnd('request'.length)}  ${toOneLine(nameOf(difference), 0)}`;
    if (difference.part === 'writing') return `${what}: the same JSON, formatted differently`;
    const room =
      io.columns === 0 ? 0 : Math.max(Math.floor((io.columns - what.length - ': '.length) / 2) - 2, 20);
    return `${what}: ${valueText(from, room)} -> ${valueText(to, room)}`;
  });
  const usual = always.length === 0 ? [] : [`Always different: ${always.join(', ')}`];
  return [...(lines.length === 0 ? ['No differences.'] : lines), ...usual].join('\n');
}

function nameOf({ part, name }: ExchangeDifference): string {
  return part === 'writing' ? 'body' : `${part} ${name}`.trimEnd();
}

function valueText(value: string | null, room: number): string {
  return value === null ? '(none)' : fitText(toOneLine(value, 0), room);
}

const LINE_EVERY_MS = 5_000;

interface ProgressLine {
  readonly show: (text: string) => void;
  readonly end: () => void;
}

/** Calls a function repeatedly until the returned function is called. */
type Repeat = (run: () => void) => () => void;

const everyFiveSeconds: Repeat = (run) => {
  const timer = setInterval(run, LINE_EVERY_MS);
  return () => clearInterval(timer);
};

/**
 * Updates a progress line on a terminal. Elsewhere, prints the line every five seconds, even if unchanged.
 */
export function createProgressLine(
  io: Pick<Io, 'columns' | 'json' | 'note' | 'progress'>,
  first: string,
  repeat: Repeat = everyFiveSeconds,
): ProgressLine {
  let line = first;
  const isPrinted = io.columns === 0 && !io.json;
  const stop = isPrinted ? repeat(() => io.note(line)) : undefined;
  return {
    show: (text) => {
      line = text;
      io.progress(fitText(line, Math.max(io.columns - 1, 0)));
    },
    end: () => {
      stop?.();
      io.progress('');
    },
  };
}

interface RepositoryPlace {
  readonly file: string;
  readonly line: number;
}

/** Prints a GitHub Actions annotation for an error or warning. Does nothing outside GitHub Actions. */
export function annotateForCi(
  { env, cwd, note }: Pick<Io, 'env' | 'cwd' | 'note'>,
  title: string,
  message: string,
  place?: RepositoryPlace,
  level: 'error' | 'warning' = 'error',
): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const file = place && `file=${inProperty(repositoryPath(cwd, env.GITHUB_WORKSPACE, place.file))},`;
  const at = place === undefined ? '' : `${file}line=${place.line},`;
  note(`::${level} ${at}title=${inProperty(`pix-sandbox ${title}`)}::${inMessage(message)}`);
}

/**
 * Returns the path relative to the repository root. GitHub requires a relative path to show an annotation
 * next to its line.
 */
function repositoryPath(cwd: string, workspace: string | undefined, file: string): string {
  const path = resolve(cwd, file);
  const inside = relative(workspace || cwd, path);
  const isOutside = inside.split(sep)[0] === '..' || isAbsolute(inside);
  return (isOutside ? path : inside).split(sep).join('/');
}

function inMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function inProperty(text: string): string {
  return inMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
