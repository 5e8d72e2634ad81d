import type { SandboxServer } from '../../../http/server/start.js';
import type { InvocationOf } from '../../program/declaration.js';
import { readOptions } from '../../program/declaration.js';
import type { exec } from './command.js';

/** Runs `listen` within `exec`: resolves when every listener is connected, and listens until disposed. */
export async function forwardWhile(
  { io, options }: InvocationOf<typeof exec>,
  server: SandboxServer,
): Promise<AsyncDisposable> {
  const { forwardTo, events, retries = 'fast', simulate, quiet } = options;
  if (forwardTo.length === 0) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const [{ listen }, { receive }] = await Promise.all([
    import('../listen/command.js'),
    import('../listen/listen.js'),
  ]);
  const stopping = new AbortController();
  let ready = 0;
  let listening: Promise<unknown> = Promise.resolve();
  await new Promise<unknown>((resolve, reject) => {
    const emit = (value: object) => {
      if ('type' in value && value.type === 'ready') ready += 1;
      if (ready === forwardTo.length) resolve(undefined);
    };
    const say = quiet ? () => undefined : io.note;
    const ownIo = { ...io, json: false, say, note: say, emit, stopping: stopping.signal };
    const given = readOptions(listen.options, { forwardTo, events, retries, simulate });
    listening = receive({ io: ownIo, args: {}, options: { ...given, url: server.url } }, { endsSoon: true });
    listening.then(resolve, reject);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await listening;
    },
  };
}
