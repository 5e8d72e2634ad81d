import { oneLine } from '../text.js';

/** A line of what is known of something: its name, its value, and how the value is coloured. */
export type Fact = readonly [name: string, value: string, paint?: (text: string) => string];

/** Names and values in two columns. Values that are empty are left out; none is cut, so that it can be copied whole. */
export function facts(lines: readonly Fact[]): string {
  const known = lines.filter(([, value]) => value !== '');
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known
    .map(([name, value, paint]) => {
      const text = oneLine(value, 0);
      return `${name.padEnd(width)}  ${paint?.(text) ?? text}`;
    })
    .join('\n');
}
