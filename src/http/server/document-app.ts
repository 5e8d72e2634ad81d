import type { DoorApp, DoorContext } from '../operation/answer.js';
import { newRequestId } from '../operation/answer.js';
import { createDoorApp } from '../operation/door-app.js';
import { createFallback, sendUnrouted } from '../operation/fallbacks.js';
import { send } from '../operation/send.js';
import { DOCUMENT_PATH } from '../operation/targets.js';

const ROUTE = { method: 'GET', path: DOCUMENT_PATH };
/** The guards let pages of other origins read it. */
const FOR_EVERYBODY = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

/** The description of the service as a Hono app. It is an extra of the sandbox, so it needs no token and is not logged. */
export function createDocumentApp(describe: () => Promise<object>): DoorApp {
  const app = createDoorApp();
  app.get(ROUTE.path, async (c: DoorContext) =>
    send(c, newRequestId(), { status: 200, body: await describe(), headers: FOR_EVERYBODY }),
  );
  const unrouted = createFallback('', [ROUTE]);
  app.notFound((c) => sendUnrouted(c, unrouted(c)));
  return app;
}
