import { setTimeout } from 'node:timers';
import { reportAttempt } from '../client/attempt-report.js';
import type { ControlClient } from '../client/control.js';
import { NotReachableError, SandboxError } from '../client/control.js';
import type { AnswerOf } from '../client/routes.js';
import type { Streams } from '../client/routes.js';
import type { Forwarding, ForwardOptions, ForwardTarget } from './forward.js';
import { freeName, openForwarding } from './forward.js';
import { PATIENCE_MS } from './webhooks.js';

type Message = AnswerOf<Streams, 'POST listeners'>;

/** Forwards deliveries over the control API, as `sandbox listen` does; resolves when the listener is connected. @internal */
export async function forwardOverStream(
  control: ControlClient,
  target: ForwardTarget,
  options: ForwardOptions = {},
): Promise<Forwarding> {
  const { receive, close, ...registration } = openForwarding(target, options);
  const hangUp = new AbortController();
  const inFlight = new Set<Promise<unknown>>();
  let id = '';
  const handle = (message: Message) => {
    // After a reset the listener has a new id.
    if (message.type === 'ready') id = message.listener.id;
    if (message.type !== 'attempt') return;
    const listenerId = id;
    const work = receive(message)
      .then((result) => reportAttempt(control, listenerId, message.attempt_id, result))
      .finally(() => inFlight.delete(work));
    inFlight.add(work);
  };
  const connect = async (name: string) => {
    const body = { ...registration, name };
    const messages = control.stream('POST listeners', { body, signal: hangUp.signal });
    const first = await messages.next();
    if (!first.done) handle(first.value);
    return messages;
  };
  // A connection that breaks needs no report: every verb of a stopped sandbox rejects.
  const read = async (messages: AsyncIterable<Message>) => {
    try {
      for await (const message of messages) handle(message);
    } catch (error) {
      if (!(hangUp.signal.aborted || error instanceof NotReachableError)) throw error;
    }
  };
  try {
    const { name } = options;
    const messages = await (name === undefined ? connectUnnamed(control, connect) : connect(name));
    void read(messages);
  } catch (error) {
    close();
    throw error;
  }
  const leave = async () => {
    await control.post('listeners/:id/leave', { id }).catch(ignoreGone);
    const timeout = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
    await Promise.race([Promise.allSettled(inFlight), timeout]);
    hangUp.abort();
    await control.delete('endpoints/:id', { id }).catch(ignoreGone);
    close();
  };
  let left: Promise<void> | undefined;
  const stop = () => (left ??= leave());
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Connects under a free name; one that another process takes at the same time is in the next list. */
async function connectUnnamed<Connection>(
  control: ControlClient,
  connect: (name: string) => Promise<Connection>,
): Promise<Connection> {
  for (;;) {
    const { data } = await control.get('endpoints');
    try {
      return await connect(freeName(data));
    } catch (error) {
      if (!(error instanceof SandboxError && error.code === 'ENDPOINT_ALREADY_EXISTS')) throw error;
    }
  }
}

/** The sandbox or the listener may be gone already. */
function ignoreGone(error: unknown): void {
  const isGone =
    error instanceof NotReachableError || (error instanceof SandboxError && error.code === 'NOT_FOUND');
  if (!isGone) throw error;
}
