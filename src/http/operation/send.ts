import { setImmediate } from 'node:timers';
import { Hono } from 'hono';
import { type DoorApp, type DoorContext, responseTo, type Written } from './answer.js';

/** A Hono app that responds to every error in JSON; its own handler would print the trace and send a plain text. */
export function createDoorApp(): DoorApp {
  const app: DoorApp = new Hono();
  app.onError((error) => responseTo(error));
  return app;
}

/** Sends a response, straight to the socket where there is one: a web Response costs more than most operations. */
export function send(c: DoorContext, { status, headers, text, bytes }: Written): Response {
  const { outgoing } = c.env;
  if (outgoing === undefined) return c.body(text, status, headers);
  outgoing.writeHead(status, { 'content-length': bytes, ...headers });
  if (ending.push(() => void outgoing.end(text)) === 1) setImmediate(endAll);
  return alreadySent();
}

/** Responses of this turn of the event loop. Written one after the other, they wake their clients less often. */
let ending: (() => void)[] = [];

function endAll(): void {
  const all = ending;
  ending = [];
  for (const end of all) end();
}

let sentOnSocket: Response | undefined;

/**
 * Tells @hono/node-server that the response went out on the socket. Its own constant is made when it is
 * imported, which loads all of Node's fetch before the sandbox is ready.
 */
export function alreadySent(): Response {
  sentOnSocket ??= new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
  return sentOnSocket;
}
