import { setImmediate } from 'node:timers';
import type { Answer, DoorContext } from './answer.js';
import { jsonHeaders } from './answer.js';

/** An answer as it goes over the wire; `bytes` is the length of its text. */
export interface Written {
  readonly status: Answer['status'];
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: number;
}

const SENT_MARK = 'x-already-sent';

/** In the place of the response to a request that was answered on its socket; its header stays where HEAD makes a response of it. */
export const ALREADY_SENT = { status: 200, headers: { [SENT_MARK]: '1' } } as unknown as Response;

export function isAlreadySent(response: Response): boolean {
  return response === ALREADY_SENT || response.headers.has(SENT_MARK);
}

/** Writes an answer, with its request id, as text. */
export function written(requestId: string, { status, body, headers }: Answer): Written {
  const text = JSON.stringify(body);
  return { status, headers: { ...jsonHeaders(requestId), ...headers }, text, bytes: Buffer.byteLength(text) };
}

/**
 * Sends an answer with its request id, as it was `written`: straight to the socket where there is one, because a Response costs
 * more than most operations.
 */
export function send(
  c: DoorContext,
  requestId: string,
  answer: Answer,
  { status, headers, text, bytes }: Written = written(requestId, answer),
): Response {
  const { outgoing } = c.env;
  if (outgoing === undefined) return c.body(text, status, headers);
  outgoing.writeHead(status, { 'content-length': bytes, ...headers });
  atEndOfTurn(() => {
    // ASCII is written as it is; UTF-8 would be counted and encoded once more.
    outgoing.end(text, bytes === text.length ? 'latin1' : 'utf8');
  });
  return ALREADY_SENT;
}

let waiting: (() => void)[] = [];

/** The answers of a turn of the event loop leave together, because each that leaves alone has to wake its client, which takes as long as a short call. */
function atEndOfTurn(write: () => void): void {
  if (waiting.push(write) > 1) return;
  setImmediate(() => {
    const writes = waiting;
    waiting = [];
    for (const one of writes) one();
  });
}
