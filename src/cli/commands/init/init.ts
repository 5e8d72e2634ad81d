import { projectFolder } from '../../../client/run-file.js';
import { usageError } from '../../program/errors.js';
import type { Choices } from './choices.js';
import { choicesOf, placeOf } from './choices.js';
import type { init } from './command.js';
import { firstTest, testCommand } from './first-test.js';
import type { Project } from './project.js';
import { isPython, projectIn } from './project.js';
import { receiverFor, startOf } from './receiver.js';
import type { Planned } from './set-up.js';
import { planned, writePlanned } from './set-up.js';
import { planText, textsOf } from './plan-text.js';
import type { BodyOf } from '../../program/declaration.js';
import { asCalled } from '../../../text/program-name.js';
import { shellQuoted } from '../../../text/shell/words.js';
import { oneLine } from '../../terminal/text.js';

/** How packages are added, to the application and to its development. */
const INSTALL = {
  npm: ['npm install', '--save-dev'],
  pnpm: ['pnpm add', '--save-dev'],
  yarn: ['yarn add', '--dev'],
  bun: ['bun add', '--dev'],
} as const;

/** `sandbox init`: writes what a project needs to use the sandbox; existing content is kept. */
export const setUpProject: BodyOf<typeof init> = async ({ io, options }) => {
  const folder = projectFolder(io.cwd);
  if (!options.yes && !options.dryRun) {
    throw usageError(
      'init asks how to set up the project, but this is not a terminal.',
      'Take the defaults with `npx sandbox init --yes`, or choose with --forward-to, --events, --seed, --framework, --test and --ci beside it.',
    );
  }
  const project = projectIn(folder);
  const choices = choicesOf(options, project);
  const plan = planned(project, choices, io);
  const next = nextSteps(project, choices, plan).map((step) => asCalled(step, io.program));
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
  const steps = [
    '\nNext; from start on, each in a terminal of its own:',
    ...next.map((command) => `  ${command}`),
  ];
  io.say([`In ${oneLine(folder, 0)}:`, planText(io, plan, 'done'), ...steps].join('\n'));
};

function nextSteps(project: Project, choices: Choices, plan: readonly Planned[]): readonly string[] {
  const { dependencies, manager } = project;
  const { framework, forwardTo } = choices;
  const isWritten = (paths: readonly string[]) =>
    plan.some(({ file }) => file.outcome === 'written' && paths.includes(file.path));
  const route = placeOf(forwardTo)?.route;
  const receiver =
    framework === 'none' || route === undefined ? undefined : receiverFor(framework, project.folder, route);
  const hasReceiver = receiver !== undefined && isWritten(receiver.files.map(({ path }) => path));
  const { packages = [], program } = hasReceiver ? receiver : {};
  const [add, dev] = INSTALL[manager];
  const needed = packages.filter((name) => !dependencies.has(name));
  const isWithoutNpm = isPython(framework) && dependencies.size === 0;
  return [
    ...(isWithoutNpm || dependencies.has('pix-sandbox') ? [] : [`${add} ${dev} pix-sandbox`]),
    ...(needed.length === 0 ? [] : [`${add} ${needed.join(' ')}`]),
    ...testStep(project, choices),
    `npx sandbox start --forward-to ${shellQuoted(forwardTo)}`,
    ...(program === undefined ? [] : [startOf(program)]),
    'npx sandbox trigger pix.settled',
  ];
}

function testStep(project: Project, { test, forwardTo }: Choices): readonly string[] {
  if (test === 'none') return [];
  const command = testCommand(project, test, firstTest(project, test).path);
  return [
    test === 'pytest' ? `npx sandbox exec --forward-to ${shellQuoted(forwardTo)} -- ${command}` : command,
  ];
}
