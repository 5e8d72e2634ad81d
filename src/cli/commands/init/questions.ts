import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../client/run-file.js';
import { PROJECT_FILE } from '../../../config/load.js';
import { EVENT_TYPES } from '../../../contract/enums.js';
import { parseForwardTarget } from '../listen/plan.js';
import { choicesOf, DEFAULT_TARGET, planSetup } from './plan.js';
import type { init } from '../../declarations/setup.js';
import { planText } from './init.js';
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
  const { folder, framework, runner, isOnGitHub } = project;
  // Settings that exist are kept, so there is nothing to ask about.
  const isSettled = existsSync(join(folder, PROJECT_FILE));
  const ask = async <Value>(given: Value | undefined, isAsked: boolean, question: () => Promise<Value>) =>
    given === undefined && isAsked ? question() : given;
  const hasReceiver = options.framework === undefined && receiverIn(folder) !== undefined;
  const answered = {
    forwardTo: await ask(options.forwardTo, !isSettled, () =>
      asker.write('Where does your application receive webhooks?', DEFAULT_TARGET, targetProblem),
    ),
    events: await ask(options.events, !isSettled, () => askEvents(asker)),
    seed: await ask(options.seed, !isSettled, () => askSeed(asker)),
    framework: hasReceiver
      ? ('none' as const)
      : await ask(options.framework, true, () =>
          asker.choose('A receiver for which framework?', likelyFirst(framework, FRAMEWORKS)),
        ),
    test: await ask(options.test, true, () =>
      asker.choose('A first test for which runner?', likelyFirst(runner, TEST_RUNNERS)),
    ),
    ci: await ask(options.ci, isOnGitHub, async () =>
      (await asker.confirm('A job for GitHub Actions?', true)) ? 'github' : 'none',
    ),
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
