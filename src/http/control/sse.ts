import { clearInterval, setInterval } from 'node:timers';

/** Keeps idle connections open through proxies and tells a client that we are still there; real time. */
const HEARTBEAT_MS = 15_000;

/** One open server-sent event stream. */
export interface EventStream {
  readonly send: (event: object) => void;
  readonly close: () => void;
}

/** Answers with server-sent events. `open` is given the stream and returns what is to be done when the client has gone. */
export function eventStream(open: (stream: EventStream) => () => void): Response {
  const encoder = new TextEncoder();
  let onGone: (() => void) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let isOpen = true;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(heartbeat);
    onGone?.();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        if (isOpen) controller.enqueue(encoder.encode(text));
      };
      heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
      heartbeat.unref();
      onGone = open({
        send: (event) => write(`data: ${JSON.stringify(event)}\n\n`),
        close: () => {
          if (isOpen) controller.close();
          end();
        },
      });
    },
    cancel: end,
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
