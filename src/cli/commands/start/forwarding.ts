import type { SandboxServer } from '../../../http/server/start.js';
import { usageError } from '../../program/errors.js';
import type { InvocationOf } from '../../program/declaration.js';
import { flagsGiven } from '../../program/declaration.js';
import { FORWARDING_NAMES } from '../listen/command.js';
import type { ListeningWithin } from '../listen/listen.js';
import type { start } from './command.js';

type Invocation = InvocationOf<typeof start>;

/** A `listen` within `start`. */
export interface Forwarding extends ListeningWithin {
  /** Prints from now on, and first what has happened so far. */
  readonly show: () => void;
}

/** Throws a usage error for options of `--forward-to` that are wrong, or given without it. */
export async function checkForwarding(options: Invocation['options']): Promise<void> {
  if (options.forwardTo.length > 0) {
    const { planFaults, planHeaders, planListeners } = await import('../listen/plan.js');
    planListeners(options);
    planFaults(options);
    planHeaders(options.header);
    return;
  }
  const [stray] = flagsGiven(options, FORWARDING_NAMES);
  if (stray === undefined) return;
  throw usageError(`${stray} goes with --forward-to.`, 'Add --forward-to 3000/webhooks, or leave it out.');
}

/** Connects what `--forward-to` asks for, and shows nothing until `show`; undefined without it. */
export async function forwardFrom(
  server: SandboxServer,
  controlToken: string | undefined,
  { io, options }: Invocation,
): Promise<Forwarding | undefined> {
  if (options.forwardTo.length === 0) return undefined;
  const { listenWithin } = await import('../listen/listen.js');
  let waiting: (() => void)[] | undefined = [];
  const inTurn =
    <Shown>(print: (shown: Shown) => void) =>
    (shown: Shown) => {
      if (options.quiet) return;
      if (waiting === undefined) print(shown);
      else waiting.push(() => print(shown));
    };
  // The attempts stand among the calls, on stderr.
  const note = inTurn(io.note);
  const listening = await listenWithin({
    by: 'start',
    io: { ...io, say: io.json ? io.say : note, note, emit: inTurn(io.emit) },
    options: forwardingOf(options),
    server,
    controlToken,
  });
  return {
    ...listening,
    show: () => {
      const earlier = waiting ?? [];
      waiting = undefined;
      for (const print of earlier) print();
    },
  };
}

function forwardingOf(options: Invocation['options']) {
  const { forwardTo } = options;
  return { forwardTo, ...Object.fromEntries(FORWARDING_NAMES.map((name) => [name, options[name]])) };
}
