import type { Difference, Differences } from '../../text/exchange/differences.js';
import type { Io } from '../program/io.js';
import { fit, oneLine } from './text.js';

/** What differs in two exchanges, and which of them are no longer kept whole. */
interface Compared extends Differences {
  readonly not_kept: readonly (string | number)[];
}

export function comparedText(
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
function differencesText(io: Io, { differences, always }: Differences): string {
  const lines = differences.map((difference) => {
    const { of, from, to } = difference;
    const what = `${of.padEnd('request'.length)}  ${oneLine(nameOf(difference), 0)}`;
    if (difference.part === 'writing') return `${what}: the same JSON, written differently`;
    const room =
      io.columns === 0 ? 0 : Math.max(Math.floor((io.columns - what.length - ': '.length) / 2) - 2, 20);
    return `${what}: ${valueText(from, room)} -> ${valueText(to, room)}`;
  });
  const usual = always.length === 0 ? [] : [`As in any two, also: ${always.join(', ')}`];
  return [...(lines.length === 0 ? ['Nothing differs.'] : lines), ...usual].join('\n');
}

function nameOf({ part, name }: Difference): string {
  return part === 'writing' ? 'body' : `${part} ${name}`.trimEnd();
}

function valueText(value: string | null, room: number): string {
  return value === null ? '(none)' : fit(oneLine(value, 0), room);
}
