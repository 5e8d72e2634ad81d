import { clearInterval, setInterval } from 'node:timers';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { type SurfaceContext, PRIVATE_HEADERS } from '../shared/response.js';

/** Wraps a stream so that changes are sent only after they are persisted. */
export function flushBeforeSend(sandbox: Pick<Sandbox, 'flushed'>, stream: EventStream): EventStream {
  const send: EventStream['send'] = (event, id) => {
    const keeping = sandbox.flushed();
    if (keeping === undefined) stream.send(event, id);
    else void keeping.then(() => stream.send(event, id)).catch(stream.close);
  };
  return { ...stream, send };
}

/** Heartbeat interval (real time) that keeps idle connections open through proxies. */
const HEARTBEAT_MS = 15_000;
/** Maximum bytes buffered for a slow client before it is disconnected. */
export const QUEUE_LIMIT_BYTES = 1024 * 1024;

/** An open server-sent event stream. */
interface EventStream {
  /** Clients resume by sending `id` as Last-Event-ID. */
  readonly send: (event: object, id?: string) => void;
  readonly close: () => void;
  /** Returns true while the client keeps up. */
  readonly hasRoom: () => boolean;
  /** Registers a callback that runs whenever the client has consumed data. */
  readonly onRoom: (more: () => void) => void;
}

/**
 * Responds with server-sent events. `open` receives the stream and returns functions to run when the stream
 * closes.
 */
export function createEventStream(
  { req, env }: SurfaceContext,
  open: (stream: EventStream) => readonly (() => void)[],
): Response {
  const headers = { 'content-type': 'text/event-stream', ...PRIVATE_HEADERS };
  if (req.method === 'HEAD') return new Response(null, { headers });
  const encoder = new TextEncoder();
  let ends: readonly (() => void)[] = [];
  let isOpen = true;
  let onRoom = () => {};
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    for (const cleanUp of ends) cleanUp();
  };
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const write = (text: string) => {
      if (!isOpen) return;
      controller.enqueue(encoder.encode(text));
      if ((controller.desiredSize ?? 0) > 0) return;
      end();
      if (env.outgoing === undefined) controller.error(new Error('The client fell too far behind.'));
      else env.outgoing.destroy();
    };
    const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
    heartbeat.unref();
    ends = [() => clearInterval(heartbeat)];
    const opened = open({
      send: (event, id) =>
        write(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`),
      close: () => {
        if (isOpen) controller.close();
        end();
      },
      hasRoom: () => isOpen && (controller.desiredSize ?? 0) > QUEUE_LIMIT_BYTES / 2,
      onRoom: (more) => {
        onRoom = more;
      },
    });
    if (isOpen) ends = [...ends, ...opened];
    else for (const cleanUp of opened) cleanUp();
  };
  const queue = new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_LIMIT_BYTES });
  return new Response(new ReadableStream<Uint8Array>({ start, pull: () => onRoom(), cancel: end }, queue), {
    headers,
  });
}
