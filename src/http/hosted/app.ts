import { registeredOrigins } from '../../core/identity/applications.js';
import { shortSessionId } from '../../core/identity/session.js';
import type { RefusalCode } from '../../contract/refusals.js';
import { Refusal } from '../../contract/refusals.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { DoorApp, DoorContext } from '../operation/answer.js';
import { answerFor, newRequestId } from '../operation/answer.js';
import { createDoorApp } from '../operation/send.js';
import { createFallback } from '../operation/fallbacks.js';
import { sendHtml } from './page.js';
import type { HostedRequest, Page } from './request.js';
import { deadEnd, PageContent, readForm } from './request.js';
import { PAGE_SCRIPT } from './scripts.js';
import { serveSdk } from './sdk.js';
import { sessionPage } from './session.js';
import { startPage } from './start.js';
import type { DeadEnd } from './texts.js';
import { chooseLanguage, textsOf } from './texts.js';

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly page: (request: HostedRequest) => Page;
}

const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/session/:id', page: sessionPage },
  { method: 'POST', path: '/session/:id', page: sessionPage },
  { method: 'GET', path: '/start', page: startPage },
  { method: 'POST', path: '/start', page: startPage },
];
const SDK = { method: 'GET', path: '/sdk.js' } as const;

/** The hosted verification pages, and the browser SDK that opens them, as a Hono app. */
export function createHostedApp(sandbox: Sandbox): DoorApp {
  const app = createDoorApp();
  for (const { method, path, page } of ROUTES) {
    app.on(method, path, (c) => servePage(sandbox, c, method === 'POST', page));
  }
  app.on(SDK.method, SDK.path, serveSdk);
  const unrouted = createFallback('', [...ROUTES, SDK]);
  app.notFound(async (c) => {
    const { refusal, headers } = unrouted(c);
    const kind = refusal.code === 'METHOD_NOT_ALLOWED' ? 'badMethod' : 'unknownPage';
    const response = await servePage(sandbox, c, false, (request) => nothing(request, kind), false);
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  });
  return app;
}

async function servePage(
  sandbox: Sandbox,
  c: DoorContext,
  hasForm: boolean,
  pageOf: Route['page'],
  matched = true,
): Promise<Response> {
  const requestId = newRequestId();
  const language = chooseLanguage(c.req.header('accept-language'));
  const request: HostedRequest = {
    sandbox,
    language,
    texts: textsOf(language),
    host: new URL(c.req.url).host,
    received: c.req,
    form: undefined,
  };
  let page: Page;
  try {
    page = pageOf(hasForm ? { ...request, form: await readForm(c) } : request);
  } catch (error) {
    page = nothing(request, reasonOf(error, requestId));
  }
  log(sandbox, c, { requestId, page, matched });
  await sandbox.kept();
  return sendPage(c, requestId, page, request);
}

function nothing(request: HostedRequest, kind: DeadEnd): Page {
  return deadEnd(kind, request, registeredOrigins(request.sandbox.world));
}

const REASONS: Partial<Record<RefusalCode, DeadEnd>> = {
  SERVICE_UNAVAILABLE: 'unavailable',
  UNSUPPORTED_MEDIA_TYPE: 'badMediaType',
  INVALID_TRANSITION: 'finished',
};

/** The page for an error; reports a bug in the sandbox. */
function reasonOf(error: unknown, requestId: string): DeadEnd {
  if (error instanceof Refusal) return REASONS[error.code] ?? 'badForm';
  answerFor(error, requestId);
  return 'failed';
}

function sendPage(
  c: DoorContext,
  requestId: string,
  page: Page,
  { language, texts }: HostedRequest,
): Response {
  if ('location' in page) {
    const headers = { 'cache-control': 'no-store', 'x-request-id': requestId, location: page.location };
    return new Response(null, { status: 303, headers });
  }
  const { status, ancestors, message, problems = {} } = page;
  const prefix = Object.keys(problems).length > 0 ? texts.errorPrefix : '';
  return sendHtml(c, {
    status,
    language,
    title: `${prefix}${page.title} · ${texts.site}`,
    banner: texts.banner,
    content: PageContent({ texts, page }),
    script: PAGE_SCRIPT,
    data: message && { 'data-origin': message.origin, 'data-notice': JSON.stringify(message.notice) },
    policy: [`frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`],
    headers: { 'x-request-id': requestId },
  });
}

/** Logs the call without its query, and with its session id shortened, because that id opens the page. */
function log(
  sandbox: Sandbox,
  c: DoorContext,
  { requestId, page, matched }: { requestId: string; page: Page; matched: boolean },
): void {
  const isMoved = 'location' in page;
  sandbox.calls.add({
    requestId,
    at: sandbox.clock.now(),
    realAt: sandbox.realNow(),
    door: 'hosted',
    method: c.req.method,
    path: c.req.path.replace(/(?<=^\/session\/)[^/]+/, shortSessionId),
    status: isMoved ? 303 : page.status,
    matched,
    appId: null,
    resourceId: null,
    error: isMoved ? null : (page.code ?? null),
    hint: null,
    warnings: [],
    faults: [],
  });
}
