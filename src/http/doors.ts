import type { HttpBindings } from '@hono/node-server';
import type { Sandbox } from '../sandbox/sandbox.js';
import { createApiApp } from './api/app.js';
import { CONTROL_PREFIX, createControlApp } from './control/app.js';
import type { ServerFacts } from './control/system.js';
import type { Fetch } from './serve.js';

/** All doors under one origin; each is an app of its own, told apart by the path. */
export function createDoors(sandbox: Sandbox, facts: ServerFacts, controlToken: string | undefined): Fetch {
  const api = createApiApp(sandbox);
  const control = createControlApp(sandbox, facts, controlToken);
  return (request: Request, bindings: Partial<HttpBindings>) => {
    const target = bindings.incoming?.url ?? new URL(request.url).pathname;
    return target.startsWith(CONTROL_PREFIX)
      ? control.fetch(request, bindings)
      : api.fetch(request, bindings);
  };
}
