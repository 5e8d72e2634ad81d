import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../client/run-file.js';
import { PROJECT_FILE } from '../../../config/load.js';
import { EVENT_TYPES } from '../../../contract/enums.js';
import { parseForwardTarget } from '../listen/plan.js';
import { choicesOf, DEFAULT_TARGET, planSetup } from './plan.js';
import type { init } from './command.js';
import { planText } from './init.js';
import type { Project } from './project.js';
import { projectIn, receiverIn } from './project.js';
import { CliError, LEFT_EXIT_CODE } from '../../program/errors.js';
import { FRAMEWORKS, TEST_RUNNERS } from '../../program/shared-options.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Asker, Questions } from '../../prompts/asker.js';

type Invocation = InvocationOf<typeof init>;
type Options = Invocation['options'];

const LIKELY = ' (what the project looks like)';

/** Asks how to set up a project, shows what comes of it, and asks whether to write it. */
export const initQuestions: Questions<Invocation> = async ({ io, options }, asker) => {
  const project = projectIn(projectFolder(io.cwd));
  const answered = {
    ...(await askSettings(project, options, asker)),
    framework: options.framework ?? (await askFramework(project, asker)),
    test: options.test ?? (await askTest(project, asker)),
    ci: options.ci ?? (await askCi(project, asker)),
  };
  const { files: plan } = planSetup(project, choicesOf({ ...options, ...answered }, project, io), io);
  io.note(planText(io, plan, 'planned'));
  if (!(await asker.confirm('Write that?', true))) {
    throw new CliError(LEFT_EXIT_CODE, 'NOT_ANSWERED', 'Nothing was written.', {
      hint: 'See the whole files with `npx sandbox init --dry-run`; --help names the choices.',
    });
  }
  const given = Object.entries(answered).filter(([name]) => options[name as keyof Options] === undefined);
  return {
    args: [],
    options: { ...Object.fromEntries(given), yes: true },
  };
};

/** Settings that exist are kept, so there is nothing to ask about. */
async function askSettings(
  { folder }: Project,
  { forwardTo, events, seed }: Options,
  asker: Asker,
): Promise<Pick<Options, 'forwardTo' | 'events' | 'seed'>> {
  if (existsSync(join(folder, PROJECT_FILE))) return { forwardTo, events, seed };
  const where = 'Where does your application receive webhooks?';
  return {
    forwardTo: forwardTo ?? (await asker.write(where, DEFAULT_TARGET, targetProblem)),
    events: events ?? (await askEvents(asker)),
    seed: seed ?? (await askSeed(asker)),
  };
}

async function askEvents(asker: Asker): Promise<string | undefined> {
  const choices = EVENT_TYPES.map((value) => ({ value, name: value, checked: true }));
  const chosen = await asker.chooseSome('Which events?', choices);
  return chosen.length === EVENT_TYPES.length ? undefined : chosen.join(',');
}

async function askSeed(asker: Asker): Promise<string | undefined> {
  const isSame = await asker.confirm('The same ids on every start?', false);
  const problem = (text: string) => (text === '' ? 'Type a text or a number.' : undefined);
  return isSame ? asker.write('Which seed?', '7', problem) : undefined;
}

async function askFramework({ folder, framework }: Project, asker: Asker): Promise<Options['framework']> {
  if (receiverIn(folder) !== undefined) return 'none';
  return asker.choose('A receiver for which framework?', likelyFirst(framework, FRAMEWORKS));
}

function askTest({ runner }: Project, asker: Asker): Promise<Options['test']> {
  return asker.choose('A first test for which runner?', likelyFirst(runner, TEST_RUNNERS));
}

async function askCi({ isOnGitHub }: Project, asker: Asker): Promise<Options['ci']> {
  if (!isOnGitHub) return undefined;
  return (await asker.confirm('A job for GitHub Actions?', true)) ? 'github' : 'none';
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
