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
import { planned, programOf, writePlanned } from './set-up.js';
import { planText, textsOf } from './plan-text.js';
import type { BodyOf } from '../../program/declaration.js';
import { asCalled } from '../../../text/program-name.js';
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
      'Take the defaults with `npx sandbox init --yes`, or choose with --forward-to, --events, --seed, --framework, --test and --ci next to it.',
    );
  }
  const project = projectIn(folder);
  const choices = choicesOf(options, project, io);
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
  const apart = apartText(project, choices, plan);
  io.say([`In ${oneLine(folder, 0)}:`, planText(io, plan, 'done'), ...steps, ...apart].join('\n'));
};

/** That the receiver is not part of the application, which probably listens on the same port. */
function apartText(project: Project, choices: Choices, plan: readonly Planned[]): readonly string[] {
  const program = programOf(plan, choices, project);
  if (project.startCommand === undefined || program === project.startCommand) return [];
  if (choices.start !== undefined) return [];
  return ['\nThe receiver is its own program: stop your application while it runs, or move its route there.'];
}

function nextSteps(project: Project, choices: Choices, plan: readonly Planned[]): readonly string[] {
  const { dependencies, manager } = project;
  const { framework, forwardTo, forwardFlag } = choices;
  const isWritten = (paths: readonly string[]) =>
    plan.some(({ file }) => file.outcome === 'written' && paths.includes(file.path));
  const route = placeOf(forwardTo)?.route;
  const receiver =
    framework === 'none' || route === undefined ? undefined : receiverFor(framework, project.folder, route);
  const hasReceiver = receiver !== undefined && isWritten(receiver.files.map(({ path }) => path));
  const { packages = [] } = hasReceiver ? receiver : {};
  const program = programOf(plan, choices, project);
  const [add, dev] = INSTALL[manager];
  const needed = packages.filter((name) => !dependencies.has(name));
  const isWithoutNpm = isPython(framework) && dependencies.size === 0;
  return [
    ...(isWithoutNpm || dependencies.has('pix-sandbox') ? [] : [`${add} ${dev} pix-sandbox`]),
    ...(needed.length === 0 ? [] : [`${add} ${needed.join(' ')}`]),
    `npx sandbox start${forwardFlag}`,
    ...(program === undefined ? [] : [startOf(program)]),
    'npx sandbox trigger pix.settled',
    ...testStep(project, choices),
  ];
}

/** The first test, which needs the application that the steps before it have started. */
function testStep(project: Project, { test, forwardFlag }: Choices): readonly string[] {
  if (test === 'none') return [];
  const command = testCommand(project, test, firstTest(project, test).path);
  return [test === 'pytest' ? `npx sandbox exec${forwardFlag} -- ${command}` : command];
}
