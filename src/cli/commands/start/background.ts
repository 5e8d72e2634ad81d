import type { Environment } from '../../../client/run-file.js';
import type { CliError } from '../../program/errors.js';
import type { CommandBody, Invocation } from '../../program/io.js';
import { asCliError } from '../../program/run-command.js';

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
 * Runs `start` for somebody who waits for it: tells them that it is ready, which they show, or why it failed. Who goes away
 * before that has not started anything, so this ends, too.
 */
export async function reportToStarter(start: CommandBody, invocation: Invocation): ReturnType<CommandBody> {
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
    return await start({ ...invocation, io: { ...io, emit, say: () => undefined } });
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

/** Resolves when it was sent, or, to false, when nobody is there any more to hear it. */
function tell(message: BackgroundMessage): Promise<boolean> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve(false);
    else process.send(message, undefined, undefined, (error) => resolve(error === null));
  });
}
