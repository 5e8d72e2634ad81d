import { projectFolder } from '../../../client/run-file.js';
import { usageError } from '../../program/errors.js';
import type { Choices } from './choices.js';
import { choicesOf, dependsOn } from './choices.js';
import type { init } from './command.js';
import { firstTestPath } from './first-test.js';
import { setUp } from './set-up.js';
import type { BodyOf } from '../../program/declaration.js';
import { setUpText } from './text.js';

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

/** What to type next. */
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
