import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { createApiApp } from '../api/app.js';
import { apiRoutes } from '../api/operations.js';
import { createConsoleApp } from '../console/app.js';
import { createControlApp } from '../control/app.js';
import type { ServerFacts } from '../control/system.js';
import { createHostedApp } from '../hosted/app.js';
import { createPayApp } from '../hosted/pay.js';
import type { Door } from '../operation/targets.js';
import { DOCUMENT_PATH, doorOf } from '../operation/targets.js';
import { createIdentityApp, IDENTITY_ROUTES } from '../identity/app.js';
import type { RateLimit } from '../identity/rate-limit.js';
import {
  type DoorApp,
  type DoorBindings,
  type InProcessRequest,
  newRequestId,
  written,
} from '../operation/answer.js';
import { createDoorApp, send } from '../operation/send.js';
import { createFallback, sendUnrouted } from '../operation/fallbacks.js';
import type { GuardPolicy } from './guards.js';
import { guard } from './guards.js';
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
  const doors: Readonly<Record<Door, DoorApp>> = {
    api: createApiApp(sandbox, IDENTITY_ROUTES),
    identity: createIdentityApp(sandbox, { hostedUrl: facts.url, rateLimit: kycRateLimit }),
    hosted: createHostedApp(sandbox),
    control: createControlApp(sandbox, facts, admitTo(fetchFrom, guards), controlToken),
    pay: createPayApp(sandbox, {
      isExposed,
      hasButtons: !isExposed || payButtons,
      hasConsole: true,
      elsewhere: payOrigin,
    }),
    console: createConsoleApp(),
    document: createDocumentApp(async () => {
      const { serviceDocument } = await import('../openapi/service.js');
      const routes = { api: apiRoutes(sandbox), identity: IDENTITY_ROUTES };
      return serviceDocument(routes, sandbox.world.assumed, facts.url());
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
 * The description of the service as a Hono app. It is an extra of the sandbox, so it needs no token and is
 * not logged.
 */
export function createDocumentApp(describe: () => Promise<object>): DoorApp {
  const app = createDoorApp();
  // The guards let pages of other origins read it.
  const headers = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
  app.get(DOCUMENT_PATH, async (c) =>
    send(c, written(newRequestId(), { status: 200, body: await describe(), headers })),
  );
  const unrouted = createFallback('', [{ method: 'GET', path: DOCUMENT_PATH }]);
  app.notFound((c) => sendUnrouted(c, unrouted(c)));
  return app;
}

/** The server's end of a connection to no one: it takes what is written, and can be broken. */
class Wire extends Duplex {
  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  destroySoon(): void {
    this.destroy();
  }

  resetAndDestroy(): void {
    this.destroy();
  }
}

/**
 * Puts a request of our own before the guards, which may refuse it, and returns what hands it to the doors:
 * they see what a socket would have brought them, and can break the connection.
 */
function admitTo(fetch: Fetch, guards: GuardPolicy) {
  return (request: InProcessRequest): (() => Promise<unknown>) => {
    const wire = new Wire() as unknown as Socket;
    const incoming = incomingOn(wire, request);
    const refusal = guard(incoming, guards);
    if (refusal !== undefined) throw refusal;
    const outgoing = new ServerResponse(incoming);
    outgoing.assignSocket(wire);
    const { method, target } = request;
    const asked = new Request(`http://sandbox.localhost${target}`, { headers: headersOf(request) });
    // The constructor takes no methods such as TRACE, and changes some.
    Object.defineProperty(asked, 'method', { value: method });
    return async () => {
      try {
        return await fetch(asked, { incoming, outgoing });
      } finally {
        wire.destroy();
      }
    };
  };
}

function headersOf({ headers }: InProcessRequest): Headers {
  return new Headers(headers.map(([name, value]): [string, string] => [name, value]));
}

function incomingOn(wire: Socket, request: InProcessRequest): IncomingMessage {
  const { method, target, headers, body } = request;
  const incoming = new IncomingMessage(wire);
  incoming.method = method;
  incoming.url = target;
  incoming.httpVersion = '1.1';
  incoming.rawHeaders = headers.flat();
  incoming.headers = Object.fromEntries(headersOf(request));
  incoming.complete = true;
  if (body.length > 0) incoming.push(body);
  incoming.push(null);
  return incoming;
}
