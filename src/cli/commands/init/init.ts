import { projectFolder } from '../../../client/run-file.js';
import { usageError } from '../../program/errors.js';
import type { Choices } from './choices.js';
import { choicesOf, dependsOn } from './choices.js';
import type { init } from './command.js';
import { firstTestPath } from './first-test.js';
import type { SetUpFile } from './set-up.js';
import { setUp } from './set-up.js';
import type { BodyOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { oneLine, wrap } from '../../terminal/text.js';

const INDENT = '    ';

/** `sandbox init`: writes settings, an environment file and a first test; existing content is kept. */
export const setUpProject: BodyOf<typeof init> = async ({ io, options }) => {
  const folder = projectFolder(io.cwd);
  if (!options.yes) {
    throw usageError(
      'init asks how to set up the project, but this is not a terminal.',
      'Take the defaults with `npx pix-sandbox init --yes`, or choose with --forward-to, --events, --seed and --test beside it.',
    );
  }
  const choices = choicesOf(options, folder);
  const files = setUp(folder, choices, io);
  const next = nextSteps(folder, choices);
  io.emit({ folder, files, next });
  io.say(setUpText(io, { folder, files, next }));
};

function nextSteps(folder: string, { test }: Choices): readonly string[] {
  const runner = test === 'vitest' ? 'npx vitest run' : 'node --test';
  return [
    ...(dependsOn(folder, 'pix-sandbox') ? [] : ['npm install --save-dev pix-sandbox']),
    ...(test === 'none' ? [] : [`${runner} ${firstTestPath(folder, test)}`]),
    'npx pix-sandbox start',
    'npx pix-sandbox listen',
    'npx pix-sandbox trigger pix.settled',
  ];
}

function setUpText(
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
