import { ChildGroup, type CommandContext, findFreePort, RestartRunner, withPort } from '../../../child.js';
import type { Delivery } from '../../../core/world.js';
import { createTimeout, sleep, raceAbort } from '../../../delivery/abort.js';
import type { SandboxServer } from '../../../http/server/start.js';
import type { AttemptRecord } from '../../../sandbox/attempt-records.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { isAwaitingAttempt } from '../../../sandbox/time/auto-advance.js';
import { findSystemError } from '../../../text/system-errors.js';
import type { InvocationOf, OptionValuesOf } from '../../program/declaration.js';
import { CliError } from '../../program/errors.js';
import type { Io } from '../../program/io.js';
import type { EmbeddedListener } from '../listen/listen.js';
import { openServer, resolveSandboxOptions } from '../start/open-server.js';
import type { FAULT_OPTIONS, SANDBOX_OPTIONS } from '../../program/setting-options.js';
import type { exec } from '../../declarations/tests.js';

interface CommandSandbox extends AsyncDisposable {
  readonly server: SandboxServer;
  readonly sandbox: Sandbox;
  /** Contains the environment block, and PORT if the run has its own port. */
  readonly context: CommandContext;
  readonly withOwnPort: (text: string) => string;
  /** Starts `listen`. Resolves when every listener is connected, and listens until disposed. */
  readonly forward: (options: ForwardingOptions) => Promise<EmbeddedListener & AsyncDisposable>;
  /** Throws a CliError with exit code 127 if the command does not exist, or 126 if it cannot be executed. */
  readonly start: (command: readonly string[], options: StartOptions) => Promise<ChildGroup>;
}

type StartOptions = Parameters<typeof ChildGroup.start>[2];
type ForwardingOptions = Pick<
  InvocationOf<typeof exec>['options'],
  'forwardTo' | 'events' | 'retries' | 'simulate' | 'quiet'
>;

interface CommandSandboxOptions {
  readonly io: Io;
  readonly options: OptionValuesOf<typeof SANDBOX_OPTIONS> &
    Pick<OptionValuesOf<typeof FAULT_OPTIONS>, 'restart'>;
  readonly port: number;
  readonly hasPort: boolean;
}

/** Opens the sandbox for a command. Disposing the sandbox also ends processes started by restarts. */
export async function openCommandSandbox(wanted: CommandSandboxOptions): Promise<CommandSandbox> {
  const { io, options, port, hasPort } = wanted;
  const { restart } = options;
  const ownPort = hasPort ? await findFreePort() : undefined;
  const withOwnPort = (text: string) => withPort(text, ownPort);
  const own = ownPort === undefined ? {} : { PORT: String(ownPort) };
  const context = (): CommandContext => ({ cwd: io.cwd, env: { ...io.env, ...server.env, ...own } });
  const restarts = restart === undefined ? undefined : new RestartRunner(withOwnPort(restart), context);
  const server = await openServer(
    { ...resolveSandboxOptions(options), port, restart: restarts?.restart },
    io,
  );
  return {
    server,
    sandbox: server.sandbox,
    context: context(),
    withOwnPort,
    forward: ({ forwardTo, ...more }) =>
      startForwarding({ io, options: { ...more, forwardTo: forwardTo.map(withOwnPort) } }, server),
    start: (command, more) => startCommand(command.map(withOwnPort), { ...context(), ...more }),
    [Symbol.asyncDispose]: async () => {
      await restarts?.[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

async function startForwarding(
  { io, options }: { readonly io: Io; readonly options: ForwardingOptions },
  server: SandboxServer,
): Promise<EmbeddedListener & AsyncDisposable> {
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

async function startCommand(
  [command = '', ...args]: readonly string[],
  options: StartOptions,
): Promise<ChildGroup> {
  try {
    return await ChildGroup.start(command, args, { ...options, isWatched: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      throw new CliError(127, 'COMMAND_NOT_FOUND', `Command ${command} not found.`, {
        hint: 'Commands run without a shell; to use one, pass `sh -c "…"` after `--`.',
      });
    }
    throw new CliError(126, 'COMMAND_NOT_STARTED', `Cannot run ${command}: ${message}.`, {
      hint:
        code === 'EACCES'
          ? 'Make the file executable with `chmod +x`, or specify its interpreter: npx sandbox exec -- sh <file>'
          : findSystemError(code)?.fix,
    });
  }
}

/** Limits the wait for deliveries after the command exits (real time). */
export const DRAIN_MS = 15_000;
const POLL_MS = 20;

/** Resolves to true when nothing is in flight, or to false on a timeout or abort. */
export async function drainDeliveries(
  sandbox: Sandbox,
  { stopping, awaitsRetries }: { readonly stopping: AbortSignal; readonly awaitsRetries: boolean },
): Promise<boolean> {
  const endedAt = sandbox.realNow();
  const giveUp = AbortSignal.any([stopping, createTimeout(DRAIN_MS)]);
  try {
    for (;;) {
      await raceAbort(sandbox.idle(), giveUp);
      if (!awaitsRetries || !hasRetryAhead(sandbox, endedAt)) break;
      await sleep(POLL_MS, giveUp);
    }
  } catch {
    // The caller reports deliveries still in flight.
  }
  return sandbox.isIdle();
}

/** Returns true if an attempt failed only because the receiver exited with the command. */
export function isRefusedAfter({ result, realAt }: AttemptRecord, endedAt: number): boolean {
  return result.error === 'CONNECTION_REFUSED' && realAt >= endedAt;
}

/** Returns true if an attempt to a running receiver is due before the time limit. */
export function hasRetryAhead(sandbox: Sandbox, endedAt: number): boolean {
  const { world, clock, epoch } = sandbox;
  if (epoch.openAttempts > 0 || isAwaitingAttempt(sandbox)) return true;
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
