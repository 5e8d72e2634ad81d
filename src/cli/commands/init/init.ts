import { projectFolder } from '../../../client/run-file.js';
import { usageError } from '../../program/errors.js';
import type { init } from '../../declarations/setup.js';
import { choicesOf, type Planned, planSetup, writePlanned } from './plan.js';
import { projectIn } from './project.js';
import type { BodyOf } from '../../program/declaration.js';
import { asCalled } from '../../../text/program-name.js';
import type { Io } from '../../program/io.js';
import { oneLine, paragraph } from '../../terminal/text.js';

/** `sandbox init`: writes what a project needs to use the sandbox; existing content is kept. */
export const setUpProject: BodyOf<typeof init> = async ({ io, options }) => {
  const folder = projectFolder(io.cwd);
  if (!options.yes && !options.dryRun) {
    throw usageError(
      'init asks how to set up the project, but this is not a terminal.',
      'Take the defaults with `npx sandbox init --yes`, or choose with --forward-to, --events, ' +
        '--seed, --framework, --test and --ci next to it.',
    );
  }
  const project = projectIn(folder);
  const { files: plan, next: steps, isApart } = planSetup(project, choicesOf(options, project, io), io);
  const next = steps.map((step) => asCalled(step, io.program));
  if (options.dryRun) {
    const files = plan.map(({ file, write }) => ({ ...file, text: write?.text }));
    io.emit({ folder, dry_run: true, files, next });
    io.say(
      [`In ${oneLine(folder, 0)}, without --dry-run:`, planText(io, plan, 'planned'), textsOf(plan)].join(
        '\n',
      ),
    );
    return;
  }
  writePlanned(folder, plan);
  io.emit({ folder, dry_run: false, files: plan.map(({ file }) => file), next });
  const commands = [
    '\nNext; from start on, each in a terminal of its own:',
    ...next.map((command) => `  ${command}`),
  ];
  const apart = isApart ? [APART] : [];
  io.say([`In ${oneLine(folder, 0)}:`, planText(io, plan, 'done'), ...commands, ...apart].join('\n'));
};

const APART =
  '\nThe receiver is its own program: stop your application while it runs, or move its route there.';
const INDENT = '    ';
const PLANNED = { written: 'write', extended: 'extend', kept: 'keep', 'left out': 'skip' } as const;

/** What is going to happen to each file, or what has happened, with the reasons. */
export function planText(
  io: Pick<Io, 'colour' | 'columns'>,
  plan: readonly Planned[],
  when: 'planned' | 'done',
): string {
  const lines = plan.flatMap(({ file }) => {
    const isChanged = file.outcome === 'written' || file.outcome === 'extended';
    const word = when === 'done' ? file.outcome : PLANNED[file.outcome];
    const outcome = io.colour[isChanged ? 'green' : 'yellow'](word.padEnd(8));
    return [`  ${outcome}  ${file.path}`, ...notesOf(file).flatMap((note) => paragraph(io, note, INDENT))];
  });
  return lines.join('\n');
}

function textsOf(plan: readonly Planned[]): string {
  return plan
    .flatMap(({ file, write }) =>
      write === undefined ? [] : [`\n--- ${file.path}\n${write.text.trimEnd()}`],
    )
    .join('\n');
}

function notesOf({ outcome, added = [], kept = [], reason }: Planned['file']): string[] {
  const names = added.length === 0 ? [] : [`${added.length} names, from ${added[0]} to ${added.at(-1)}.`];
  const stay = kept.length === 0 ? [] : [`Unchanged: ${kept.join(', ')}.`];
  const secrets =
    added.length === 0
      ? []
      : ['Published test values. Add it to .gitignore before secrets of yours go there.'];
  if (reason !== undefined) return [`Because ${reason}`];
  return outcome === 'kept' && kept.length === 0 ? ['It exists already.'] : [...names, ...stay, ...secrets];
}
