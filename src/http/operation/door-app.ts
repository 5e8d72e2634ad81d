import { Hono } from 'hono';
import type { DoorApp } from './answer.js';
import { responseTo } from './answer.js';

/** A Hono app that responds to every error in JSON; its own handler would print the trace and send a plain text. */
export function createDoorApp(): DoorApp {
  const app: DoorApp = new Hono();
  app.onError((error) => responseTo(error));
  return app;
}
