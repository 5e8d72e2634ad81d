import type { Child } from 'hono/jsx';
import type { CustomerType } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { parseDuration } from '../../contract/time.js';
import type { SessionDecision } from '../../contract/transitions.js';
import { checkKycEnabled, registeredOrigins } from '../../core/identity/applications.js';
import type { IdentitySession } from '../../core/identity/session.js';
import { hasLapsed } from '../../core/identity/session.js';
import { isDocument } from '../../core/payments/documents.js';
import { equalBytes } from '../../signing/bytes.js';
import type { Problems } from './page.js';
import { CloseButton, Facts } from './page.js';
import type { Form, HostedRequest, Message, Page, ShownPage } from './request.js';
import { deadEnd, registeredOrigin, turnAway } from './request.js';
import type { Notice } from './scripts.js';
import { MESSAGE_TYPE } from './scripts.js';
import type { Details, PanelValues, Visit } from './steps.js';
import {
  Aside,
  CameraStep,
  ConsentStep,
  DetailsStep,
  outcomeId,
  PanelForm,
  Report,
  Step,
  StepForm,
} from './steps.js';
import type { Outcome, Texts } from './texts.js';
import { OUTCOMES } from './texts.js';

const UNTOUCHED: PanelValues = { outcome: 'approved', errorCode: 'PROVIDER_ERROR', delay: '0s' };
const OK = 200;
const UNPROCESSABLE = 422;

/** `GET` and `POST /session/{sessionId}`: the steps, one form post each (§4.12). */
export function sessionPage(request: HostedRequest): Page {
  const { sandbox, form } = request;
  const { world } = sandbox;
  checkKycEnabled(world);
  sandbox.dispatch({ type: 'clock.tick' });
  const session = world.sessions.byId.get(request.received.param('id') ?? '');
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
  if (form === undefined) return show(visit);
  const isOwn = equalBytes(Buffer.from(form.get('token')), Buffer.from(formToken));
  return isOwn ? submit(visit, form) : refuseForm(visit);
}

function refuseForm(visit: Visit): ShownPage {
  return deadEnd('badForm', visit, visit.ancestors);
}

/** The page on a GET of its address. */
function show(visit: Visit): ShownPage {
  const { session, ancestors, sandbox } = visit;
  const outcome = outcomeOf(session);
  if (outcome === 'error') return result(visit, outcome);
  if (outcome === undefined) return step(visit);
  const kind = hasLapsed(session, sandbox.clock.now()) ? 'lapsed' : 'finished';
  return deadEnd(kind, visit, ancestors, messageOf(visit, outcome));
}

/** Handles a form of the session's own page. */
function submit(visit: Visit, form: Form): Page {
  const { sandbox, session, texts } = visit;
  const { id: sessionId } = session;
  const outcome = outcomeOf(session);
  if (outcome !== undefined && outcome !== 'error') return result(visit, outcome);
  const name = form.get('step');
  switch (name) {
    case 'details':
    case 'consent': {
      const details = { name: form.get('name'), document: form.get('document') };
      const problems = detailProblems(details, session.customerType, texts);
      if (!isEmpty(problems)) return step(visit, { details, problems });
      if (name === 'details') return consent(visit, details, {});
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
      return decide(visit, form);
    default:
      return refuseForm(visit);
  }
}

const DOCUMENT_TYPES = { individual: 'CPF', business: 'CNPJ' } as const satisfies Record<
  CustomerType,
  string
>;

/** The problems of the details, by field: a person has a CPF and a company a CNPJ. */
function detailProblems({ name, document }: Details, customerType: CustomerType, texts: Texts): Problems {
  const { problems } = texts;
  return {
    ...(name === '' && { name: problems.name }),
    ...(name.length > LIMITS.nameLength && { name: problems.nameLength }),
    ...(isDocument(document) !== DOCUMENT_TYPES[customerType] && {
      document: problems.document[customerType],
    }),
  };
}

function decide(visit: Visit, form: Form): ShownPage {
  const { sandbox, session, texts } = visit;
  const values = {
    outcome: form.get('outcome'),
    errorCode: form.get('error-code'),
    delay: form.get('delay'),
  };
  const choice = readChoice(values, texts);
  if ('problems' in choice) return step(visit, { values, problems: choice.problems });
  const decided = sandbox.dispatch({ type: 'session.decide', sessionId: session.id, ...choice });
  const outcome = outcomeOf(decided);
  return outcome === undefined ? step(visit) : result(visit, outcome);
}

/** The choice in the panel: a decision, or an error for the page to report. */
type PanelChoice =
  | { readonly status: SessionDecision; readonly delayMs: number }
  | { readonly error: string };

const ERROR_CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** The meaning of the panel's fields, or their problems. */
function readChoice(values: PanelValues, { problems }: Texts): PanelChoice | { readonly problems: Problems } {
  const outcome = OUTCOMES.find((known) => known === values.outcome);
  if (outcome === undefined) return { problems: { [outcomeId(OUTCOMES[0])]: problems.outcome } };
  if (outcome === 'error') {
    if (ERROR_CODE.test(values.errorCode)) return { error: values.errorCode };
    return { problems: { 'error-code': problems.errorCode } };
  }
  const delayMs = parseDuration(values.delay === '' ? '0s' : values.delay);
  return delayMs === undefined ? { problems: { delay: problems.delay } } : { status: outcome, delayMs };
}

interface Typed {
  readonly details?: Details;
  readonly values?: PanelValues;
  readonly problems?: Problems;
}

/** The current step of the session. */
function step(visit: Visit, { details, values, problems = {} }: Typed = {}): ShownPage {
  const { session, texts, received } = visit;
  const known = { name: session.name ?? '', document: session.document ?? '' };
  const isKnown = known.name !== '' && known.document !== '';
  if (!isKnown || details !== undefined) {
    const main = <DetailsStep visit={visit} details={details ?? known} problems={problems} />;
    return stepPage(visit, texts.details.title, main, { values, problems });
  }
  const isLast = received.query('step') === 'decision';
  if (!isLast) return stepPage(visit, texts.camera.title, <CameraStep visit={visit} />, { values, problems });
  const main = <Step visit={visit} number={3} texts={texts.decision} />;
  return stepPage(visit, texts.decision.title, main, { values, problems, isLast });
}

function consent(visit: Visit, details: Details, problems: Problems): ShownPage {
  const main = <ConsentStep visit={visit} details={details} problems={problems} />;
  return stepPage(visit, visit.texts.consent.title, main, { problems });
}

interface PanelState {
  readonly values?: PanelValues | undefined;
  readonly problems: Problems;
  readonly isLast?: boolean;
}

/** A page with the panel: a closed one lets the person skip the steps; an open one is the step. */
function stepPage(visit: Visit, title: string, main: Child, state: PanelState): ShownPage {
  const { values, problems, isLast = false } = state;
  const { panel } = visit.texts;
  const form = <PanelForm visit={visit} values={values ?? UNTOUCHED} problems={problems} />;
  const isOpen = isLast || values !== undefined;
  const aside = (
    <Aside texts={visit.texts} title={panel.title}>
      {isOpen ? (
        form
      ) : (
        <details>
          <summary>{panel.summary}</summary>
          {form}
        </details>
      )}
    </Aside>
  );
  const status = isEmpty(problems) ? OK : UNPROCESSABLE;
  return { status, ancestors: visit.ancestors, title, main, aside, isAsideFirst: true, problems };
}

/** The final page, which also notifies the opener once. */
function result(visit: Visit, outcome: Outcome): ShownPage {
  const { session, texts, peer, ancestors } = visit;
  const { title, text } = texts.results[outcome];
  const main = (
    <>
      <div role="status">
        <h1 tabindex={-1} autofocus>
          {title}
        </h1>
        <p>{text}</p>
        {outcome === 'error' && <Facts facts={[[texts.errorCode, <code>{session.error}</code>]]} />}
      </div>
      {peer !== null && <p class="soft">{texts.resultNote}</p>}
      {outcome === 'error' && <StepForm visit={visit} step="retry" button={texts.tryAgain} />}
      <CloseButton label={texts.close} />
    </>
  );
  const aside = <Report visit={visit} outcome={outcome} />;
  return { status: OK, ancestors, title, main, aside, message: messageOf(visit, outcome) };
}

/** The outcome of a session, or the error that its page reports; undefined while it is under way. */
function outcomeOf({ status, error }: IdentitySession): Outcome | undefined {
  if (status === 'CREATED' || status === 'IN_PROGRESS') return error === null ? undefined : 'error';
  return status;
}

function messageOf({ session, texts, peer }: Visit, outcome: Outcome): Message | undefined {
  if (peer === null) return undefined;
  return { origin: peer, notice: noticeOf(session, outcome, texts.results[outcome].title) };
}

const ERROR_CODES = { rejected: 'REJECTED', cancelled: 'CANCELLED', expired: 'EXPIRED' } as const;

/** Approval is a success and a review is a review; every other outcome is an error with a code. */
function noticeOf({ id, error }: IdentitySession, outcome: Outcome, message: string): Notice {
  const common = { type: MESSAGE_TYPE, sessionId: id } as const;
  if (outcome === 'approved') return { ...common, event: 'success' };
  if (outcome === 'under_review') return { ...common, event: 'review' };
  const code = outcome === 'error' ? (error ?? 'UNKNOWN') : ERROR_CODES[outcome];
  return { ...common, event: 'error', error: { code, message }, isFinal: outcome !== 'error' };
}

function backTo({ session, peer }: Visit, to?: string): Page {
  const query = new URLSearchParams({ ...(to && { step: to }), ...(peer !== null && { origin: peer }) });
  return { location: `/session/${session.id}${query.size > 0 ? `?${query.toString()}` : ''}` };
}

function isEmpty(problems: Problems): boolean {
  return Object.keys(problems).length === 0;
}
