import type { Io } from '../program/io.js';
import { longestWord, oneLine, wrap } from './text.js';
import { widthOf } from './width.js';

/** One fact: its name, its value, the colour of the value, and whether the value must not be wrapped. */
export type Fact = readonly [
  name: string,
  value: string,
  paint?: ((text: string) => string) | undefined,
  isWhole?: boolean,
];

const GAP = 2;
/** With less room next to the names, long values are printed below them. */
const LEAST_COLUMNS = 20;

/**
 * Names and values in two columns. Empty values are omitted; none is cut, so that it can be copied. On a terminal a long value is
 * wrapped, or printed below its name if that would divide a word of it, or if it must not be wrapped.
 */
export function facts({ columns }: Pick<Io, 'columns'>, lines: readonly Fact[]): string {
  const known = lines.filter(([, value]) => value !== '');
  const left = Math.max(0, ...known.map(([name]) => name.length)) + GAP;
  const room = columns === 0 ? Infinity : columns - left;
  return known
    .map(([name, value, paint, isWhole]) => {
      const text = oneLine(value, 0);
      const isShort = widthOf(text) <= room;
      const isBelow = !isShort && (isWhole || room < Math.max(LEAST_COLUMNS, longestWord(text)));
      const parts = isWhole || isShort ? [text] : wrap(text, isBelow ? columns : room);
      const shown = parts.map((part) => paint?.(part) ?? part);
      return isBelow ? [name, ...shown].join('\n') : name.padEnd(left) + shown.join(`\n${' '.repeat(left)}`);
    })
    .join('\n');
}
