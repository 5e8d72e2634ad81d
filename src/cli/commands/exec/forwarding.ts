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

/** A `listen` within `exec` or `explore`, which leaves when it is disposed. */
export interface Forwarding extends AsyncDisposable {
  /** Leaves: resolves when what is in flight has ended, and everything about it is printed. */
  readonly leave: () => Promise<void>;
  /** Gives up what is in flight. */
  readonly abandon: () => void;
}

const NOTHING: Forwarding = {
  leave: () => Promise.resolve(),
  abandon: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Runs `listen` within `exec` and `explore`: resolves when every listener is connected, and listens until disposed. */
export async function forwardWhile({ io, options }: Forwarded, server: SandboxServer): Promise<Forwarding> {
  const { forwardTo, events, retries = 'fast', simulate, quiet } = options;
  if (forwardTo.length === 0) return NOTHING;
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
