import type { Failure } from '../../../explore/explore.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { skipWaits } from '../../../sandbox/time/quiet-advance.js';
import { untilAborted } from '../../../delivery/abort.js';
import type { ChildOptions } from '../exec/child-group.js';
import { ChildGroup } from '../exec/child-group.js';
import { drained } from '../exec/exec-sandbox.js';
import { OutputTail } from './output-tail.js';

/** Most names of failed tests that a message lists. */
const MOST_NAMES = 5;

export interface ChildRun extends Pick<ChildOptions, 'cwd' | 'env'> {
  readonly words: readonly string[];
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** Looks at what the command left running, before that is ended. */
  readonly meanwhile: (ended: { readonly endedAfter: number }) => Promise<void>;
}

/**
 * Runs a command to its end, with all that it started, on a clock that moves whenever all is idle. Resolves to what failed, or to null;
 * also when the signal ends it.
 */
export async function runChild({
  words,
  sandbox,
  signal,
  meanwhile,
  ...where
}: ChildRun): Promise<Failure | null> {
  const [command = '', ...args] = words;
  const output = new OutputTail();
  const group = await ChildGroup.start(command, args, {
    ...where,
    stdio: ['ignore', 'pipe', 'pipe'],
    passesSignals: false,
  });
  group.onOutput(output.add);
  let code: number | undefined;
  try {
    code = await endedOrGivenUp(group, sandbox, signal);
    const endedAfter = sandbox.timeline.ring.newest;
    // Retries that are not due yet would meet an application that has ended with its tests.
    if (code !== undefined) await drained({ sandbox, stopping: signal, awaitsRetries: false });
    await meanwhile({ endedAfter });
  } finally {
    await group.tearDown();
  }
  if (code === undefined) return hangOf(words.join(' '), output);
  return code === 0 ? null : failureOf(words.join(' '), code, output);
}

async function endedOrGivenUp(
  group: ChildGroup,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<number | undefined> {
  using _skipping = skipWaits(sandbox);
  // Awaited here, so that waits are skipped until then.
  return await untilAborted(group.ended, signal).catch(() => undefined);
}

/** The last output of a command that did not end. */
function hangOf(command: string, output: OutputTail): Failure {
  return { category: 'test', name: `${command} did not end`, message: output.telling().join('\n') };
}

function failureOf(command: string, code: number, output: OutputTail): Failure {
  const names = output.failed();
  const [first] = names;
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  const failed = first === undefined ? '' : `: ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
  return {
    category: 'test',
    name: first ?? `exit ${code}`,
    message: [`${command} ended with ${code}${failed}`, ...output.telling()].join('\n'),
  };
}
