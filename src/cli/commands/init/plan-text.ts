import type { Io } from '../../program/io.js';
import { wrap } from '../../terminal/text.js';
import type { Planned, SetUpFile } from './set-up.js';

const INDENT = '    ';
/** An outcome before it has come. */
const PLANNED = { written: 'write', extended: 'extend', kept: 'keep', 'left out': 'skip' } as const;

/** What is going to happen to each file, or what has happened, with the reasons. */
export function planText(
  { colour, columns }: Pick<Io, 'colour' | 'columns'>,
  plan: readonly Planned[],
  when: 'planned' | 'done',
): string {
  const width = columns === 0 ? 0 : columns - INDENT.length;
  const lines = plan.flatMap(({ file }) => {
    const notes = notesOf(file).flatMap((note) => wrap(note, width));
    const isChanged = file.outcome === 'written' || file.outcome === 'extended';
    const word = when === 'done' ? file.outcome : PLANNED[file.outcome];
    const outcome = (isChanged ? colour.green : colour.yellow)(word.padEnd(8));
    return [`  ${outcome}  ${file.path}`, ...notes.map((note) => INDENT + note)];
  });
  return lines.join('\n');
}

/** The whole text of each file that would be written. */
export function textsOf(plan: readonly Planned[]): string {
  return plan
    .flatMap(({ file, write }) =>
      write === undefined ? [] : [`\n--- ${file.path}\n${write.text.trimEnd()}`],
    )
    .join('\n');
}

function notesOf({ outcome, added = [], kept = [], reason }: SetUpFile): string[] {
  const names = added.length === 0 ? [] : [`${added.length} names, from ${added[0]} to ${added.at(-1)}.`];
  const stay = kept.length === 0 ? [] : [`Unchanged: ${kept.join(', ')}.`];
  const secrets =
    added.length === 0
      ? []
      : ['Published test values. Add it to .gitignore before secrets of yours go there.'];
  if (reason !== undefined) return [`Because ${reason}`];
  return outcome === 'kept' && kept.length === 0 ? ['It exists already.'] : [...names, ...stay, ...secrets];
}
