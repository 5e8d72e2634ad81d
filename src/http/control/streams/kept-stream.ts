import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { DoorContext } from '../../operation/answer.js';
import type { EventStream } from './sse.js';
import { eventStream } from './sse.js';

/** The same stream, which reports a change only once it is on disk. */
export function onceKept(sandbox: Pick<Sandbox, 'kept'>, stream: EventStream): EventStream {
  const send: EventStream['send'] = (event, id) => {
    const keeping = sandbox.kept();
    if (keeping === undefined) stream.send(event, id);
    else void keeping.then(() => stream.send(event, id)).catch(stream.close);
  };
  return { ...stream, send };
}

/**
 * Answers with a stream that reports changes only once they are on disk. It begins with a `ready` message and ends with the
 * sandbox; `open` gets the way to send.
 */
export function keptStream(
  sandbox: Sandbox,
  context: DoorContext,
  ready: object,
  open: (send: EventStream['send']) => readonly (() => void)[],
): Response {
  return eventStream(context, (client) => {
    const { send, close } = onceKept(sandbox, client);
    send({ type: 'ready', ...ready });
    return [...open(send), sandbox.onClose(close)];
  });
}
