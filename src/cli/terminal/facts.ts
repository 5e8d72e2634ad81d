import type { Io } from '../program/io.js';
import { oneLine, wrap } from './text.js';
import { widthOf } from './width.js';

/** One fact: its name, its value, the colour of the value, and whether the value must not be wrapped. */
export type Fact = readonly [
  name: string,
  value: string,
  paint?: ((text: string) => string) | undefined,
  isWhole?: boolean,
];

const GAP = 2;
/** With less room beside the names, values are not wrapped. */
const LEAST_COLUMNS = 20;

/**
 * Names and values in two columns. Empty values are omitted; none is cut, so that it can be copied. On a terminal a long value is
 * wrapped, or printed below its name if it must not be wrapped.
 */
export function facts({ columns }: Pick<Io, 'columns'>, lines: readonly Fact[]): string {
  const known = lines.filter(([, value]) => value !== '');
  const left = Math.max(0, ...known.map(([name]) => name.length)) + GAP;
  const room = columns - left >= LEAST_COLUMNS ? columns - left : 0;
  return known
    .map(([name, value, paint, isWhole]) => {
      const text = oneLine(value, 0);
      if (isWhole && room > 0 && widthOf(text) > room) return `${name}\n${text}`;
      const parts = isWhole ? [text] : wrap(text, room);
      return name.padEnd(left) + parts.map((part) => paint?.(part) ?? part).join(`\n${' '.repeat(left)}`);
    })
    .join('\n');
}
