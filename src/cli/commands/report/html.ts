import type { TraceNodeView } from '../../../http/control/timeline.js';
import { escapeControlCharacters } from '../../../text/control-characters.js';
import { formatOutcome } from '../../../text/exchange/present-exchange.js';
import { createHtmlPage } from '../../../text/html-page.js';
import { escapeXml } from '../../../text/junit.js';
import { formatSpan } from '../../terminal/time-text.js';
import { describeAttemptError } from '../listen/attempt-text.js';
import type { Report } from './build.js';

const STYLE = `
h3 { font-size: 1rem; margin: .8rem 0 .2rem; overflow-wrap: anywhere; }
pre { margin: .3rem 0; padding: .5rem .7rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem;
  background: light-dark(#f4f4f5, #222); border: 1px solid light-dark(#ddd, #444); border-radius: .3rem; }
.steps, .steps ul { list-style: none; margin: 0; padding-left: 0; overflow-wrap: anywhere; }
.steps ul { padding-left: .7rem; border-left: 2px solid light-dark(#ddd, #444); }
.steps a:not(.fail) { color: inherit; }
.soft { color: light-dark(#666, #aaa); }
.notice { padding: .5rem .7rem; border-left: .3rem solid light-dark(#8a5a00, #ffc14d);
  background: light-dark(#fff6df, #2a2213); }
summary { overflow-wrap: anywhere; font-weight: 600; }
@media print { body { max-width: none; margin: 0; } summary, h3, li { break-after: avoid; } }
`;

/** Makes untrusted text safe and visible, including characters that hide or reorder text. */
function escape(text: string): string {
  return escapeXml(escapeControlCharacters(text));
}

function textList(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escape(line)}</li>`).join('\n')}</ul>`;
}

function section(title: string, ...parts: readonly string[]): string {
  return `<h2>${escape(title)}</h2>\n${parts.join('\n') || '<p class="soft">none</p>'}`;
}

function block(text: string): string {
  return text === '' ? '' : `<pre>${escape(text)}</pre>`;
}

const omitNull = (_: string, value: unknown) => value ?? undefined;

/** Creates a self-contained HTML page. */
export function reportHtml(report: Report): string {
  const { subject, trace, versions, clock, requests, deliveries } = report;
  const attempts = deliveries.flatMap(({ id, attempts: own }) =>
    own.map((one): [string, boolean] => [`${id}.${one.number}`, one.error !== null]),
  );
  const failures = new Map([
    ...requests.map(({ id, status }): [string, boolean] => [id, status >= 400]),
    ...attempts,
  ]);
  const startMs = Date.parse(trace.root.at);
  const steps = [trace.root, ...trace.later].map((node) => stepHtml(node, startMs, failures));
  const data = report.with_data
    ? 'This report contains personal data. Only known secrets are redacted.'
    : 'Redacted (…): secrets, personal fields, metadata, unknown fields and headers, query values, and text ' +
      'responses of receivers.';
  const content = [
    `<p class="notice">${escape(data)}</p>`,
    textList([
      `created: ${report.created_at}`,
      `sandbox: pix-sandbox ${versions.sandbox}`,
      `command: pix-sandbox ${versions.command}, Node.js ${versions.node}, ${versions.platform}`,
      `clock: ${clock.now} (sandbox time), ${clock.rate === 0 ? 'frozen' : `rate ${clock.rate}`}`,
      ...report.left_out,
    ]),
    section(`Steps from ${trace.root.at} (sandbox time)`, `<ul class="steps">${steps.join('\n')}</ul>`),
    section('Due next', textList(trace.due.map(({ at, title }) => `${at} ${title}`))),
    section('Requests', ...requests.map(requestHtml)),
    section('Deliveries', ...deliveries.map(deliveryHtml)),
    section('Current state', ...report.resources.map((row) => block(JSON.stringify(row, null, 2)))),
    section(
      'Settings other than the defaults',
      textList(Object.entries(report.settings).map(([key, value]) => `${key}: ${value}`)),
    ),
    section(
      'Assumptions other than the defaults',
      textList(report.assumptions.map((one) => `${one.id}: ${one.value} (default: ${one.default})`)),
    ),
    section('Faults', ...report.faults.map((fault) => block(JSON.stringify(fault, omitNull)))),
  ];
  return createHtmlPage(escapeControlCharacters(`Report on ${subject}`), STYLE, content.join('\n'));
}

function stepHtml(node: TraceNodeView, startMs: number, failures: ReadonlyMap<string, boolean>): string {
  const { id, title, at, outcome = '', during, children } = node;
  const laterMs = Date.parse(at) - startMs;
  const when = laterMs === 0 ? '' : `<span class="soft">+${formatSpan(laterMs)}</span> `;
  const text = escape(`${during === true ? 'during the attempt: ' : ''}${title}`);
  const isFailure = failures.get(id ?? '');
  const link = `<a href="#${escape(id ?? '')}" class="${isFailure === true ? 'fail' : 'pass'}">${text}</a>`;
  const end = outcome === '' || title.endsWith(outcome) ? '' : ` <b>${escape(outcome)}</b>`;
  const below = children.map((child) => stepHtml(child, startMs, failures)).join('\n');
  return `<li>${when}${isFailure === undefined ? text : link}${end}${below === '' ? '' : `<ul>${below}</ul>`}</li>`;
}

/** Starts a collapsible part, open so that it is printed. */
function detailsHtml(
  id: string,
  isFailure: boolean,
  outcome: string,
  title: string,
  parts: readonly string[],
) {
  const head = `<span class="${isFailure ? 'fail' : 'pass'}">${escape(outcome)}</span> ${escape(title)}`;
  return [`<details open id="${escape(id)}"><summary>${head}</summary>`, ...parts, '</details>'].join('\n');
}

function timeHtml(id: string, at: string, realAt: string | undefined, ms: number | null | undefined): string {
  const real = realAt === undefined ? '' : ` · ${realAt} (real time)`;
  const took = typeof ms === 'number' ? ` · ${ms} ms` : '';
  return `<p class="soft">${escape(`${id} · ${at} (sandbox time)${real}${took}`)}</p>`;
}

type Message = Report['requests'][number]['request'];

function messageHtml(title: string, message: Message): string {
  if (message === null) return `<h3>${title}</h3>\n<p class="soft">not stored, or not sent</p>`;
  const { headers, body, body_note: note } = message;
  const notes = note === null ? '' : `<p class="soft">Body: ${escape(note)}.</p>`;
  return [
    `<h3>${title}</h3>`,
    block(headers.map((pair) => pair.join(': ')).join('\n')),
    block(body),
    notes,
  ].join('\n');
}

function requestHtml(call: Report['requests'][number]): string {
  const { id, error, hint, warnings, faults, status } = call;
  const remarks = [
    ...(error === null
      ? []
      : [error.message, ...error.details.map(({ field, message }) => `${field}: ${message}`)]),
    ...(hint === null ? [] : [`Hint: ${hint}`]),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...faults.map(({ action }) => `Fault: ${action}`),
  ];
  return detailsHtml(
    id,
    status >= 400,
    formatOutcome({ status, error: error?.code }),
    `${call.method} ${call.path}`,
    [
      timeHtml(id, call.at, call.real_at, call.duration_ms),
      textList(remarks),
      messageHtml('Request', call.request),
      messageHtml('Response', call.response),
    ],
  );
}

function deliveryHtml(delivery: Report['deliveries'][number]): string {
  const { id, event_type: type, status, target_url: target, request, blocked_by: blocked } = delivery;
  const attempts = delivery.attempts.map((attempt) => {
    const { error, detail, body_error, causes, number, response_status } = attempt;
    const remarks = [error && describeAttemptError(error), detail, body_error, ...causes].filter(
      (one) => !!one,
    );
    const outcome = formatOutcome({ status: response_status, error });
    const own = `${id}.${number}`;
    return detailsHtml(own, error !== null, outcome, `attempt ${number}: POST ${target ?? ''}`, [
      timeHtml(own, attempt.started_at, attempt.dispatched_at, attempt.latency_ms),
      textList(remarks.filter((one) => typeof one === 'string')),
      messageHtml('Request headers', { headers: attempt.request_headers, body: '', body_note: null }),
      messageHtml('Response', attempt.response),
    ]);
  });
  const count = `${delivery.attempts.length} of ${delivery.attempt_limit} attempts`;
  const state = [status, count, blocked].filter((one) => one !== null).join(', ');
  return [
    `<h3>${escape(`${type} to ${delivery.endpoint_name ?? 'a deleted endpoint'}: ${state}`)}</h3>`,
    messageHtml('Body of every attempt', { headers: [], ...request }),
    ...attempts,
  ].join('\n');
}
