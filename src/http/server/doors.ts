import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createConsoleApp } from '../console/app.js';
import { createControlApp } from '../control/app.js';
import type { ServerFacts } from '../control/system.js';
import { createHostedApp } from '../hosted/app.js';
import { createPayApp } from '../hosted/pay.js';
import type { Admit, DoorApp, DoorBindings } from '../operation/answer.js';
import type { RateLimit } from '../operation/rate-limit.js';
import { type Door, doorOf } from '../operation/targets.js';
import { createServiceApp } from '../service/app.js';
import { serviceRoutes } from '../service/routes.js';
import { guard, type GuardPolicy } from './guards.js';
import type { Fetch } from './serve.js';

/** Re-exported, so that both kinds of doors are loaded from one file. */
export { createPublicDoors } from '../public/doors.js';

export interface DoorOptions {
  /** Required by the control API when set. */
  readonly controlToken?: string | undefined;
  /** How often one organization may call the identity API; unlimited without it. */
  readonly kycRateLimit?: RateLimit | undefined;
  /** Whether the buttons of pay pages work where other machines reach them. */
  readonly payButtons?: boolean | undefined;
  /** The public origin of the pay pages, while a tunnel leads to them. */
  readonly payOrigin?: (() => string | undefined) | undefined;
}

/** All doors under one origin; each is a separate app, chosen by the path. */
export function createDoors(
  sandbox: Sandbox,
  facts: ServerFacts,
  guards: GuardPolicy,
  { controlToken, kycRateLimit, payButtons = false, payOrigin }: DoorOptions,
): Fetch {
  if (controlToken !== undefined) sandbox.secrets.learn([controlToken]);
  const { isExposed = false } = facts;
  const service = createServiceApp(sandbox, { hostedUrl: facts.url, kycRateLimit });
  const doors: Readonly<Record<Door, DoorApp>> = {
    api: service,
    identity: service,
    hosted: createHostedApp(sandbox),
    control: createControlApp(sandbox, facts, admitTo(fetchFrom, guards), controlToken),
    pay: createPayApp(sandbox, {
      isExposed,
      hasButtons: !isExposed || payButtons,
      hasConsole: true,
      elsewhere: payOrigin,
    }),
    console: createConsoleApp(async () => {
      const { serviceDocument } = await import('../openapi/service.js');
      const { assumed } = sandbox.world;
      return serviceDocument(serviceRoutes(assumed), assumed, facts.url());
    }),
  };
  return fetchFrom;

  function fetchFrom(request: Request, bindings: DoorBindings) {
    const { method, headers } = request;
    const target = bindings.incoming?.url ?? new URL(request.url).pathname;
    const accept = headers.get('accept') ?? undefined;
    const mode = headers.get('sec-fetch-mode') ?? undefined;
    return doors[doorOf({ method, target, accept, mode }, sandbox.strict)].fetch(request, bindings);
  }
}

/**
 * Puts a request of our own before the guards, which may refuse it, and returns what hands it to the doors:
 * they see what a socket would have brought them, and can break the connection.
 */
function admitTo(fetch: Fetch, guards: GuardPolicy): Admit {
  return ({ method, target, headers: pairs, body }) => {
    const headers = new Headers(pairs.map(([name, value]): [string, string] => [name, value]));
    const incoming = new IncomingMessage(new Socket());
    Object.assign(incoming, { method, url: target, rawHeaders: pairs.flat(), complete: true });
    incoming.headers = Object.fromEntries(headers);
    if (body.length > 0) incoming.push(body);
    incoming.push(null);
    const refusal = guard(incoming, guards);
    if (refusal !== undefined) throw refusal;
    const request = new Request(`http://sandbox.localhost${target}`, { headers });
    // The constructor takes no methods such as TRACE, and changes some.
    Object.defineProperty(request, 'method', { value: method });
    return async () => fetch(request, { incoming, breakOff: () => undefined });
  };
}
