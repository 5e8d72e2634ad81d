import type { Sandbox } from '../../sandbox/sandbox.js';
import type { EventStream } from './sse.js';

/** The same stream, which reports a change only once it is on disk. */
export function onceKept(sandbox: Pick<Sandbox, 'kept'>, stream: EventStream): EventStream {
  const send: EventStream['send'] = (event, id) => {
    const keeping = sandbox.kept();
    if (keeping === undefined) stream.send(event, id);
    else void keeping.then(() => stream.send(event, id)).catch(stream.close);
  };
  return { ...stream, send };
}
