import type { Io } from '../program/io.js';
import { oneLine, wrap } from './text.js';
import { widthOf } from './width.js';

/** A line of what is known of something: its name, its value, how the value is coloured, and whether it must not be broken. */
export type Fact = readonly [
  name: string,
  value: string,
  paint?: ((text: string) => string) | undefined,
  isWhole?: boolean,
];

const GAP = 2;
/** Where less is left beside the names, values are not broken. */
const LEAST_COLUMNS = 20;

/**
 * Names and values in two columns. Values that are empty are left out; none is cut, so that it can be copied whole. On a terminal
 * a longer one goes on below, or stands below its name where it must not be broken.
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
