import type { SandboxServer } from '../../../http/server/start.js';
import type { Invocation } from '../../program/io.js';
import { Options } from '../../program/io.js';

const TEXTS = ['events', 'retries', 'simulate', 'duplicate', 'shuffle', 'delay', 'timeout'];

/** Runs what `listen` runs, within `exec`: resolves when every listener is connected, and listens until it is disposed. */
export async function forwardWhile(
  { io, options }: Invocation,
  server: SandboxServer,
): Promise<AsyncDisposable> {
  const forwardTo = options.list('forwardTo');
  if (forwardTo.length === 0) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const [{ listen }, { planListeners }] = await Promise.all([
    import('../listen/listen.js'),
    import('../listen/plan.js'),
  ]);
  const texts = Object.fromEntries(TEXTS.map((name) => [name, options.text(name)]));
  const own = new Options({ ...texts, forwardTo, url: server.url });
  const stopping = new AbortController();
  const count = planListeners(own).length;
  let ready = 0;
  let listening: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const emit = (value: object) => {
      if ('type' in value && value.type === 'ready') ready += 1;
      if (ready === count) resolve();
    };
    const say = options.flag('quiet') ? () => undefined : io.note;
    const ownIo = { ...io, json: false, say, note: say, emit, stopping: stopping.signal };
    listening = listen({ io: ownIo, args: [], options: own });
    listening.then(resolve, reject);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await listening;
    },
  };
}
