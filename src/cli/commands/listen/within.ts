import { readOptions } from '../../program/declaration.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { SandboxServer } from '../../../http/server/start.js';
import type { listen } from './command.js';

type Options = InvocationOf<typeof listen>['options'];

/** A `listen` within another command of this process. */
export interface ListeningWithin {
  /** Leaves as Ctrl-C leaves: resolves when what is in flight has ended. */
  readonly leave: () => Promise<void>;
  /** Gives up what is in flight. */
  readonly abandon: () => void;
}

export interface WithinOptions {
  readonly by: 'start' | 'exec';
  readonly io: Io;
  readonly options: Partial<Options> & Pick<Options, 'forwardTo'>;
  readonly server: Pick<SandboxServer, 'url'>;
  readonly controlToken?: string | undefined;
}

/** Runs `listen` within another command; resolves when every listener is connected. */
export async function listenWithin({
  by,
  io,
  options,
  server,
  controlToken,
}: WithinOptions): Promise<ListeningWithin> {
  const [{ listen }, { receive }] = await Promise.all([import('./command.js'), import('./listen.js')]);
  const stopping = new AbortController();
  const abandoned = new AbortController();
  const env = { ...io.env, SANDBOX_CONTROL_TOKEN: controlToken };
  const invocation = {
    io: { ...io, env, stopping: stopping.signal },
    args: {},
    options: { ...readOptions(listen.options, {}), ...options, url: server.url },
  };
  let listening: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    listening = receive(invocation, { by, abandoned: abandoned.signal, onConnected: resolve });
    listening.then(resolve, reject);
  });
  return {
    leave: () => {
      stopping.abort();
      return listening;
    },
    abandon: () => abandoned.abort(),
  };
}
