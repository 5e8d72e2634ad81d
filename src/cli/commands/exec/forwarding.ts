import type { SandboxServer } from '../../../http/server/start.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { exec } from './command.js';

interface Forwarded {
  readonly io: Io;
  readonly options: Pick<
    InvocationOf<typeof exec>['options'],
    'forwardTo' | 'events' | 'retries' | 'simulate' | 'quiet'
  >;
}

/** Runs `listen` within `exec` and `explore`: resolves when every listener is connected, and listens until disposed. */
export async function forwardWhile(
  { io, options }: Forwarded,
  server: SandboxServer,
): Promise<AsyncDisposable> {
  const { forwardTo, events, retries = 'fast', simulate, quiet } = options;
  if (forwardTo.length === 0) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const { listenWithin } = await import('../listen/within.js');
  const say = quiet ? () => undefined : io.note;
  const { leave } = await listenWithin({
    by: 'exec',
    io: { ...io, json: false, say, note: say, emit: () => undefined },
    options: { forwardTo, events, retries, simulate },
    server,
  });
  return { [Symbol.asyncDispose]: leave };
}
