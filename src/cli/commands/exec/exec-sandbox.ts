import type { Environment } from '../../../client/run-file.js';
import type { Delivery } from '../../../core/world.js';
import { pause, untilAborted } from '../../../delivery/abort.js';
import type { SandboxServer } from '../../../http/server/start.js';
import type { AttemptRecord } from '../../../sandbox/attempt-records.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { awaitsAttempt } from '../../../sandbox/time/auto-advance.js';
import { freePort, Restarts, withPort } from '../../faults/restarts.js';
import type { InvocationOf, ValuesOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { openServer, sandboxOptions } from '../start/open-server.js';
import type { SANDBOX } from '../start/sandbox-options.js';
import type { ListeningWithin } from '../listen/listen.js';
import type { exec } from './command.js';

type ForwardingOptions = Pick<
  InvocationOf<typeof exec>['options'],
  'forwardTo' | 'events' | 'retries' | 'simulate' | 'quiet'
>;

/** Runs `listen` within `exec` and `explore`: resolves when every listener is connected, and listens until disposed. */
export async function forwardWhile(
  { io, options }: { readonly io: Io; readonly options: ForwardingOptions },
  server: SandboxServer,
): Promise<ListeningWithin & AsyncDisposable> {
  const { forwardTo, events, retries = 'fast', simulate, quiet } = options;
  if (forwardTo.length === 0) {
    const leave = () => Promise.resolve();
    return { leave, abandon: () => undefined, [Symbol.asyncDispose]: leave };
  }
  const { listenWithin } = await import('../listen/listen.js');
  const say = quiet ? () => undefined : io.note;
  const listening = await listenWithin({
    by: 'exec',
    io: { ...io, json: false, say, note: say, emit: () => undefined },
    options: { forwardTo, events, retries, simulate },
    server,
  });
  return { ...listening, [Symbol.asyncDispose]: listening.leave };
}

/** Real time that deliveries have to end after the command. */
export const DRAIN_MS = 15_000;
const POLL_MS = 20;

interface Draining {
  readonly sandbox: Sandbox;
  readonly stopping: AbortSignal;
  readonly awaitsRetries: boolean;
}

/** Resolves to true when nothing is in flight, to false on a timeout or a signal. */
export async function drained({ sandbox, stopping, awaitsRetries }: Draining): Promise<boolean> {
  const endedAt = sandbox.realNow();
  const giveUp = AbortSignal.any([stopping, AbortSignal.timeout(DRAIN_MS)]);
  try {
    for (;;) {
      await untilAborted(sandbox.idle(), giveUp);
      if (!awaitsRetries || !isRetryToCome(sandbox, endedAt)) break;
      await pause(POLL_MS, giveUp);
    }
  } catch {
    // What is still in flight is reported.
  }
  return sandbox.isIdle();
}

/** Whether an attempt met nobody because the receiver had ended with the command. */
export function isRefusedAfter({ result, realAt }: AttemptRecord, endedAt: number): boolean {
  return result.error === 'CONNECTION_REFUSED' && realAt >= endedAt;
}

/** Whether an attempt is due before the time is up, at a receiver that has not ended with the command. */
export function isRetryToCome(sandbox: Sandbox, endedAt: number): boolean {
  const { world, clock, epoch } = sandbox;
  if (epoch.openAttempts > 0 || awaitsAttempt(sandbox)) return true;
  if (clock.rate === 0 || world.deliveriesPaused) return false;
  const isGone = ({ id, attempts }: Delivery) => {
    const last = epoch.records.get(id, attempts);
    return last !== undefined && isRefusedAfter(last, endedAt);
  };
  const leftMs = endedAt + DRAIN_MS - sandbox.realNow();
  const lastAt = clock.now() + leftMs * clock.rate;
  return world.deliveries.rows.some(
    (delivery) => delivery.nextAttemptAt !== null && delivery.nextAttemptAt < lastAt && !isGone(delivery),
  );
}

/** The sandbox of one run of a command, and what the command gets of it. */
export interface Surrounding extends AsyncDisposable {
  readonly server: SandboxServer;
  readonly cwd: string;
  /** With the environment block, and with PORT where the run has a port of its own. */
  readonly env: Environment;
  /** A text of the command line, with the port in the place of `{port}`. */
  readonly own: (text: string) => string;
}

interface Wanted {
  readonly io: Io;
  readonly options: ValuesOf<typeof SANDBOX>;
  readonly port: number;
  readonly hasPort: boolean;
  readonly restart: string | undefined;
}

/** Opens a sandbox; disposed, it ends what restarts left running, and closes. */
export async function surrounding({ io, options, port, hasPort, restart }: Wanted): Promise<Surrounding> {
  const ownPort = hasPort ? await freePort() : undefined;
  const own = (text: string) => withPort(text, ownPort);
  const env = (): Environment => ({
    ...io.env,
    ...server.env,
    ...(ownPort === undefined ? {} : { PORT: String(ownPort) }),
  });
  const restarts =
    restart === undefined ? undefined : new Restarts(own(restart), () => ({ cwd: io.cwd, env: env() }));
  const server = await openServer({ ...sandboxOptions(options), port, restart: restarts?.restart }, io);
  return {
    server,
    cwd: io.cwd,
    env: env(),
    own,
    [Symbol.asyncDispose]: async () => {
      await restarts?.[Symbol.asyncDispose]();
      await server.close();
    },
  };
}
