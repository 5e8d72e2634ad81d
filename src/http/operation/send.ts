import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { DoorContext, Written } from './answer.js';

/** Sends a response, straight to the socket where there is one: a web Response costs more than most operations. */
export function send(c: DoorContext, { status, headers, text, bytes }: Written): Response {
  const { outgoing } = c.env;
  if (outgoing === undefined) return c.body(text, status, headers);
  outgoing.writeHead(status, { 'content-length': bytes, ...headers });
  outgoing.end(text);
  return RESPONSE_ALREADY_SENT;
}
