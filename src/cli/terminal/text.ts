import { stripVTControlCharacters } from 'node:util';
import { TONES } from '../../contract/transitions.js';
import type { ExchangeDifference, ExchangeDifferences } from '../../text/exchange/differences.js';
import type { PageView } from '../../http/control/schema.js';
import { CONTROL_CHARACTERS, escapeControlCharacters } from '../../text/control-characters.js';
import { shortenSecret } from '../../text/redaction.js';
import type { Io } from '../program/io.js';
import { clearInterval, setInterval } from 'node:timers';
import { isAbsolute, relative, resolve, sep } from 'node:path';

const COLORS = { good: 'green', bad: 'red', waiting: 'yellow' } as const;

/** In a log, further lines are indented to the status of the first line. */
export const LOG_INDENT = ' '.repeat('00:00:00 '.length);

/** Colors a text like its status. */
export function colorStatus({ colors }: Pick<Io, 'colors'>, status: string, text = status): string {
  const tone = TONES[status];
  return tone === undefined ? text : colors[COLORS[tone]](text);
}

/** One fact: its name, its value if it has one, its color, and whether it must not be wrapped. */
export type TextFact = readonly [
  name: string,
  value: string | null | undefined,
  paint?: ((text: string) => string) | undefined,
  isWhole?: boolean,
];

const FACT_GAP = 2;
/** With less room next to the names, long values are printed below them. */
const LEAST_FACT_COLUMNS = 20;

/**
 * Names and values in two columns. Empty values are omitted; none is cut, so that it can be copied. On a
 * terminal a long value is wrapped, or printed below its name if that would divide a word of it, or if it
 * must not be wrapped.
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
/** Characters two columns wide: East Asian scripts, full-width forms, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
/** Combining characters, which take no column. */
const MARK = /[\p{Mn}\p{Me}]/u;

/** Measures the terminal width of a text without control characters. */
export function measureWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of a text that fits into a width in columns. */
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
/** Formats a value as one line of safe JSON: the same value, with control characters as `\u` escapes. */
export function formatJsonLine(value: object): string {
  return JSON.stringify(value).replaceAll(CONTROL_CHARACTERS, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/**
 * Foreign text of several lines below a line of ours: escaped, and indented so that it cannot be mistaken for
 * our own.
 */
export function indent(text: string, indent: string, columns: number): string {
  const width = columns === 0 ? 0 : Math.max(columns - indent.length, 1);
  const lines = escapeControlCharacters(text)
    .replaceAll('\t', ' ')
    .split('\n')
    .flatMap((line) => wrapText(line, width));
  return lines.join(`\n${indent}`);
}

/** The same on one line, cut to a width. */
export function toOneLine(text: string, width: number): string {
  return fitText(escapeControlCharacters(text).replaceAll(/\s+/g, ' ').trim(), width);
}

/** Cuts text to a width in columns, with an ellipsis if something was cut. A width of 0 cuts nothing. */
export function fitText(text: string, width: number): string {
  if (width === 0) return text;
  // The width of a tab depends on its position.
  const plain = text.replaceAll('\t', ' ');
  return measureWidth(plain) <= width ? plain : `${truncate(plain, width - 1)}…`;
}

/** `Name: value` with the value shortened; without a name, the whole text is. */
export function shortenHeader(text: string): string {
  const split = text.indexOf(':');
  return split < 0
    ? shortenSecret(text)
    : `${text.slice(0, split)}: ${shortenSecret(text.slice(split + 1).trim())}`;
}

/** The width in columns of the longest word. */
function measureLongestWord(text: string): number {
  return Math.max(...text.split(' ').map(shownWidth));
}

/** Wraps text between words, which may be colored, at a width in columns. A width of 0 wraps nothing. */
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

/** The same for a sentence of ours: commands in backticks are not broken. */
export function wrapSentence(text: string, width: number): string[] {
  const kept = text.replaceAll(/`[^`]*`/g, (command) => command.replaceAll(' ', UNBREAKABLE));
  return wrapText(kept, width).map((line) => line.replaceAll(UNBREAKABLE, ' '));
}

/** Foreign text as lines of the terminal, each with an indent. */
export function formatParagraph({ columns }: Pick<Io, 'columns'>, text: string, indent = ''): string[] {
  const width = columns === 0 ? 0 : columns - indent.length;
  return wrapText(toOneLine(text, 0), width).map((line) => indent + line);
}

/** A sentence of ours, wrapped for the terminal with further lines indented. */
export function formatHanging(text: string, columns: number, indent = GAP): string {
  if (columns === 0 || shownWidth(text) <= columns - indent.length) return text;
  const [first = '', ...others] = wrapSentence(text, Math.max(columns - indent.length, 1));
  return [first, ...others.map((line) => indentIfFits(line, indent, columns))].join('\n');
}

/** A line with an indent, unless the terminal would divide the line only because of it. */
export function indentIfFits(line: string, indent: string, columns: number): string {
  const width = shownWidth(line);
  return width <= columns && indent.length + width > columns ? line : indent + line;
}

/** Prints a sentence of ours, wrapped for the terminal. */
export function printNote(io: Pick<Io, 'note' | 'columns'>, text: string): void {
  io.note(wrapSentence(text, io.columns).join('\n'));
}

function shownWidth(text: string): number {
  return measureWidth(stripVTControlCharacters(text));
}

/** Parts on one line, or below each other and indented if the terminal is too narrow. Parts may be colored. */
export function joinOrStack(parts: readonly string[], indent: string, columns: number): string[] {
  const line = parts.join(GAP);
  if (columns === 0 || shownWidth(line) <= columns) return [line];
  const [first = '', ...others] = parts;
  const below = others.flatMap((part) => {
    const start = indent.length + measureLongestWord(part) > columns ? GAP : indent;
    return wrapText(part, columns - start.length).map((line) => indentIfFits(line.trim(), start, columns));
  });
  return [...formatHanging(first, columns, '').split('\n'), ...below];
}

/** The first lines of a body, escaped, each after a prefix, and cut to the terminal. */
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

/** The least width of a column of ids: enough digits to name the row, and an ellipsis. */
export const SHORT_ID = 9;

export interface TextColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** The column may be cut to this width on a narrow terminal: ids, which commands also accept shortened. */
  readonly minWidth?: number;
  /** The column is wrapped between words on a narrow terminal. */
  readonly wraps?: boolean;
  /** The column is omitted on a narrow terminal, the last one first, and when it is empty in every row. */
  readonly optional?: boolean;
  /** Colors a cell after it has its final width. */
  readonly paint?: (text: string, row: Row) => string;
}

/** The column of a field, with its name as the title: of a status in its color, of a list with spaces between. */
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

/** The column that shows a status in its color. */
export function createStatusColumn<Row extends { readonly status: string }>(io: Io): TextColumn<Row> {
  return createColumn<Row>('status', { paint: (text, { status }) => colorStatus(io, status, text) });
}

/** The text of a list: a table of its rows, or that there are none. */
export function formatList<Row>(
  none: string,
  columns: (io: Io, nowMs: number) => readonly TextColumn<Row>[],
): (io: Io, list: { readonly data: readonly Row[] }, nowMs: number) => string {
  return (io, { data }, nowMs) => (data.length === 0 ? none : formatTable(io, data, columns(io, nowMs)));
}

/** The options for the pages next to this one. */
export function formatPageNote(_: Io, { paging }: Pick<PageView<unknown>, 'paging'>): string {
  const newer = paging.before === null ? [] : [`newer: --before ${paging.before}`];
  return [...newer, ...(paging.after === null ? [] : [`older: --after ${paging.after}`])].join('\n');
}

/** A column with its cells, the first of which is its title, and widths. */
interface Measured<Row> {
  readonly column: TextColumn<Row>;
  readonly cells: readonly string[];
  readonly min: number;
  width: number;
}

function measured<Row>(column: TextColumn<Row>, rows: readonly Row[]): Measured<Row> {
  const cells = [column.title, ...rows.map((row) => toOneLine(column.value(row), 0))];
  const width = Math.max(...cells.map(measureWidth));
  const min = column.wraps
    ? Math.max(...cells.map(measureLongestWord))
    : Math.min(width, column.minWidth ?? width);
  return { column, cells, width, min };
}

/** By how many columns of the terminal these columns are too wide. */
function excess(shown: readonly Measured<never>[], size: 'width' | 'min', room: number): number {
  return shown.reduce((sum, each) => sum + each[size] + GAP.length, -GAP.length) - room;
}

/** Makes the widest of these columns narrower until they fit, if they can. */
function narrow(shown: readonly Measured<never>[], room: number): void {
  while (excess(shown, 'width', room) > 0) {
    const [widest] = shown.filter(({ width, min }) => width > min).sort((a, b) => b.width - a.width);
    if (widest === undefined) break;
    widest.width -= 1;
  }
}

/** Formats a row, or without one the titles; a wrapped cell makes several lines. */
function rowLines<Row>(shown: readonly Measured<Row>[], index: number, row?: Row): string[] {
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
 * Formats rows in columns as wide as their content. On a narrow terminal, optional columns are dropped first,
 * the last ones without room are printed below the others, and then the widest are cut or wrapped; 0 columns
 * mean no terminal and change nothing.
 */
export function formatTable<Row>(
  { columns: terminal }: Pick<Io, 'columns'>,
  rows: readonly Row[],
  columns: readonly TextColumn<Row>[],
): string {
  const room = terminal === 0 ? Infinity : terminal;
  let shown = columns
    .map((column) => measured(column, rows))
    .filter(({ column, cells }) => !column.optional || cells.some((cell, index) => index > 0 && cell !== ''));
  while (excess(shown, 'min', room) > 0) {
    const surplus = shown.findLast(({ column }) => column.optional);
    if (surplus === undefined) break;
    shown = shown.filter((each) => each !== surplus);
  }
  const below: Measured<Row>[] = [];
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

/** Differences of two exchanges, and which of them are no longer stored completely. */
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
      : [`Headers and bodies are not compared: those of ${unknown.join(' and ')} are not kept.`];
  return [`${from} -> ${to}`, differencesText(io, found), ...note].join('\n');
}

/** The name and the values of what differs, one below the other; what differs in any two is named in the last line. */
function differencesText(io: Io, { differences, always }: ExchangeDifferences): string {
  const lines = differences.map((difference) => {
    const { of, from, to } = difference;
    const what = `${of.padEnd('request'.length)}  ${toOneLine(nameOf(difference), 0)}`;
    if (difference.part === 'writing') return `${what}: the same JSON, written differently`;
    const room =
      io.columns === 0 ? 0 : Math.max(Math.floor((io.columns - what.length - ': '.length) / 2) - 2, 20);
    return `${what}: ${valueText(from, room)} -> ${valueText(to, room)}`;
  });
  const usual = always.length === 0 ? [] : [`As in any two, also: ${always.join(', ')}`];
  return [...(lines.length === 0 ? ['Nothing differs.'] : lines), ...usual].join('\n');
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

/** Calls a function again and again, until the returned one is called. */
type Repeat = (run: () => void) => () => void;

const everyFiveSeconds: Repeat = (run) => {
  const timer = setInterval(run, LINE_EVERY_MS);
  return () => clearInterval(timer);
};

/** Draws a line on a terminal; elsewhere it prints one every five seconds, also without news. */
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

/** Marks an error, or a warning, if this runs in GitHub Actions. */
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

/** GitHub shows an annotation next to the line only if the path begins at the root of the repository. */
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
