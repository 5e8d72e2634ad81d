import type { Environment } from '../../../client/run-file.js';
import type { CliError } from '../../program/errors.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { asCliError } from '../../program/run-command.js';
import type { start } from './command.js';

type Body = BodyOf<typeof start>;

/** Set for a process that `start --detach` began, and that reports to it over its channel. */
export const BACKGROUND_MARK = 'PIX_SANDBOX_IN_BACKGROUND';

/** What `start` says when it is ready. */
export interface ReadyMessage {
  readonly type: 'ready';
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a background process tells the one that waits for it. */
export type BackgroundMessage = ReadyMessage | FailedMessage;
type FailedMessage = { readonly type: 'failed' } & Pick<
  CliError,
  'exitCode' | 'code' | 'message' | 'hint' | 'details'
>;

/** Whether this process was begun by `start --detach`. */
export function isBackground(env: Environment): boolean {
  return env[BACKGROUND_MARK] !== undefined;
}

/**
 * Runs `start` for a process that waits for it: reports that it is ready, or why it failed. When that process leaves before,
 * this one ends, too.
 */
export async function reportToStarter(run: Body, invocation: InvocationOf<typeof start>): ReturnType<Body> {
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
    const { exitCode, code, message, hint, details } = asCliError(error);
    await tell({ type: 'failed', exitCode, code, message, hint, details });
    throw error;
  } finally {
    process.off('disconnect', leave);
  }
}

function isReady(value: object): value is ReadyMessage {
  return 'type' in value && value.type === 'ready';
}

/** Resolves when it was sent, or, to false, when the other process has left. */
function tell(message: BackgroundMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve(false);
    else process.send(message, undefined, undefined, (error) => resolve(error === null));
  });
}
