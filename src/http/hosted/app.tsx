import { findOrganizationByKey, isOriginAllowed, listOrigins } from '../../core/identity/applications.js';
import { shortenSessionId } from '../../core/identity/session.js';
import { CUSTOMER_TYPES } from '../../contract/enums.js';
import { Refusal, type RefusalCode } from '../../contract/refusals.js';
import type { Organization } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import {
  createErrorResponse,
  createSurfaceApp,
  type SurfaceApp,
  type SurfaceContext,
  createRequestId,
} from '../shared/response.js';
import { createFallback } from '../shared/unsupported-operations.js';
import { RadioChoice, HiddenFields, ProblemMessage, type ProblemList, sendHtml } from './page.js';
import {
  renderDeadEnd,
  type HostedRequest,
  readNamedOrigin,
  type HostedPage,
  readForm,
  readReferringOrigin,
  type ShownPage,
  refuseWithPage,
} from './request.js';
import { PAGE_SCRIPT } from './scripts.js';
import { serveSdk } from './sdk.js';
import { renderSessionPage } from './session.js';
import { type DeadEndKind, type PageTexts, selectPageTexts } from './texts.js';

type PageOf = (request: HostedRequest) => HostedPage;

const PAGES: Readonly<Record<string, PageOf>> = { '/session/:id': renderSessionPage, '/start': startPage };
const ROUTES = [
  ...Object.keys(PAGES).flatMap((path) => ['GET', 'POST'].map((method) => ({ method, path }))),
  { method: 'GET', path: '/sdk.js' },
];

/** Creates the app for the hosted verification pages and their browser SDK. */
export function createHostedApp(sandbox: Sandbox): SurfaceApp {
  const app = createSurfaceApp();
  for (const [path, pageOf] of Object.entries(PAGES)) {
    app.on(['GET', 'POST'], path, (c) => servePage(sandbox, c, pageOf));
  }
  app.get('/sdk.js', serveSdk);
  const unrouted = createFallback('', ROUTES);
  app.notFound(async (c) => {
    const { refusal, headers } = unrouted(c);
    const kind = refusal.code === 'METHOD_NOT_ALLOWED' ? 'badMethod' : 'unknownPage';
    const response = await servePage(sandbox, c, (request) => renderDeadEnd(kind, request), false);
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  });
  return app;
}

async function servePage(
  sandbox: Sandbox,
  c: SurfaceContext,
  pageOf: PageOf,
  matched = true,
): Promise<Response> {
  const requestId = createRequestId();
  const texts = selectPageTexts(c.req.header('accept-language'));
  const request: HostedRequest = { sandbox, texts, received: c.req, form: undefined };
  let page: HostedPage;
  try {
    const form = matched && c.req.method === 'POST' ? await readForm(c) : undefined;
    page = pageOf({ ...request, form });
  } catch (error) {
    page = renderDeadEnd(reasonOf(error, requestId), request);
  }
  const shown = 'location' in page ? undefined : page;
  sandbox.calls.add({
    requestId,
    at: sandbox.clock.now(),
    realAt: sandbox.realNow(),
    api: 'hosted',
    method: c.req.method,
    // Omit the query and shorten the session id, because the id grants access to the page.
    path: c.req.path.replace(/(?<=^\/session\/)[^/]+/, shortenSessionId),
    status: shown?.status ?? 303,
    matched,
    appId: null,
    resourceId: null,
    error: shown?.code ?? null,
    hint: null,
    warnings: [],
    faults: [],
  });
  await sandbox.flushed();
  const headers = { 'cache-control': 'no-store', 'x-request-id': requestId };
  if ('location' in page) {
    return new Response(null, { status: 303, headers: { ...headers, location: page.location } });
  }
  const { status, title, ancestors, message, problems = {} } = page;
  const prefix = Object.keys(problems).length > 0 ? texts.errorPrefix : '';
  return sendHtml(c, {
    status,
    texts,
    title: `${prefix}${title} · ${texts.site}`,
    banner: texts.banner,
    content: <Content texts={texts} page={page} />,
    script: PAGE_SCRIPT,
    data: message && { 'data-origin': message.origin, 'data-notice': JSON.stringify(message.notice) },
    policy: [`frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`],
    headers,
  });
}

/** Renders a summary of form errors, followed by the page content. */
function Content({ texts, page }: { readonly texts: PageTexts; readonly page: ShownPage }) {
  const { problems = {}, main, aside, isAsideFirst = false } = page;
  const links = Object.entries(problems).map(([id, text]) => (
    <li>
      <a href={`#${id}`}>{text}</a>
    </li>
  ));
  return (
    <>
      {isAsideFirst && aside}
      <main>
        {links.length > 0 && (
          <div class="errors" role="alert" tabindex={-1} autofocus>
            <h2>{texts.errorSummary}</h2>
            <ul>{links}</ul>
          </div>
        )}
        {main}
      </main>
      {!isAsideFirst && aside}
    </>
  );
}

const REASONS: Partial<Record<RefusalCode, DeadEndKind>> = {
  SERVICE_UNAVAILABLE: 'unavailable',
  UNSUPPORTED_MEDIA_TYPE: 'badMediaType',
  INVALID_TRANSITION: 'finished',
};

/** Selects the page for an error, and reports unexpected errors as bugs. */
function reasonOf(error: unknown, requestId: string): DeadEndKind {
  if (error instanceof Refusal) return REASONS[error.code] ?? 'badForm';
  createErrorResponse(error, requestId);
  return 'failed';
}

/** A verified publishable key and origin. */
interface Entry {
  readonly publishableKey: string;
  readonly organization: Organization;
  readonly origin: string;
}

/** Handles `GET` and `POST /start`: starts a verification from a registered origin's page (§4.12, §5.4). */
function startPage(request: HostedRequest): HostedPage {
  const { sandbox, form, texts } = request;
  const entry = verifyEntry(request);
  if (entry === 'unknownKey') return refuseWithPage(request, entry, 'UNKNOWN_PUBLISHABLE_KEY');
  if (entry === 'unknownOrigin') return refuseWithPage(request, entry, 'ORIGIN_NOT_REGISTERED');
  if (entry === 'missingOrigin') return refuseWithPage(request, entry);
  if (form === undefined) return entryPage(request, entry, {});
  const customerType = CUSTOMER_TYPES.find((type) => type === form('customer_type'));
  if (customerType === undefined) {
    return entryPage(request, entry, { [FIRST_CHOICE]: texts.problems.customerType });
  }
  const { publishableKey, origin } = entry;
  const secrets = sandbox.epoch.newSessionSecrets();
  const command = { type: 'session.createPublic', publishableKey, origin, customerType, ...secrets } as const;
  return { location: `/session/${sandbox.dispatch(command).id}` };
}

/** Verifies the publishable key and origin, or returns the reason for rejecting them. */
function verifyEntry(request: HostedRequest): Entry | 'unknownKey' | 'unknownOrigin' | 'missingOrigin' {
  const { sandbox, form, received } = request;
  const [named, referring] = [readNamedOrigin(request), readReferringOrigin(request)];
  let origin = named;
  // Skip this check for form posts, because it was done when the page was opened.
  if (form === undefined) {
    const isTyped = received.header('sec-fetch-site') === 'none' && referring === undefined;
    origin ||= referring ?? '';
    if (isTyped || origin === '') return 'missingOrigin';
    if (referring !== undefined && referring !== origin) return 'unknownOrigin';
  }
  const publishableKey = form?.('publishable_key') || (received.query('publishable_key') ?? '');
  try {
    const organization = findOrganizationByKey(sandbox.world, publishableKey);
    if (!isOriginAllowed(sandbox.world, origin, organization.id)) return 'unknownOrigin';
    return { publishableKey, organization, origin };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'UNAUTHENTICATED') return 'unknownKey';
    throw error;
  }
}

const FIRST_CHOICE = `type-${CUSTOMER_TYPES[0]}`;

function entryPage(request: HostedRequest, entry: Entry, problems: ProblemList): ShownPage {
  const { texts, sandbox, received } = request;
  const { start } = texts;
  const choices = CUSTOMER_TYPES.map((type) => (
    <RadioChoice
      id={`type-${type}`}
      name="customer_type"
      value={type}
      label={start[type]}
      isChecked={received.query('customer_type') === type}
    />
  ));
  const main = (
    <>
      <h1>{start.title}</h1>
      <p>{start.lead}</p>
      <form method="post" action="/start" novalidate>
        <HiddenFields values={{ publishable_key: entry.publishableKey, origin: entry.origin }} />
        <fieldset>
          <legend>{start.legend}</legend>
          <ProblemMessage id={FIRST_CHOICE} text={problems[FIRST_CHOICE]} />
          {choices}
        </fieldset>
        <button>{start.next}</button>
      </form>
    </>
  );
  return {
    status: FIRST_CHOICE in problems ? 422 : 200,
    ancestors: listOrigins(sandbox.world, entry.organization.id),
    title: start.title,
    main,
    problems,
  };
}
