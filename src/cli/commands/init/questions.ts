import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../client/run-file.js';
import { PROJECT_FILE } from '../../../config/load.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import { parseForwardTarget } from '../listen/forward-target.js';
import type { TestRunner } from './choices.js';
import { DEFAULT_TARGET, likelyRunner } from './choices.js';
import type { init } from './command.js';
import { TEST_RUNNERS } from '../../program/shared-options.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Answers, Asker, Questions } from '../../prompts/asker.js';

type Invocation = InvocationOf<typeof init>;
type Answered = NonNullable<Answers['options']>;

const RUNNERS: Readonly<Record<TestRunner, string>> = {
  vitest: 'for vitest',
  node: 'for node --test',
  none: 'no test',
};

/** Asks how to set up a project; asks about settings only if there are none yet. */
export const initQuestions: Questions<Invocation> = async ({ io, options }, asker) => {
  const folder = projectFolder(io.cwd);
  const hasSettings = existsSync(join(folder, PROJECT_FILE));
  return {
    args: [],
    options: {
      ...(hasSettings ? {} : await askSettings(options, asker)),
      test: options.test === undefined ? await askTest(folder, asker) : undefined,
      yes: true,
    },
  };
};

async function askSettings(
  { forwardTo, events, seed }: Invocation['options'],
  asker: Asker,
): Promise<Answered> {
  const where = 'Where does your application receive webhooks?';
  return {
    forwardTo: forwardTo === undefined ? await asker.write(where, DEFAULT_TARGET, targetProblem) : undefined,
    events: events === undefined ? await askEvents(asker) : undefined,
    seed: seed === undefined ? await askSeed(asker) : undefined,
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

function askTest(folder: string, asker: Asker): Promise<TestRunner> {
  const likely = likelyRunner(folder);
  const runners = [likely, ...TEST_RUNNERS.filter((runner) => runner !== likely)];
  const choices = runners.map((value) => ({ value, name: RUNNERS[value] }));
  return asker.choose('A first test?', choices);
}

function targetProblem(text: string): string | undefined {
  try {
    parseForwardTarget(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
