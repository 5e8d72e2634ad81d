import { timingSafeEqual } from 'node:crypto';
import { checkKycEnabled, registeredOrigins } from '../../core/identity/organizations.js';
import type { IdentitySession } from '../../core/identity/session.js';
import { hasLapsed } from '../../core/identity/session.js';
import type { Form } from './form.js';
import { html } from './html.js';
import type { Problems } from './layout.js';
import { hidden } from './layout.js';
import type { Telling } from './notice.js';
import { noticeOf, outcomeOf } from './notice.js';
import type { Page, ShownPage } from './page.js';
import { closeButton, deadEnd } from './page.js';
import type { PanelValues } from './panel.js';
import { panelValues, readChoice, renderPanel, renderReport, UNTOUCHED } from './panel.js';
import type { HostedRequest } from './request.js';
import { registeredOrigin, turnAway } from './request.js';
import type { Carried, Details } from './steps.js';
import {
  detailProblems,
  readDetails,
  renderCamera,
  renderConsent,
  renderDecision,
  renderDetails,
} from './steps.js';
import type { Outcome } from './texts.js';

/** A session with the request for its page. */
interface Visit extends HostedRequest {
  readonly session: IdentitySession;
  readonly ancestors: readonly string[];
  /** The registered origin that gets the outcome. */
  readonly peer: string | null;
  readonly carried: Carried;
}

const OK = 200;
const UNPROCESSABLE = 422;

/** `GET` and `POST /session/{sessionId}`: the steps, one form post each (§4.12). */
export function sessionPage(request: HostedRequest): Page {
  const { sandbox } = request;
  const { world } = sandbox;
  checkKycEnabled(world);
  sandbox.dispatch({ type: 'clock.tick' });
  const session = world.sessions.byId.get(request.param('id'));
  if (session === undefined) return turnAway(request, 'unknownSession', 'SESSION_NOT_FOUND');
  const { organizationId, embedOrigin, formToken } = session;
  const peer = registeredOrigin(request, embedOrigin, organizationId);
  const visit: Visit = {
    ...request,
    session,
    peer,
    ancestors: registeredOrigins(world, organizationId),
    carried: { token: formToken, ...(peer !== null && { origin: peer }) },
  };
  const { form } = request;
  if (form === undefined) return show(visit);
  return isSame(form.get('token'), formToken)
    ? take(visit, form)
    : deadEnd('badForm', visit, visit.ancestors);
}

/** The page on a GET of its address. */
function show(visit: Visit): ShownPage {
  const { session, ancestors } = visit;
  const outcome = outcomeOf(session);
  if (outcome === 'error') return result(visit, outcome);
  if (outcome === undefined) return step(visit);
  const kind = hasLapsed(session, visit.sandbox.clock.now()) ? 'lapsed' : 'finished';
  return deadEnd(kind, visit, ancestors, tellingOf(visit, outcome));
}

/** Takes a form of the session's own page. */
function take(visit: Visit, form: Form): Page {
  const { sandbox, session, texts } = visit;
  const { id: sessionId } = session;
  const outcome = outcomeOf(session);
  if (outcome !== undefined && outcome !== 'error') return result(visit, outcome);
  const details = readDetails(form);
  switch (form.get('step')) {
    case 'details': {
      const problems = detailProblems(details, session.customerType, texts);
      return isEmpty(problems) ? consent(visit, details, {}) : step(visit, { details, problems });
    }
    case 'consent': {
      const problems = detailProblems(details, session.customerType, texts);
      if (!isEmpty(problems)) return step(visit, { details, problems });
      if (form.get('consent') !== 'yes') return consent(visit, details, { consent: texts.problems.consent });
      sandbox.dispatch({ type: 'session.begin', sessionId, ...details });
      return backTo(visit);
    }
    case 'camera':
      return backTo(visit, 'decision');
    case 'retry':
      sandbox.dispatch({ type: 'session.begin', sessionId });
      return backTo(visit);
    case 'decide':
      return decide(visit, panelValues(form));
    default:
      return deadEnd('badForm', visit, visit.ancestors);
  }
}

function decide(visit: Visit, values: PanelValues): ShownPage {
  const { sandbox, session, texts } = visit;
  const choice = readChoice(values, texts);
  if ('problems' in choice) return step(visit, { values, problems: choice.problems });
  const decided = sandbox.dispatch({ type: 'session.decide', sessionId: session.id, ...choice });
  const outcome = outcomeOf(decided);
  return outcome === undefined ? step(visit) : result(visit, outcome);
}

/** The input to a form that has to be corrected. */
interface Typed {
  readonly details?: Details;
  readonly values?: PanelValues;
  readonly problems?: Problems;
}

/** The current step of the session. */
function step(visit: Visit, { details, values, problems = {} }: Typed = {}): ShownPage {
  const { session, texts, carried, query } = visit;
  const known = { name: session.name ?? '', document: session.document ?? '' };
  const isKnown = known.name !== '' && known.document !== '';
  if (!isKnown || details !== undefined) {
    const main = renderDetails(texts, carried, session.customerType, details ?? known, problems);
    return stepPage(visit, texts.details.title, main, { values, problems });
  }
  if (query('step') !== 'decision') {
    return stepPage(visit, texts.camera.title, renderCamera(texts, carried), { values, problems });
  }
  return stepPage(visit, texts.decision.title, renderDecision(texts), { values, problems, isLast: true });
}

function consent(visit: Visit, details: Details, problems: Problems): ShownPage {
  const { texts, carried } = visit;
  return stepPage(visit, texts.consent.title, renderConsent(texts, carried, details, problems), { problems });
}

interface PanelState {
  readonly values?: PanelValues | undefined;
  readonly problems: Problems;
  readonly isLast?: boolean;
}

function stepPage(
  { texts, carried, peer, ancestors, sandbox: { program } }: Visit,
  title: string,
  main: ShownPage['content']['main'],
  { values, problems, isLast = false }: PanelState,
): ShownPage {
  const isOpen = isLast || values !== undefined;
  const shown = values ?? UNTOUCHED;
  const aside = renderPanel({
    texts,
    carried,
    values: shown,
    problems,
    isOpen,
    isHeard: peer !== null,
    program,
  });
  const status = isEmpty(problems) ? OK : UNPROCESSABLE;
  return { status, ancestors, content: { title, main, aside, isAsideFirst: true, problems } };
}

/** The final page, which also notifies the opener once. */
function result(visit: Visit, outcome: Outcome): ShownPage {
  const { session, texts, carried, peer, ancestors, sandbox } = visit;
  const { title, text } = texts.results[outcome];
  const main = html`<div role="status">
      <h1 tabindex="-1" autofocus>${title}</h1>
      <p>${text}</p>
      ${
        outcome === 'error' &&
        html`<dl>
          <dt>${texts.errorCode}</dt>
          <dd><code>${session.error ?? ''}</code></dd>
        </dl>`
      }
    </div>
    ${peer !== null && html`<p class="soft">${texts.resultNote}</p>`}
    ${
      outcome === 'error' &&
      html`<form method="post">
        ${hidden({ ...carried, step: 'retry' })}
        <p><button>${texts.tryAgain}</button></p>
      </form>`
    }
    ${closeButton(texts.close)}`;
  const readableInMs = Math.max(0, (session.readableAt ?? 0) - sandbox.clock.now());
  const aside = renderReport({ texts, outcome, readableInMs, peer });
  return { status: OK, ancestors, content: { title, main, aside, telling: tellingOf(visit, outcome) } };
}

function tellingOf({ session, texts, peer }: Visit, outcome: Outcome): Telling | undefined {
  if (peer === null) return undefined;
  return { origin: peer, notice: noticeOf(session, outcome, texts.results[outcome].title) };
}

function backTo({ session, peer }: Visit, step?: string): Page {
  const query = new URLSearchParams({ ...(step && { step }), ...(peer !== null && { origin: peer }) });
  return { location: `/session/${session.id}${query.size > 0 ? `?${query.toString()}` : ''}` };
}

function isEmpty(problems: Problems): boolean {
  return Object.keys(problems).length === 0;
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
