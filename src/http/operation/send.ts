import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Answer, DoorContext } from './answer.js';
import { jsonHeaders } from './answer.js';

/** Writes an answer with its request id: straight to the socket where there is one, because a Response costs more than most operations. */
export function send(c: DoorContext, requestId: string, { status, body, headers }: Answer): Response {
  const text = JSON.stringify(body);
  const sent = { ...jsonHeaders(requestId), ...headers };
  const { outgoing } = c.env;
  if (outgoing === undefined) return c.body(text, status, sent);
  outgoing.writeHead(status, { 'content-length': Buffer.byteLength(text), ...sent });
  outgoing.end(text);
  return RESPONSE_ALREADY_SENT;
}
