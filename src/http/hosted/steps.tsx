import type { Child } from 'hono/jsx';
import { formatDuration } from '../../contract/time.js';
import type { IdentitySession } from '../../core/identity/session.js';
import type { Fact, Problems } from './page.js';
import { Choice, Facts, Hidden, Problem, Prose, TextField } from './page.js';
import type { HostedRequest } from './request.js';
import type { Outcome, Texts } from './texts.js';
import { OUTCOMES } from './texts.js';

/** A session with the request for its page. */
export interface Visit extends HostedRequest {
  readonly session: IdentitySession;
  readonly ancestors: readonly string[];
  /** The registered origin that gets the outcome. */
  readonly peer: string | null;
  /** Hidden fields of every form. */
  readonly carried: Readonly<Record<string, string>>;
}

export interface Details {
  readonly name: string;
  readonly document: string;
}

export interface PanelValues {
  readonly outcome: string;
  readonly errorCode: string;
  readonly delay: string;
}

interface StepProps {
  readonly visit: Visit;
}

interface StepFrameProps extends StepProps {
  /** Counted from 0. */
  readonly number: number;
  readonly texts: { readonly title: string; readonly lead: string };
  readonly children?: Child;
}

/** A step under the progress of the person. */
export function Step({ visit, number, texts, children }: StepFrameProps) {
  const { progress, steps } = visit.texts;
  return (
    <>
      <nav aria-label={progress}>
        <ol class="steps">
          {steps.map((name, index) => (
            <li {...(index === number ? { 'aria-current': 'step' } : index < number && { class: 'done' })}>
              {name}
            </li>
          ))}
        </ol>
      </nav>
      <h1>{texts.title}</h1>
      <p>{texts.lead}</p>
      {children}
    </>
  );
}

interface StepFormProps extends StepProps {
  readonly step: string;
  readonly details?: Details;
  readonly button: string;
  readonly children?: Child;
}

export function StepForm({ visit, step: name, details, button, children }: StepFormProps) {
  return (
    <form method="post" novalidate>
      <Hidden values={{ ...visit.carried, step: name, ...details }} />
      {children}
      <button>{button}</button>
    </form>
  );
}

/** Attributes of fields whose input is no prose. */
const CODE = { autocomplete: 'off', spellcheck: 'false' };

interface DetailsProps extends StepProps {
  readonly details: Details;
  readonly problems: Problems;
}

export function DetailsStep({ visit, details, problems }: DetailsProps) {
  const { customerType } = visit.session;
  const texts = visit.texts.details;
  const isPerson = customerType === 'individual';
  return (
    <Step visit={visit} number={0} texts={texts}>
      <StepForm visit={visit} step="details" button={texts.next}>
        <fieldset>
          <legend>{texts.legend}</legend>
          <TextField
            id="name"
            label={texts.name[customerType]}
            value={details.name}
            problem={problems['name']}
            attributes={{ required: true, autocomplete: isPerson ? 'name' : 'organization' }}
          />
          <TextField
            id="document"
            label={texts.document[customerType]}
            hint={texts.documentHint[customerType]}
            value={details.document}
            problem={problems['document']}
            attributes={{ required: true, ...CODE, inputmode: isPerson ? 'numeric' : 'text' }}
          />
        </fieldset>
      </StepForm>
    </Step>
  );
}

/** The form carries the details. */
export function ConsentStep({ visit, details, problems }: DetailsProps) {
  const texts = visit.texts.consent;
  const problem = problems['consent'];
  const marks = problem !== undefined && { 'aria-invalid': 'true', 'aria-describedby': 'consent-problem' };
  return (
    <Step visit={visit} number={1} texts={texts}>
      <Facts
        facts={[
          [texts.name, details.name],
          [texts.document, details.document],
        ]}
      />
      <StepForm visit={visit} step="consent" details={details} button={texts.next}>
        <fieldset>
          <legend>{texts.legend}</legend>
          <Problem id="consent" text={problem} />
          <div class="choice">
            <input type="checkbox" id="consent" name="consent" value="yes" required {...marks} />
            <label for="consent">{texts.box}</label>
          </div>
        </fieldset>
      </StepForm>
    </Step>
  );
}

/** Shows a face beside a document in place of the camera. */
export function CameraStep({ visit }: StepProps) {
  const { camera } = visit.texts;
  return (
    <Step visit={visit} number={2} texts={camera}>
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
      <p class="note">{camera.stand}</p>
      <StepForm visit={visit} step="camera" button={camera.next} />
    </Step>
  );
}

interface AsideProps {
  readonly texts: Texts;
  readonly title: string;
  readonly children: Child;
}

export function Aside({ texts, title, children }: AsideProps) {
  return (
    <aside aria-labelledby="panel-title">
      <h2 id="panel-title">
        <span class="tag">{texts.panel.tag}</span> {title}
      </h2>
      {children}
    </aside>
  );
}

export function PanelForm({
  visit,
  values,
  problems,
}: StepProps & { readonly values: PanelValues; readonly problems: Problems }) {
  const { panel } = visit.texts;
  const firstId = outcomeId(OUTCOMES[0]);
  return (
    <StepForm visit={visit} step="decide" button={panel.submit}>
      <fieldset>
        <legend>{panel.legend}</legend>
        <Problem id={firstId} text={problems[firstId]} />
        {OUTCOMES.map((outcome) => (
          <Choice
            id={outcomeId(outcome)}
            name="outcome"
            value={outcome}
            {...panel.outcomes[outcome]}
            isChecked={values.outcome === outcome}
          />
        ))}
      </fieldset>
      <TextField
        id="error-code"
        label={panel.errorCode}
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
          <Prose text={panel.noPage} program={visit.sandbox.program} />
        </p>
      )}
      <p class="hint">{panel.lead}</p>
    </StepForm>
  );
}

export function outcomeId(outcome: Outcome): string {
  return `outcome-${outcome}`;
}

const CALLBACKS: Partial<Record<Outcome, string>> = { approved: 'onSuccess', under_review: 'onReview' };

export function Report({ visit, outcome }: StepProps & { readonly outcome: Outcome }) {
  const { texts, peer, session, sandbox } = visit;
  const { panel } = texts;
  const waitMs = (session.readableAt ?? 0) - sandbox.clock.now();
  const readable = waitMs > 0 ? `${panel.readableLater} ${formatDuration(waitMs)}` : panel.readableNow;
  const sent = (
    <>
      {peer !== null && (
        <span id="sent" hidden>
          {`${panel.sentTo} ${peer}; ${panel.calls} `}
          <code>{CALLBACKS[outcome] ?? 'onError'}</code>
        </span>
      )}
      <span id="unsent">{panel.unsent}</span>
    </>
  );
  const decided: Fact[] = [
    [panel.status, <code>{outcome}</code>],
    [panel.readable, readable],
  ];
  return (
    <Aside texts={texts} title={panel.report}>
      <Facts facts={[...(outcome === 'error' ? [] : decided), [panel.sent, sent]]} />
    </Aside>
  );
}
