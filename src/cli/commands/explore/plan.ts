import type { InvocationOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { wantsPort } from '../../faults/restarts.js';
import { checkPlaceholders } from '../check/placeholders.js';
import { planListeners } from '../listen/plan.js';
import type { explore } from './command.js';

type Options = InvocationOf<typeof explore>['options'];

/** The command and its surroundings, with `{port}` for a port of each run. */
export interface ChildPlan {
  readonly words: readonly string[];
  readonly forwardTo: readonly string[];
  readonly probe: string | undefined;
  readonly restart: string | undefined;
  /** Each run gets a port, as PORT and in the place of `{port}`. */
  readonly hasPort: boolean;
}

/** Reads the command line. Throws a usage error. */
export function plannedChild(
  words: readonly string[],
  { forwardTo, probe, restart, jobs = 1, events }: Options,
): ChildPlan {
  if (words.length === 0) {
    throw usageError('explore needs a command to run.', 'For example: npx sandbox explore -- npm test');
  }
  checkPlaceholders('--probe', probe, ['{code}', '{id}']);
  // Any port does to see whether the target is one.
  planListeners({
    forwardTo: forwardTo.map((target) => target.replaceAll('{port}', '3000')),
    events,
    name: undefined,
  });
  const fixed = forwardTo.find((target) => !wantsPort([target]));
  if (jobs > 1 && fixed !== undefined) {
    throw usageError(
      `With --jobs each run has an application of its own, but --forward-to ${fixed} is the same for all.`,
      'Write {port} for its port, such as --forward-to {port}/webhooks; the command gets it as PORT.',
    );
  }
  const hasPort = jobs > 1 || wantsPort([...words, ...forwardTo, probe, restart]);
  return { words, forwardTo, probe, restart, hasPort };
}
