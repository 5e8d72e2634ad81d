import { findProjectFolder } from '../../../client/run-file.js';
import { CliError, INTERRUPTED_EXIT_CODE, createUsageError } from '../../program/errors.js';
import type { init } from '../../declarations/setup.js';
import {
  findAgentsFile,
  resolveChoices,
  DEFAULT_TARGET,
  findSandboxPort,
  findTargets,
  type PlannedFile,
  planSetup,
  writePlanned,
} from './plan.js';
import { detectProject, type Project } from './project.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { withProgramName } from '../../../text/program-name.js';
import type { Io } from '../../program/io.js';
import { toOneLine, formatParagraph } from '../../terminal/text.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FILE } from '../../../config/load.js';
import { EVENT_TYPES } from '../../../contract/enums.js';
import { parseForwardTarget } from '../listen/plan.js';
import { AGENT_FILES, FRAMEWORKS, TEST_RUNNERS } from '../../program/shared-options.js';
import type { Prompter, PromptFlow } from '../../prompts/prompter.js';

/** Runs `sandbox init`: writes the files a project needs, without changing existing content. */
export const setUpProject: BodyOf<typeof init> = async ({ io, options }) => {
  const folder = findProjectFolder(io.cwd);
  if (!options.yes && !options.dryRun) {
    throw createUsageError(
      'init prompts for choices, which requires a terminal.',
      'Accept the defaults with `npx sandbox init --yes`, and pass --forward-to, --events, ' +
        '--seed, --framework, --test or --ci to override a default.',
    );
  }
  const project = detectProject(folder, io.env);
  const { files: plan, next: steps, isApart } = planSetup(project, resolveChoices(options, project, io), io);
  const next = steps.map((step) => withProgramName(step, io.program));
  if (options.dryRun) {
    const files = plan.map(({ file, write }) => ({ ...file, text: write?.text }));
    io.emit({ folder, dry_run: true, files, next });
    io.say(
      [`Planned changes in ${toOneLine(folder, 0)}:`, planText(io, plan, 'planned'), textsOf(plan)].join(
        '\n',
      ),
    );
    return;
  }
  writePlanned(folder, plan);
  io.emit({ folder, dry_run: false, files: plan.map(({ file }) => file), next });
  const commands = [
    '\nNext, run start and each later command in its own terminal:',
    ...next.map((command) => `  ${command}`),
  ];
  const apart = isApart ? ['', ...formatParagraph(io, APART, '')] : [];
  const job = options.ci === undefined && !project.isOnGitHub ? [withProgramName(JOB, io.program)] : [];
  io.say(
    [`In ${toOneLine(folder, 0)}:`, planText(io, plan, 'done'), ...commands, ...apart, ...job].join('\n'),
  );
};

const APART =
  'The receiver is a separate program. Stop your application first, or add the route to your application instead.';
const JOB = '\nTo also add a GitHub Actions job, run npx sandbox init --ci github --yes.';
const INDENT = '    ';
const PLANNED = { written: 'write', extended: 'extend', kept: 'keep', 'left out': 'skip' } as const;

/** Lists each file's planned or completed change, with the reason. */
function planText(
  io: Pick<Io, 'colors' | 'columns'>,
  plan: readonly PlannedFile[],
  when: 'planned' | 'done',
): string {
  const lines = plan.flatMap(({ file }) => {
    const isChanged = file.outcome === 'written' || file.outcome === 'extended';
    const word = when === 'done' ? file.outcome : PLANNED[file.outcome];
    const outcome = io.colors[isChanged ? 'green' : 'yellow'](word.padEnd(8));
    return [
      `  ${outcome}  ${file.path}`,
      ...notesOf(file).flatMap((note) => formatParagraph(io, note, INDENT)),
      // Not wrapped, to be copied.
      ...JSON.stringify(file.missing ?? {}, null, 2)
        .split('\n')
        .slice(1, -1)
        .map((line) => INDENT + line),
    ];
  });
  return lines.join('\n');
}

function textsOf(plan: readonly PlannedFile[]): string {
  return plan
    .flatMap(({ file, write }) =>
      write === undefined ? [] : [`\n--- ${file.path}\n${write.text.trimEnd()}`],
    )
    .join('\n');
}

function notesOf({
  outcome,
  added = [],
  kept = [],
  reason,
  found = [],
  missing,
}: PlannedFile['file']): string[] {
  const names = added.length === 0 ? [] : [`${added.length} names, from ${added[0]} to ${added.at(-1)}.`];
  const stay = kept.length === 0 ? [] : [`Unchanged: ${kept.join(', ')}.`];
  const secrets =
    added.length === 0
      ? []
      : ['Contains published test values. Add the file to .gitignore before storing your own secrets.'];
  if (reason !== undefined) return [`Reason: ${reason}`];
  return outcome === 'kept' && kept.length === 0
    ? [`Already exists.${missing === undefined ? '' : ' To use what was found, add:'}`]
    : [...found, ...names, ...stay, ...secrets];
}

type Invocation = InvocationOf<typeof init>;
type Options = Invocation['options'];

const LIKELY = ' (detected)';

/** Prompts for the setup choices, shows the plan, and asks for confirmation. */
export const initQuestions: PromptFlow<Invocation> = async ({ io, options }, asker) => {
  const port = findSandboxPort(options, io);
  const project = detectProject(findProjectFolder(io.cwd), io.env);
  const { folder, framework, runner, isOnGitHub } = project;
  // Existing settings are not changed, so there is no prompt for them.
  const isSettled = existsSync(join(folder, PROJECT_FILE));
  const ask = async <Value>(given: Value | undefined, isAsked: boolean, question: () => Promise<Value>) =>
    given === undefined && isAsked ? question() : given;
  const { receivers, reader } = project.application;
  const hasReceiver = receivers.length > 0 || reader !== undefined;
  const answered = {
    forwardTo: await ask(options.forwardTo, !isSettled, () => askTarget(project, asker)),
    events: await ask(options.events, !isSettled, () => askEvents(asker)),
    seed: await ask(options.seed, !isSettled, () => askSeed(asker)),
    framework: await ask(options.framework, !hasReceiver, () =>
      asker.choose('Which framework should the receiver use?', likelyFirst(framework, FRAMEWORKS)),
    ),
    test: await ask(options.test, true, () =>
      asker.choose('Which runner should the first test use?', likelyFirst(runner, TEST_RUNNERS)),
    ),
    agents: await ask(options.agents, findAgentsFile(folder) === 'none', () =>
      asker.choose(
        'Add a block for coding agents?',
        AGENT_FILES.map((value) => ({ value, name: value })),
      ),
    ),
    ci: await ask(options.ci, true, async () =>
      (await asker.confirm('Add a GitHub Actions job?', isOnGitHub)) ? 'github' : 'none',
    ),
  };
  const { files: plan } = planSetup(project, resolveChoices({ ...options, ...answered }, project, io), io);
  io.note(planText(io, plan, 'planned'));
  if (!(await asker.confirm('Write these files?', true))) {
    throw new CliError(INTERRUPTED_EXIT_CODE, 'NOT_ANSWERED', 'Nothing was written.', {
      hint: 'Preview the files with `npx sandbox init --dry-run`; --help lists the options.',
    });
  }
  const given = Object.entries(answered).filter(([name]) => options[name as keyof Options] === undefined);
  return {
    args: [],
    options: { port, ...Object.fromEntries(given), yes: true },
  };
};

const WHERE = 'Where does your application receive webhooks?';

async function askTarget(project: Project, asker: Prompter): Promise<string> {
  const targets = findTargets(project);
  const choices = targets.map(({ target, place }) => ({
    value: target,
    name: toOneLine(`${target} (${place})`, 0),
  }));
  const other = { value: '', name: 'another URL' };
  const chosen =
    targets.length > 1
      ? await asker.choose(WHERE, [...choices, other])
      : (targets[0]?.target ?? DEFAULT_TARGET);
  const isAsked = targets.length < 2 || chosen === '';
  return isAsked ? asker.write(WHERE, chosen || DEFAULT_TARGET, targetProblem) : chosen;
}

async function askEvents(asker: Prompter): Promise<string | undefined> {
  const choices = EVENT_TYPES.map((value) => ({ value, name: value, checked: true }));
  const chosen = await asker.chooseSome('Which events?', choices);
  return chosen.length === EVENT_TYPES.length ? undefined : chosen.join(',');
}

async function askSeed(asker: Prompter): Promise<string | undefined> {
  const isSame = await asker.confirm('Use the same ids on every start?', false);
  const problem = (text: string) => (text === '' ? 'Enter text or a number.' : undefined);
  return isSame ? asker.write('Which seed?', '7', problem) : undefined;
}

function likelyFirst<Value extends string>(likely: Value, all: readonly Value[]) {
  const others = all.filter((value) => value !== likely).map((value) => ({ value, name: value }));
  return [{ value: likely, name: `${likely}${LIKELY}` }, ...others];
}

function targetProblem(text: string): string | undefined {
  try {
    parseForwardTarget(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
