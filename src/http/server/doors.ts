import type { HttpBindings } from '@hono/node-server';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { apiRoutes, createApiApp } from '../api/app.js';
import { createConsoleApp, isConsoleRequest, isNavigation } from '../console/app.js';
import { CONTROL_PREFIX } from '../../text/control-api.js';
import { createControlApp } from '../control/app.js';
import type { ServerFacts } from '../control/system.js';
import { createDocumentApp } from './document-app.js';
import { createHostedApp } from '../hosted/app.js';
import { createPayApp } from '../hosted/pay/app.js';
import { isPayTarget } from '../operation/page-urls.js';
import { IDENTITY_PREFIX, isDocumentTarget, isHostedTarget } from '../operation/targets.js';
import { createIdentityApp, IDENTITY_ROUTES } from '../identity/app.js';
import type { RateLimit } from '../identity/rate-limit.js';
import type { GuardPolicy } from './guards.js';
import { admitTo } from './in-process.js';
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
  const api = createApiApp(sandbox, IDENTITY_ROUTES);
  const identity = createIdentityApp(sandbox, { hostedUrl: facts.url, rateLimit: kycRateLimit });
  const hosted = createHostedApp(sandbox);
  const control = createControlApp(sandbox, facts, admitTo(fetchFrom, guards), controlToken);
  const { isExposed = false } = facts;
  const pay = createPayApp(sandbox, {
    isExposed,
    hasButtons: !isExposed || payButtons,
    hasConsole: true,
    elsewhere: payOrigin,
  });
  const pages = createConsoleApp();
  const document = createDocumentApp(async () => {
    const { serviceDocument } = await import('../openapi/service.js');
    const routes = { api: apiRoutes(sandbox), identity: IDENTITY_ROUTES };
    return serviceDocument(routes, sandbox.world.assumed, facts.url());
  });
  return fetchFrom;

  function fetchFrom(request: Request, bindings: Partial<HttpBindings>) {
    const target = bindings.incoming?.url ?? new URL(request.url).pathname;
    if (target.startsWith(CONTROL_PREFIX)) return control.fetch(request, bindings);
    if (target.startsWith(IDENTITY_PREFIX)) return identity.fetch(request, bindings);
    if (!sandbox.strict && isDocumentTarget(target)) return document.fetch(request, bindings);
    if (isHostedTarget(target)) return hosted.fetch(request, bindings);
    if (isPayTarget(target)) return pay.fetch(request, bindings);
    if (isForConsole(target, request, sandbox.strict)) return pages.fetch(request, bindings);
    return api.fetch(request, bindings);
  }
}

/** In strict mode the console answers browsers alone: `/` is unknown to the service itself. */
function isForConsole(target: string, { method, headers }: Request, isStrict: boolean): boolean {
  // The calls of applications are most requests by far.
  if (target.startsWith('/api/')) return false;
  const asked = {
    accept: headers.get('accept') ?? '',
    'sec-fetch-mode': headers.get('sec-fetch-mode') ?? undefined,
  };
  if (!isConsoleRequest(target, method, asked)) return false;
  return !isStrict || target.startsWith('/console/') || isNavigation(asked);
}
