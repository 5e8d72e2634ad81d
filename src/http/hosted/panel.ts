import { formatDuration, parseDuration } from '../../contract/time.js';
import type { SessionDecision } from '../../contract/transitions.js';
import type { Form } from './form.js';
import type { Html } from './html.js';
import { html, prose } from './html.js';
import type { Problems } from './layout.js';
import { hidden, problemLine, textField } from './layout.js';
import type { Outcome, Texts } from './texts.js';
import { OUTCOMES } from './texts.js';

/** The choice in the panel: a decision, or an error for the page to report. */
export type Choice =
  | { readonly status: SessionDecision; readonly delayMs: number }
  | { readonly error: string };

/** The fields of the panel as submitted, or their initial values. */
export interface PanelValues {
  readonly outcome: string;
  readonly errorCode: string;
  readonly delay: string;
}

export const UNTOUCHED: PanelValues = { outcome: 'approved', errorCode: 'PROVIDER_ERROR', delay: '0s' };

const ERROR_CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

export function panelValues(form: Form): PanelValues {
  return { outcome: form.get('outcome'), errorCode: form.get('error-code'), delay: form.get('delay') };
}

/** The meaning of the panel's fields, or their problems. */
export function readChoice(values: PanelValues, texts: Texts): Choice | { readonly problems: Problems } {
  const outcome = OUTCOMES.find((known) => known === values.outcome);
  if (outcome === undefined) return { problems: { [outcomeId(OUTCOMES[0])]: texts.problems.outcome } };
  if (outcome === 'error') {
    if (ERROR_CODE.test(values.errorCode)) return { error: values.errorCode };
    return { problems: { 'error-code': texts.problems.errorCode } };
  }
  const delayMs = parseDuration(values.delay === '' ? '0s' : values.delay);
  return delayMs === undefined ? { problems: { delay: texts.problems.delay } } : { status: outcome, delayMs };
}

export interface PanelInput {
  readonly texts: Texts;
  /** Hidden fields of every form of the session. */
  readonly carried: Readonly<Record<string, string>>;
  readonly values: PanelValues;
  readonly problems: Problems;
  /** A closed panel lets the person skip the steps; an open one is the step. */
  readonly isOpen: boolean;
  /** Whether a registered page will get the outcome. */
  readonly isHeard: boolean;
  /** The program as whoever started the sandbox calls it. */
  readonly program: string | undefined;
}

/** The sandbox's own panel for choosing the outcome. */
export function renderPanel({
  texts,
  carried,
  values,
  problems,
  isOpen,
  isHeard,
  program,
}: PanelInput): Html {
  const { panel } = texts;
  const form = html`<form method="post" novalidate>
    ${hidden({ ...carried, step: 'decide' })}
    <fieldset>
      <legend>${panel.legend}</legend>
      ${problemLine(outcomeId(OUTCOMES[0]), problems[outcomeId(OUTCOMES[0])])}
      ${OUTCOMES.map((outcome) => radio(texts, outcome, values.outcome === outcome))}
    </fieldset>
    ${textField({
      id: 'error-code',
      label: panel.errorCode,
      hint: panel.errorCodeHint,
      value: values.errorCode,
      problem: problems['error-code'],
      attributes: html` autocomplete="off" spellcheck="false" autocapitalize="characters"`,
    })}
    ${textField({
      id: 'delay',
      label: panel.delay,
      hint: panel.delayHint,
      value: values.delay,
      problem: problems['delay'],
      attributes: html` autocomplete="off" spellcheck="false"`,
    })}
    ${!isHeard && html`<p class="hint">${prose(panel.noPage, program)}</p>`}
    <p class="hint">${panel.lead}</p>
    <button>${panel.submit}</button>
  </form>`;
  const heading = html`<h2 id="panel-title"><span class="tag">${panel.tag}</span> ${panel.title}</h2>`;
  return html`<aside aria-labelledby="panel-title">
    ${heading}
    ${
      isOpen
        ? form
        : html`<details>
            <summary>${panel.summary}</summary>
            ${form}
          </details>`
    }
  </aside>`;
}

function radio({ panel }: Texts, outcome: Outcome, isChosen: boolean): Html {
  const { label, hint } = panel.outcomes[outcome];
  const id = outcomeId(outcome);
  return html`<div class="choice">
    <input
      type="radio"
      id="${id}"
      name="outcome"
      value="${outcome}"
      aria-describedby="${id}-hint"
      ${isChosen && html` checked`}
    />
    <label for="${id}">${label}</label>
    <p class="hint" id="${id}-hint">${hint}</p>
  </div>`;
}

function outcomeId(outcome: Outcome): string {
  return `outcome-${outcome}`;
}

export interface ReportInput {
  readonly texts: Texts;
  readonly outcome: Outcome;
  /** The delay until the result is readable, in milliseconds of sandbox time. */
  readonly readableInMs: number;
  /** The registered origin that the page's script sends the outcome to, if a window of it is there. */
  readonly peer: string | null;
}

const CALLBACKS: Readonly<Record<Outcome, string>> = {
  approved: 'onSuccess',
  rejected: 'onError',
  under_review: 'onReview',
  cancelled: 'onError',
  expired: 'onError',
  error: 'onError',
};

/** Details of the outcome for the developer. */
export function renderReport({ texts: { panel }, outcome, readableInMs, peer }: ReportInput): Html {
  const readable =
    readableInMs > 0 ? `${panel.readableLater} ${formatDuration(readableInMs)}` : panel.readableNow;
  const decided = html`<dt>${panel.status}</dt>
    <dd><code>${outcome}</code></dd>
    <dt>${panel.readable}</dt>
    <dd>${readable}</dd>`;
  return html`<aside aria-labelledby="panel-title">
    <h2 id="panel-title"><span class="tag">${panel.tag}</span> ${panel.report}</h2>
    <dl>
      ${outcome !== 'error' && decided}
      <dt>${panel.sent}</dt>
      <dd>
        ${
          peer !== null &&
          html`<span id="sent" hidden>
            ${panel.sentTo} ${peer}; ${panel.calls} <code>${CALLBACKS[outcome]}</code>
          </span>`
        }
        <span id="unsent">${panel.unsent}</span>
      </dd>
    </dl>
  </aside>`;
}
