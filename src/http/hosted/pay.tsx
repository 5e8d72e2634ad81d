import { randomBytes } from 'node:crypto';
import { clearInterval, setInterval } from 'node:timers';
import type { Child } from 'hono/jsx';
import { DEFAULT_FAILURE_REASON, type FailureReason, listReasons } from '../../contract/enums.js';
import { Refusal, REFUSAL_STATUSES } from '../../contract/refusals.js';
import {
  type ChargeStatus,
  isDelivered,
  isExpired,
  isPending,
  isSettled,
  LATE_PAYMENT,
  MOVES,
  listMoves,
} from '../../contract/transitions.js';
import { moveCommand } from '../../core/apply.js';
import type { Effect } from '../../core/effects.js';
import { presentCharge } from '../../core/resources/serialize.js';
import { limitAtAttempt } from '../../core/webhooks/deliveries.js';
import type { Charge, Delivery } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { RecentMap } from '../../sandbox/subscribers.js';
import { isLoopbackName } from '../../text/urls.js';
import {
  createErrorResponse,
  createSurfaceApp,
  type SurfaceApp,
  type SurfaceContext,
  createRequestId,
  PRIVATE_HEADERS,
} from '../shared/response.js';
import { createFallback } from '../shared/unsupported-operations.js';
import { isPayToken, createPayPath } from '../shared/surface.js';
import { createEventStream, flushBeforeSend } from '../streams/sse.js';
import { type HtmlPage, sendHtml } from './page.js';
import { type SubmittedForm, readForm } from './request.js';
import { PAY_SCRIPT } from './scripts.js';
import { type PageTexts, selectPageTexts } from './texts.js';

/** Options for the payment pages. */
interface PayPolicy {
  /** Set if other machines can reach the pages; their URLs then require a token. */
  readonly isExposed: boolean;
  /** Lets any visitor decide the charge's outcome. */
  readonly hasButtons: boolean;
  /** Set if the console has the same origin. */
  readonly hasConsole: boolean;
  /** Origin for other machines, if it differs from the request's origin. */
  readonly elsewhere?: (() => string | undefined) | undefined;
}

interface Visit extends PayPolicy {
  readonly c: SurfaceContext;
  readonly sandbox: Sandbox;
  readonly charge: Charge;
  readonly texts: PageTexts;
  /** Creates a form token; undefined if the page has no buttons. */
  readonly newToken: () => string | undefined;
}

/** A rejected form; `why` is an additional English explanation or an empty string. */
interface Problem {
  readonly status: number;
  readonly text: string;
  readonly why: string;
}

const TOKEN_BYTES = 16;
/** Maximum number of form tokens, one per page view; the oldest tokens are dropped. */
const MOST_TOKENS = 10_000;

/**
 * Creates the payment pages: the payer's view of a charge, and buttons that decide the outcome. The request
 * log omits page requests; the timeline attributes button actions to the console.
 */
export function createPayApp(sandbox: Sandbox, policy: PayPolicy): SurfaceApp {
  /** Single-use form tokens, each bound to one charge. */
  const tokens = new RecentMap<{ readonly chargeId: string; isUsed: boolean }>(MOST_TOKENS);
  const path = policy.isExposed ? '/pay/:id/:token' : '/pay/:id';

  /** Finds the charge by its full id. Exposed pages also require the token. */
  function visitOf(c: SurfaceContext): Visit | undefined {
    const id = c.req.param('id') ?? '';
    if (policy.isExposed && !isPayToken(id, c.req.param('token') ?? '')) return undefined;
    sandbox.dispatch({ type: 'clock.tick' });
    const charge = sandbox.world.charges.byId.get(id);
    const newToken = () => {
      if (!policy.hasButtons) return undefined;
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      tokens.set(token, { chargeId: id, isUsed: false });
      return token;
    };
    return (
      charge && {
        ...policy,
        c,
        sandbox,
        charge,
        newToken,
        texts: selectPageTexts(c.req.header('accept-language')),
      }
    );
  }

  /** Accepts each form once; submitting it again only redirects to the page. */
  async function executeForm({ c, charge, texts }: Visit): Promise<Problem | undefined> {
    const { problems } = texts.pay;
    if (!policy.hasButtons) return { status: 403, text: problems.noButtons, why: '' };
    try {
      const form = await readForm(c);
      const token = tokens.get(form('token'));
      if (token?.chargeId !== charge.id) return { status: 403, text: problems.form, why: '' };
      if (token.isUsed) return undefined;
      token.isUsed = true;
      sandbox.timeline.withCause({ by: 'console' }, () => executeAction(sandbox, charge.id, form));
      return undefined;
    } catch (error) {
      const { status, body } = createErrorResponse(error, createRequestId());
      return { status, text: problems.refused, why: body.error.message };
    }
  }

  async function handleForm(visit: Visit): Promise<Response> {
    const problem = await executeForm(visit);
    await sandbox.flushed();
    if (visit.c.req.header('accept') === 'application/json') {
      const body = { token: visit.newToken() ?? '', problem: problem ?? null };
      return Response.json(body, { status: problem?.status ?? 200, headers: PRIVATE_HEADERS });
    }
    if (problem !== undefined) return showPage(visit, problem);
    const location = createPayPath(visit.charge.id, policy.isExposed);
    return new Response(null, { status: 303, headers: { ...PRIVATE_HEADERS, location } });
  }

  const routes = [
    { method: 'GET', path, serve: showPage },
    { method: 'POST', path, serve: handleForm },
    { method: 'GET', path: `${path}/stream`, serve: followCharge },
  ];
  const app = createSurfaceApp();
  for (const { method, path: own, serve } of routes) {
    app.on(method, own, async (c) => {
      const visit = visitOf(c);
      return visit === undefined ? sendNotFound(c, 404) : serve(visit);
    });
  }
  const unrouted = createFallback('', routes);
  app.notFound((c) => {
    const { refusal, headers } = unrouted(c);
    return sendNotFound(c, REFUSAL_STATUSES[refusal.code], headers);
  });
  return app;
}

/** Panel buttons in display order: every transition, plus a late payment. */
const ACTIONS = { ...MOVES.charge, late: LATE_PAYMENT };
type Action = keyof typeof ACTIONS;
const ACTION_NAMES = Object.keys(ACTIONS) as Action[];
const REASON_CODES = Object.keys(listReasons('fail')) as FailureReason[];

function possibleActions(status: ChargeStatus): Action[] {
  if (isExpired(status)) return ['late'];
  const moves = listMoves('charge', status);
  return moves.length === 0 ? [] : [...moves, 'late'];
}

/** Executes a button action as a single command. Throws INVALID_REQUEST for unknown actions and reasons. */
function executeAction(sandbox: Sandbox, chargeId: string, form: SubmittedForm): void {
  const action = checkedChoice('action', form('action'), ACTION_NAMES);
  if (action === 'late') {
    sandbox.dispatch({ type: 'trigger', event: LATE_PAYMENT.event, charge: chargeId, late: true });
    return;
  }
  const given = form('reason') || DEFAULT_FAILURE_REASON;
  const reason = 'hasReason' in ACTIONS[action] ? checkedChoice('reason', given, REASON_CODES) : undefined;
  sandbox.dispatch(moveCommand('charge', action, chargeId, reason));
}

function checkedChoice<Name extends string>(field: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new Refusal('INVALID_REQUEST', `${field} must be one of ${names.join(', ')}.`);
}

/** Localized state of a payment page, streamed on every change. */
type PayState = ReturnType<typeof payState>;

function payState({ sandbox, charge, texts, hasButtons, ...view }: Visit) {
  const { clock } = sandbox;
  const { status, reason, expiresAt } = charge;
  return {
    status,
    isPaid: isSettled(status),
    /** Shows or hides the PIX code. */
    isPayable: possibleActions(status).includes('late'),
    words: texts.pay.statuses[status],
    /** Failure reason; empty unless the charge failed. */
    reason: reason === null ? '' : `${reason} · ${texts.pay.reasons[reason]}`,
    /** Sandbox milliseconds until expiration; null unless pending. */
    leftMs: isPending(status) ? Math.max(0, expiresAt - clock.now()) : null,
    /** Sandbox milliseconds per real millisecond. */
    rate: clock.rate,
    /** Localized clock state. */
    pace: clock.rate === 0 ? texts.pay.frozen : texts.pay.simulated,
    actions: hasButtons ? possibleActions(status) : [],
    webhooks: hasButtons ? webhookLines(sandbox, charge, texts, view.hasConsole) : [],
  };
}

/** Maximum number of deliveries shown. */
const MOST_WEBHOOKS = 10;

/** Describes the newest deliveries of a charge's events, with console links if available. */
function webhookLines({ world, epoch }: Sandbox, charge: Charge, texts: PageTexts, hasConsole: boolean) {
  const announced = world.events.rows.findLast(({ resource }) => resource.id === charge.id);
  if (announced === undefined) return [];
  const { webhook } = texts.pay;
  const outcomeOf = (delivery: Delivery) => {
    const { id, log, status } = delivery;
    const last = log.at(-1);
    if (last === undefined) return webhook.waiting;
    const latencyMs = epoch.records.get(id, last.number)?.result.latencyMs;
    const parts = [
      String(last.status ?? last.error),
      latencyMs === undefined ? '' : `${Math.round(latencyMs)} ms`,
      isDelivered(status)
        ? ''
        : `${webhook.attempt} ${last.number} ${webhook.of} ${limitAtAttempt(world, delivery, last.number)}`,
    ];
    return parts.filter((part) => part !== '').join(' · ');
  };
  const own = world.deliveries.rows.filter(({ event }) => event.resource.id === charge.id);
  const lines = own
    .slice(-MOST_WEBHOOKS)
    .toReversed()
    .map((delivery) => ({
      text: `Webhook: ${outcomeOf(delivery)} (${delivery.event.type})`,
      href: hasConsole ? `/deliveries/${delivery.id}` : null,
    }));
  if (own.some(({ event }) => event === announced)) return lines;
  return [{ text: `Webhook: ${webhook.nobody} (${announced.type})`, href: null }, ...lines];
}

/**
 * Interval in real milliseconds for checking the clock rate, because the clock resumes after a jump without a
 * timeline entry.
 */
const COMPARE_MS = 1_000;

/** Streams the page state now and on every change, or `gone` if the charge no longer exists. */
function followCharge(visit: Visit): Response {
  const { c, sandbox, charge } = visit;
  return createEventStream(c, (client) => {
    const { send, close } = flushBeforeSend(sandbox, client);
    let sentRate: number | undefined;
    const sendState = () => {
      const current = sandbox.world.charges.byId.get(charge.id);
      sentRate = sandbox.clock.rate;
      send(current === undefined ? { gone: true } : payState({ ...visit, charge: current }));
    };
    const compare = setInterval(() => {
      if (sandbox.clock.rate !== sentRate) sendState();
    }, COMPARE_MS);
    compare.unref();
    sendState();
    return [
      sandbox.subscribe((effects) => {
        if (effects.some((effect) => subjectOf(effect) === charge.id)) sendState();
      }),
      sandbox.timeline.subscribe(({ kind }) => {
        if (kind === 'clock') sendState();
      }),
      sandbox.onReset(sendState),
      sandbox.onClose(close),
      () => clearInterval(compare),
    ];
  });
}

/** Returns the id of the resource that changed. */
function subjectOf(effect: Effect): string | undefined {
  if (effect.type === 'charge') return effect.charge.id;
  if (effect.type === 'event') return effect.event.resource.id;
  return effect.type === 'delivery' ? effect.delivery.event.resource.id : undefined;
}

async function showPage(visit: Visit, problem?: Problem): Promise<Response> {
  const { c, sandbox, charge, texts, isExposed, elsewhere, newToken } = visit;
  await sandbox.flushed();
  const { origin, hostname } = new URL(c.req.url);
  // URL for other devices, if they can reach this page.
  const reachable = elsewhere?.() ?? (isExposed && !isLoopbackName(hostname) ? origin : undefined);
  const state = payState(visit);
  const amount = moneyText(charge.amountCents, texts);
  const token = newToken();
  const content = (
    <>
      <ChargeView visit={visit} state={state} amount={amount} problem={problem}>
        {reachable !== undefined && (
          <OtherDeviceLink visit={visit} url={reachable + createPayPath(charge.id, true)} />
        )}
      </ChargeView>
      {token !== undefined && <Panel texts={texts.pay} state={state} token={token} />}
    </>
  );
  return sendPay(c, {
    status: problem?.status ?? 200,
    texts,
    title: `${amount} · ${charge.code}`,
    content,
    script: PAY_SCRIPT,
    data: { 'data-stream': `${createPayPath(charge.id, isExposed)}/stream` },
  });
}

function sendNotFound(c: SurfaceContext, status: number, headers = {}): Response {
  const texts = selectPageTexts(c.req.header('accept-language'));
  const { title, text } = texts.pay.nowhere;
  const content = (
    <main>
      <h1>{title}</h1>
      <p>{text}</p>
    </main>
  );
  return sendPay(c, { status, texts, title, content, script: '' }, headers);
}

const POLICY = [
  'img-src data:',
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

function sendPay(
  c: SurfaceContext,
  page: Omit<HtmlPage, 'banner' | 'policy' | 'headers'>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { site, banner } = page.texts.pay;
  return sendHtml(c, {
    ...page,
    title: `${page.title} · ${site}`,
    banner,
    policy: POLICY,
    headers: {
      ...PRIVATE_HEADERS,
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'x-request-id': createRequestId(),
      ...headers,
    },
  });
}

/** Formats an amount for a language, e.g. `R$ 1.234,56`. */
function moneyText(cents: number, { language }: PageTexts): string {
  return `R$ ${new Intl.NumberFormat(language, { minimumFractionDigits: 2 }).format(cents / 100)}`;
}

interface ChargeProps {
  readonly visit: Visit;
  readonly state: PayState;
  readonly amount: string;
  readonly problem: Problem | undefined;
  readonly children: Child;
}

function ChargeView({ visit, state, amount, problem, children }: ChargeProps) {
  const { pay: texts } = visit.texts;
  const { qr_code, qr_code_base64 } = presentCharge(visit.charge, visit.sandbox.drawQr);
  const { status } = state;
  return (
    <main>
      <p id="problem" class="errors" role="alert" hidden={problem === undefined}>
        <span id="problem-text">{problem?.text}</span>{' '}
        <span id="problem-why" lang="en">
          {problem?.why}
        </span>
      </p>
      <h1>{amount}</h1>
      <p class="soft">
        {`${texts.code} `}
        <code dir="auto">{visit.charge.code}</code>
      </p>
      <p id="status" role="status" tabindex={-1} data-status={status}>
        <strong id="words">{state.words}</strong> <code id="raw">{status}</code>{' '}
        <span id="why">{state.reason}</span>
      </p>
      <p id="lost" class="errors" hidden>
        {texts.lost}
      </p>
      <p id="paid" aria-hidden="true" hidden={!state.isPaid}>
        {`✓ ${texts.statuses.SETTLED}`}
      </p>
      <div id="payable" hidden={!state.isPayable}>
        <img class="qr" alt="QR code" src={`data:image/png;base64,${qr_code_base64 ?? ''}`} />
        <p id="left" role="timer" hidden={state.leftMs === null}>
          {`${texts.expiresIn} `}
          <strong id="clock">{clockText(state.leftMs ?? 0)}</strong> <span id="pace">{state.pace}</span>
        </p>
        <p>
          <label for="pix">{texts.pix}</label>
          <textarea id="pix" readonly spellcheck={false}>
            {qr_code}
          </textarea>
        </p>
        <button type="button" id="copy" class="plain" hidden>
          {texts.copy}
        </button>
        <span id="copied" aria-live="polite" data-text={texts.copied}></span>
      </div>
      {children}
    </main>
  );
}

function OtherDeviceLink({ visit, url }: { readonly visit: Visit; readonly url: string }) {
  const { title, picture } = visit.texts.pay.elsewhere;
  return (
    <details>
      <summary>{title}</summary>
      <img class="qr" alt={picture} src={`data:image/png;base64,${visit.sandbox.drawQr(url)}`} />
      <p>
        <a href={url}>{url}</a>
      </p>
    </details>
  );
}

interface PanelProps {
  readonly texts: PageTexts['pay'];
  readonly state: PayState;
  readonly token: string;
}

function Panel({ texts, state, token }: PanelProps) {
  const forms = ACTION_NAMES.map((action) => (
    <form method="post" data-action={action} hidden={!state.actions.includes(action)}>
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="action" value={action} />
      {'hasReason' in ACTIONS[action] && <Reasons texts={texts} />}
      <button>{texts.button(ACTIONS[action].button)}</button>
    </form>
  ));
  const webhooks = state.webhooks.map(({ text, href }) => (
    <li>
      {text}
      {href !== null && ' → '}
      {href !== null && <a href={href}>{texts.webhook.open}</a>}
    </li>
  ));
  return (
    <aside id="panel" aria-labelledby="panel-title">
      <h2 id="panel-title">
        <span class="tag">{texts.panelTag}</span> {texts.panelTitle}
      </h2>
      {forms}
      <ul id="webhooks" aria-live="polite" data-open={texts.webhook.open}>
        {webhooks}
      </ul>
    </aside>
  );
}

function Reasons({ texts }: { readonly texts: PageTexts['pay'] }) {
  const options = REASON_CODES.map((code) => (
    <option value={code} selected={code === DEFAULT_FAILURE_REASON}>
      {`${code} · ${texts.reasons[code]}`}
    </option>
  ));
  return (
    <>
      <label for="reason">{texts.reason}</label>
      <select id="reason" name="reason">
        {options}
      </select>
    </>
  );
}

/** Formats a duration, e.g. `23:59:12`. */
function clockText(ms: number): string {
  const leftS = Math.floor(ms / 1000);
  return [leftS / 3600, (leftS / 60) % 60, leftS % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':');
}
