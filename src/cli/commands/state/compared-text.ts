import type { ComparedView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { hanging, oneLine } from '../../terminal/text.js';

type Difference = ComparedView['differences'][number];

const MARKS = { added: '+', removed: '-', changed: '~' } as const;

/** A line for each difference, with the fields that changed. */
export function comparedText(io: Io, { from, to, count, differences }: ComparedView): string {
  const other = to ?? 'now';
  if (count === 0) return `${from} and ${other} are the same.`;
  const lines = differences.map((difference) => hanging(lineOf(io, difference), io.columns, '    '));
  const left = count - differences.length;
  return [`From ${from} to ${other}:`, ...lines, ...(left === 0 ? [] : [`… ${left} more`])].join('\n');
}

function lineOf({ colour }: Io, { kind, id, code, change, fields = {} }: Difference): string {
  const paint = { added: colour.green, removed: colour.red, changed: colour.yellow }[change];
  const name = code === undefined ? id : `${oneLine(code, 0)} (${id})`;
  const changes = Object.entries(fields).map(
    ([field, values]) => `${field} ${valueText(values.from)} → ${valueText(values.to)}`,
  );
  const what = kind === id ? kind : `${kind} ${name}`;
  return `${paint(MARKS[change])} ${what}${changes.length === 0 ? '' : `: ${changes.join(', ')}`}`;
}

function valueText(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), 0);
}
