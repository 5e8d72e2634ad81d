import type { SetUpFile } from './set-up.js';
import type { Io } from '../../program/io.js';
import { oneLine, wrap } from '../../terminal/text.js';

const INDENT = '    ';

/** What `init` did, and what to type next. */
export function setUpText(
  { colour, columns }: Pick<Io, 'colour' | 'columns'>,
  { folder, files, next }: { folder: string; files: readonly SetUpFile[]; next: readonly string[] },
): string {
  const width = columns === 0 ? 0 : columns - INDENT.length;
  const fileLines = files.flatMap((file) => {
    const notes = notesOf(file).flatMap((note) => wrap(note, width));
    const isChanged = file.outcome === 'written' || file.outcome === 'extended';
    const outcome = (isChanged ? colour.green : colour.yellow)(file.outcome.padEnd(8));
    return [`  ${outcome}  ${file.path}`, ...notes.map((note) => INDENT + note)];
  });
  return [
    `In ${oneLine(folder, 0)}:`,
    ...fileLines,
    '\nNext, the last three in a terminal each:',
    ...next.map((command) => `  ${command}`),
  ].join('\n');
}

function notesOf({ outcome, added = [], kept = [], reason }: SetUpFile): string[] {
  const names = added.length === 0 ? [] : [`${added.length} names, from ${added[0]} to ${added.at(-1)}.`];
  const stay = kept.length === 0 ? [] : [`Kept as they were: ${kept.join(', ')}.`];
  const secrets =
    added.length === 0
      ? []
      : ['Published test values. Add it to .gitignore before secrets of yours go there.'];
  if (reason !== undefined) return [`Because ${reason}`];
  return outcome === 'kept' && kept.length === 0
    ? ['It was there already.']
    : [...names, ...stay, ...secrets];
}
