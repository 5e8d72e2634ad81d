import type { CliError } from '../../program/errors.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { asCliError } from '../../program/run-command.js';
import type { start } from './command.js';

type Body = BodyOf<typeof start>;

/** Set for a process started by `start --detach`, which reports over its IPC channel. */
export const BACKGROUND_MARK = 'PIX_SANDBOX_IN_BACKGROUND';

export interface ReadyMessage {
  readonly type: 'ready';
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a background process reports to the waiting process. */
export type BackgroundMessage = ReadyMessage | FailedMessage;
type FailedMessage = { readonly type: 'failed' } & Pick<
  CliError,
  'exitCode' | 'code' | 'message' | 'hint' | 'details'
>;

/** `sandbox start`: in this process, or with `--detach` in a background process. */
export const startSandbox: BodyOf<typeof start> = async (invocation) => {
  const { io, options } = invocation;
  const isOwn = io.env[BACKGROUND_MARK] !== undefined;
  if (options.detach && !isOwn) return (await import('./detach.js')).detach(invocation);
  const { runSandbox } = await import('./start.js');
  return isOwn ? reportToStarter(runSandbox, invocation) : runSandbox(invocation);
};

/**
 * Runs `start` for a waiting process: reports that it is ready, or why it failed. If the waiting process exits first, this one
 * ends, too.
 */
async function reportToStarter(run: Body, invocation: InvocationOf<typeof start>): ReturnType<Body> {
  const { io } = invocation;
  const leave = () => process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', leave);
  if (!process.connected) leave();
  const emit = (value: object) => {
    if (!isReady(value)) {
      io.emit(value);
      return;
    }
    io.note(`PIX sandbox ${value.version} at ${value.url}, process ${value.pid}`);
    void tell(value).then((isHeard) => {
      process.off('disconnect', leave);
      if (!isHeard) leave();
      else if (process.connected) process.disconnect();
    });
  };
  try {
    return await run({ ...invocation, io: { ...io, emit, say: () => undefined } });
  } catch (error) {
    const { exitCode, code, message, hint, details } = asCliError(error, io);
    await tell({ type: 'failed', exitCode, code, message, hint, details });
    throw error;
  } finally {
    process.off('disconnect', leave);
  }
}

function isReady(value: object): value is ReadyMessage {
  return 'type' in value && value.type === 'ready';
}

/** Resolves to true when sent, to false if the other process has exited. */
function tell(message: BackgroundMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve(false);
    else process.send(message, undefined, undefined, (error) => resolve(error === null));
  });
}
