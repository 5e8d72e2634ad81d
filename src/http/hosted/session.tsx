import type { Child } from 'hono/jsx';
import { type Delay, parseDelay } from '../../contract/delay.js';
import { LIMITS } from '../../contract/limits.js';
import { formatDuration } from '../../contract/time.js';
import type { SessionDecision } from '../../contract/transitions.js';
import { checkKycEnabled, listOrigins } from '../../core/identity/applications.js';
import { hasLapsed, isUndecided } from '../../core/identity/session.js';
import type { IdentitySession } from '../../core/world.js';
import { isDocument } from '../../core/payments/documents.js';
import { areEqualBytes } from '../../signing/message.js';
import {
  RadioChoice,
  CloseButton,
  FactList,
  HiddenFields,
  ProblemMessage,
  type ProblemList,
  TextWithCode,
  TextField,
} from './page.js';
import {
  renderDeadEnd,
  type SubmittedForm,
  type HostedRequest,
  type HostedPage,
  findRegisteredOrigin,
  type ShownPage,
  refuseWithPage,
} from './request.js';
import { MESSAGE_TYPE } from './scripts.js';
import { type PanelOutcome, PANEL_OUTCOMES, type PageTexts } from './texts.js';

/** A request for a session page. */
interface Visit extends HostedRequest {
  readonly session: IdentitySession;
  readonly ancestors: readonly string[];
  /** The registered origin that receives the outcome. */
  readonly peer: string | null;
}

/** Handles `GET` and `POST /session/{sessionId}`; each step is one form post (§4.12). */
export function renderSessionPage(request: HostedRequest): HostedPage {
  const { sandbox, form, received } = request;
  const { world } = sandbox;
  checkKycEnabled(world);
  sandbox.dispatch({ type: 'clock.tick' });
  const session = world.sessions.byId.get(received.param('id') ?? '');
  if (session === undefined) return refuseWithPage(request, 'unknownSession', 'SESSION_NOT_FOUND');
  const { organizationId, embedOrigin, formToken } = session;
  const peer = findRegisteredOrigin(request, embedOrigin, organizationId);
  const ancestors = listOrigins(world, organizationId);
  const visit: Visit = { ...request, session, peer, ancestors };
  if (form === undefined) return show(visit);
  const isOwn = areEqualBytes(Buffer.from(form('token')), Buffer.from(formToken));
  return isOwn ? submit(visit, form) : renderDeadEnd('badForm', visit, ancestors);
}

/** Renders the page for a GET request. */
function show(visit: Visit): ShownPage {
  const { session, sandbox, received } = visit;
  const outcome = outcomeOf(session);
  if (outcome === 'error') return result(visit, outcome);
  if (outcome === undefined) return currentStep(visit, received.query('step') === 'decision');
  const kind = hasLapsed(session, sandbox.clock.now()) ? 'lapsed' : 'finished';
  return renderDeadEnd(kind, visit, visit.ancestors, messageOf(visit, outcome));
}

/** Handles a form submitted from the session's page. */
function submit(visit: Visit, form: SubmittedForm): HostedPage {
  const { sandbox, session, texts } = visit;
  const { id: sessionId } = session;
  const outcome = outcomeOf(session);
  if (outcome !== undefined && outcome !== 'error') return result(visit, outcome);
  const step = form('step');
  switch (step) {
    case 'details':
    case 'consent': {
      const details = { name: form('name'), document: form('document') };
      const problems = detailProblems(details, session, texts);
      if (Object.keys(problems).length > 0) return detailsStep(visit, details, { problems });
      if (step === 'details') return consentStep(visit, details, {});
      if (form('consent') !== 'yes') return consentStep(visit, details, { consent: texts.problems.consent });
      sandbox.dispatch({ type: 'session.begin', sessionId, ...details });
      return redirectToSession(visit, {});
    }
    case 'camera':
      return redirectToSession(visit, { step: 'decision' });
    case 'retry':
      sandbox.dispatch({ type: 'session.begin', sessionId });
      return redirectToSession(visit, {});
    case 'decide': {
      const values = { outcome: form('outcome'), errorCode: form('error-code'), delay: form('delay') };
      const choice = readChoice(values, texts);
      if ('problems' in choice) return currentStep(visit, false, { values, problems: choice.problems });
      const decided = sandbox.dispatch({ type: 'session.decide', sessionId, ...choice });
      return result(visit, outcomeOf(decided) ?? 'error');
    }
    default:
      return renderDeadEnd('badForm', visit, visit.ancestors);
  }
}

function redirectToSession({ session, peer }: Visit, query: Readonly<Record<string, string>>): HostedPage {
  const search = new URLSearchParams({ ...query, ...(peer !== null && { origin: peer }) });
  return { location: `/session/${session.id}${search.size > 0 ? `?${search.toString()}` : ''}` };
}

interface Details extends Record<string, string> {
  readonly name: string;
  readonly document: string;
}

/** Validates the details by field: individuals require a CPF, companies a CNPJ. */
function detailProblems(
  { name, document }: Details,
  session: IdentitySession,
  texts: PageTexts,
): ProblemList {
  const { problems, [session.customerType]: ofType } = texts;
  return {
    ...(name === '' && { name: problems.name }),
    ...(name.length > LIMITS.nameLength && { name: problems.nameLength }),
    ...(isDocument(document) !== ofType.document && { document: ofType.problem }),
  };
}

interface PanelValues {
  readonly outcome: string;
  readonly errorCode: string;
  readonly delay: string;
}

const ERROR_CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Parses the panel's fields into a decision, a page error, or form errors. */
function readChoice(
  values: PanelValues,
  { problems }: PageTexts,
): { status: SessionDecision; delayMs: Delay } | { error: string } | { problems: ProblemList } {
  const outcome = PANEL_OUTCOMES.find((known) => known === values.outcome);
  if (outcome === undefined) return { problems: { [FIRST_OUTCOME]: problems.outcome } };
  if (outcome === 'error') {
    if (ERROR_CODE.test(values.errorCode)) return { error: values.errorCode };
    return { problems: { 'error-code': problems.errorCode } };
  }
  const delayMs = parseDelay(values.delay === '' ? '0s' : values.delay);
  return delayMs === undefined ? { problems: { delay: problems.delay } } : { status: outcome, delayMs };
}

/** Panel values that replace the defaults, and form errors. */
interface FormState {
  readonly values?: PanelValues;
  readonly problems?: ProblemList;
}

/** Renders the current step of the session. */
function currentStep(visit: Visit, isDecision: boolean, state: FormState = {}): ShownPage {
  const { name, document } = visit.session;
  if (!name || !document) return detailsStep(visit, { name: name ?? '', document: document ?? '' }, state);
  return isDecision ? stepPage(visit, 'decision', state, {}) : cameraStep(visit, state);
}

/** Input attributes for code fields. */
const CODE = { autocomplete: 'off', spellcheck: 'false' };

function detailsStep(visit: Visit, details: Details, state: FormState): ShownPage {
  const { customerType } = visit.session;
  const texts = visit.texts[customerType];
  const isPerson = customerType === 'individual';
  const fields = (
    <>
      <TextField
        id="name"
        label={texts.name}
        value={details.name}
        problem={state.problems?.['name']}
        attributes={{ required: true, autocomplete: isPerson ? 'name' : 'organization' }}
      />
      <TextField
        id="document"
        label={texts.document}
        hint={texts.hint}
        value={details.document}
        problem={state.problems?.['document']}
        attributes={{ required: true, ...CODE, inputmode: isPerson ? 'numeric' : 'text' }}
      />
    </>
  );
  return stepPage(visit, 'details', state, { fields });
}

/** Renders the consent step, with the details in hidden fields. */
function consentStep(visit: Visit, details: Details, problems: ProblemList): ShownPage {
  const texts = visit.texts.consent;
  const problem = problems['consent'];
  const marks = problem !== undefined && { 'aria-invalid': 'true', 'aria-describedby': 'consent-problem' };
  const lead = (
    <FactList
      facts={[
        [texts.name, details.name],
        [texts.document, details.document],
      ]}
    />
  );
  const fields = (
    <>
      <ProblemMessage id="consent" text={problem} />
      <div class="choice">
        <input type="checkbox" id="consent" name="consent" value="yes" required {...marks} />
        <label for="consent">{texts.box}</label>
      </div>
    </>
  );
  return stepPage(visit, 'consent', { problems }, { lead, fields, hidden: details });
}

/** Renders a drawing of a face and a document in place of the camera. */
function cameraStep(visit: Visit, state: FormState): ShownPage {
  const { camera } = visit.texts;
  const lead = (
    <>
      <svg class="picture" viewBox="0 0 320 180" role="img" aria-label={camera.picture}>
        <g fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round">
          <path d="M16 40V24a8 8 0 0 1 8-8h16M280 16h16a8 8 0 0 1 8 8v16" />
          <path d="M304 140v16a8 8 0 0 1-8 8h-16M40 164H24a8 8 0 0 1-8-8v-16" />
          <ellipse cx="108" cy="78" rx="30" ry="37" />
          <path d="M96 72h.1M120 72h.1M97 93q11 9 22 0M58 156q8-34 50-34t50 34" />
          <rect x="182" y="62" width="92" height="62" rx="6" />
          <rect x="192" y="74" width="24" height="30" rx="3" />
          <path d="M226 80h38M226 92h38M226 104h24" />
        </g>
      </svg>
      <p class="note">{camera.note}</p>
    </>
  );
  return stepPage(visit, 'camera', state, { lead });
}

interface StepContent {
  readonly lead?: Child;
  readonly fields?: Child;
  readonly hidden?: Readonly<Record<string, string>>;
}

/** Renders a step with its progress and the panel, which is collapsed until the decision step. */
function stepPage(
  visit: Visit,
  name: keyof PageTexts['steps'],
  { values, problems = {} }: FormState,
  { lead, fields, hidden }: StepContent,
): ShownPage {
  const { texts, ancestors } = visit;
  const { step, title, lead: sentence, ...rest } = texts.steps[name];
  const all = Object.entries(texts.steps);
  const at = all.findIndex(([other]) => other === name);
  const items = all.map(([, { step: label }], index) => (
    <li {...(index === at ? { 'aria-current': 'step' } : index < at && { class: 'done' })}>{label}</li>
  ));
  const main = (
    <>
      <nav aria-label={texts.progress}>
        <ol class="steps">{items}</ol>
      </nav>
      <h1>{title}</h1>
      <p>{sentence}</p>
      {lead}
      {'next' in rest && (
        <StepForm visit={visit} step={name} hidden={hidden} button={rest.next}>
          {fields && (
            <fieldset>
              <legend>{step}</legend>
              {fields}
            </fieldset>
          )}
        </StepForm>
      )}
    </>
  );
  const form = <PanelForm visit={visit} values={values ?? DEFAULT_VALUES} problems={problems} />;
  const folded = (
    <details>
      <summary>{texts.panel.summary}</summary>
      {form}
    </details>
  );
  const isOpen = name === 'decision' || values !== undefined;
  const aside = (
    <Aside texts={texts} title={texts.panel.title}>
      {isOpen ? form : folded}
    </Aside>
  );
  const status = Object.keys(problems).length > 0 ? 422 : 200;
  return { status, ancestors, title, main, aside, isAsideFirst: true, problems };
}

interface StepFormProps {
  readonly visit: Visit;
  readonly step: string;
  readonly hidden?: Readonly<Record<string, string>> | undefined;
  readonly button: string;
  readonly children?: Child;
}

function StepForm({ visit: { session, peer }, step, hidden, button, children }: StepFormProps) {
  const origin = peer !== null && { origin: peer };
  return (
    <form method="post" novalidate>
      <HiddenFields values={{ token: session.formToken, ...origin, step, ...hidden }} />
      {children}
      <button>{button}</button>
    </form>
  );
}

function Aside(props: { readonly texts: PageTexts; readonly title: string; readonly children: Child }) {
  return (
    <aside aria-labelledby="panel-title">
      <h2 id="panel-title">
        <span class="tag">{props.texts.panel.tag}</span> {props.title}
      </h2>
      {props.children}
    </aside>
  );
}

const DEFAULT_VALUES: PanelValues = { outcome: 'approved', errorCode: 'PROVIDER_ERROR', delay: '0s' };
const FIRST_OUTCOME = `outcome-${PANEL_OUTCOMES[0]}`;

function PanelForm(props: {
  readonly visit: Visit;
  readonly values: PanelValues;
  readonly problems: ProblemList;
}) {
  const { visit, values, problems } = props;
  const { panel, outcomes, errorCode } = visit.texts;
  const choices = PANEL_OUTCOMES.map((outcome) => (
    <RadioChoice
      id={`outcome-${outcome}`}
      name="outcome"
      value={outcome}
      label={outcomes[outcome].label}
      hint={outcomes[outcome].hint}
      isChecked={values.outcome === outcome}
    />
  ));
  return (
    <StepForm visit={visit} step="decide" button={panel.submit}>
      <fieldset>
        <legend>{panel.legend}</legend>
        <ProblemMessage id={FIRST_OUTCOME} text={problems[FIRST_OUTCOME]} />
        {choices}
      </fieldset>
      <TextField
        id="error-code"
        label={errorCode}
        hint={panel.errorCodeHint}
        value={values.errorCode}
        problem={problems['error-code']}
        attributes={{ ...CODE, autocapitalize: 'characters' }}
      />
      <TextField
        id="delay"
        label={panel.delay}
        hint={panel.delayHint}
        value={values.delay}
        problem={problems['delay']}
        attributes={CODE}
      />
      {visit.peer === null && (
        <p class="hint">
          <TextWithCode text={panel.noPage} program={visit.sandbox.program} />
        </p>
      )}
      <p class="hint">{panel.lead}</p>
    </StepForm>
  );
}

/** Renders the final page, which notifies the opener. */
function result(visit: Visit, outcome: PanelOutcome): ShownPage {
  const { session, texts, peer, ancestors, sandbox } = visit;
  const { title, text } = texts.outcomes[outcome];
  const { panel } = texts;
  const isError = outcome === 'error';
  const main = (
    <>
      <div role="status">
        <h1 tabindex={-1} autofocus>
          {title}
        </h1>
        <p>{text}</p>
        {isError && <FactList facts={[[texts.errorCode, <code>{session.error}</code>]]} />}
      </div>
      {peer !== null && <p class="soft">{texts.resultNote}</p>}
      {isError && <StepForm visit={visit} step="retry" button={texts.tryAgain} />}
      <CloseButton label={texts.close} />
    </>
  );
  const waitMs = (session.readableAt ?? 0) - sandbox.clock.now();
  const readable = waitMs > 0 ? `${panel.readableLater} ${formatDuration(waitMs)}` : panel.readableNow;
  const sent = (
    <>
      {peer !== null && (
        <span id="sent" hidden>
          {`${panel.sentTo} ${peer}; ${panel.calls} `}
          <code>{SUCCESSES[outcome]?.callback ?? 'onError'}</code>
        </span>
      )}
      <span id="unsent">{panel.unsent}</span>
    </>
  );
  const decided = [
    [panel.status, <code>{outcome}</code>],
    [panel.readable, readable],
  ] as const;
  const aside = (
    <Aside texts={texts} title={panel.report}>
      <FactList facts={[...(isError ? [] : decided), [panel.sent, sent]]} />
    </Aside>
  );
  return { status: 200, ancestors, title, main, aside, message: messageOf(visit, outcome) };
}

/** Returns the session outcome, or the error reported by its page; undefined while undecided. */
function outcomeOf(session: IdentitySession): PanelOutcome | undefined {
  if (isUndecided(session)) return session.error === null ? undefined : 'error';
  return session.status as SessionDecision;
}

/** Callback and event for each successful outcome. */
const SUCCESSES: Partial<Record<PanelOutcome, { callback: string; event: 'success' | 'review' }>> = {
  approved: { callback: 'onSuccess', event: 'success' },
  under_review: { callback: 'onReview', event: 'review' },
};

function messageOf({ session, texts, peer }: Visit, outcome: PanelOutcome): ShownPage['message'] {
  if (peer === null) return undefined;
  const common = { type: MESSAGE_TYPE, sessionId: session.id } as const;
  const success = SUCCESSES[outcome];
  if (success !== undefined) return { origin: peer, notice: { ...common, event: success.event } };
  const isFinal = outcome !== 'error';
  const code = isFinal ? outcome.toUpperCase() : (session.error ?? 'UNKNOWN');
  const error = { code, message: texts.outcomes[outcome].title };
  return { origin: peer, notice: { ...common, event: 'error', error, isFinal } };
}
