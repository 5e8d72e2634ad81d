import { isDisabled, isFailed } from '../../contract/transitions.js';
import type { Child } from 'hono/jsx';
import { findForgery } from '../../contract/fault-kinds.js';
import type { CallDetail as CallView } from '../../http/control/exchanges.js';
import type { TraceNodeView } from '../../http/control/timeline.js';
import type { AttemptView, DeliveryView } from '../../http/control/exchanges.js';
import { diffExchanges } from '../../text/exchange/differences.js';
import { presentAttemptExchange, presentCallExchange } from '../../text/exchange/present-exchange.js';
import { parseJson } from '../../text/json.js';
import { createAttemptScript, createCallScript } from '../../text/shell/curl.js';
import { deliveryActions } from '../model/actions.js';
import { type FieldChoice, getFaultPage, createResendForm } from '../model/forms.js';
import { getClosedPath, type DetailKind } from '../model/routes.js';
import {
  labelExchange,
  getEntryPage,
  findAttemptSignature,
  type AttemptSignature,
  labelTraceEntry,
} from '../model/rows.js';
import { formatHoursAndMinutes, PORTUGUESE_TEXTS, formatTimeOfDay, consoleTexts } from '../words.js';
import { renderComparison, renderCurlButton, renderMessage } from './exchange.js';
import { ActionForm } from './form.js';
import { EndpointDetail, SessionDetail } from './pages.js';
import {
  renderActionButton,
  renderArticle,
  renderButton,
  renderCallout,
  renderCommand,
  renderDeliveryList,
  renderFacts,
  renderFaint,
  renderLink,
  renderReady,
} from './parts.js';
import {
  renderSection,
  renderSelect,
  TONE_SIGNS,
  getSigningScheme,
  renderState,
  renderStatus,
  renderText,
  renderToned,
} from './parts.js';
import { ChargeDetails, WithdrawalDetails } from './payments.js';
import { moveClockTo, model } from './screen.js';

const DETAILS: Readonly<Record<DetailKind, (props: { id: string }) => Child>> = {
  calls: CallDetail,
  events: EventDetail,
  deliveries: DeliveryDetail,
  charges: ChargeDetails,
  withdrawals: WithdrawalDetails,
  endpoints: EndpointDetail,
  identity: SessionDetail,
};

/** Renders the open row or its trace next to the list. */
export function Detail() {
  const { detail: texts } = consoleTexts;
  const { detail } = model.route;
  if (detail === undefined) return null;
  const { kind, id, isTraceOpen } = detail;
  const Shown = isTraceOpen ? TraceDetails : DETAILS[kind];
  const path = `/${kind}/${encodeURIComponent(id)}${location.search}`;
  return (
    <section class="detail" aria-label={texts.region}>
      {renderButton(consoleTexts.close, closeDetail, { kind: 'quiet close' })}
      <nav class="views" aria-label={texts.views}>
        {renderLink(path, texts.region, { isCurrent: !isTraceOpen })}
        {renderLink(`${path}#trace`, texts.trace, { isCurrent: isTraceOpen })}
      </nav>
      <Shown id={id} />
    </section>
  );
}

export function closeDetail(): void {
  model.focusDue = 'list';
  model.go(getClosedPath(model.route, location));
}

/** Shows a row's causes, consequences and scheduled items. */
function TraceDetails({ id }: { id: string }) {
  return renderReady(model.resources.get('trace/:id', { id }), ({ root, later, due }) => (
    <article class="trace">
      <h2>{consoleTexts.detail.trace}</h2>
      <ul>{[root, ...later].map(renderTraceNode)}</ul>
      {due.map(({ at, title }) => (
        <p key={at + title} class="waiting">
          {consoleTexts.detail.due} {consoleTexts.instant(at)}: {title}
        </p>
      ))}
    </article>
  ));
}

function renderTraceNode({ seq, kind, at, title, outcome = '', during, children }: TraceNodeView) {
  const entry = model.histories.get(seq)?.entry;
  const to = entry === undefined ? undefined : getEntryPage(entry);
  // Titles of attempts and changes end with the outcome.
  const start = outcome !== '' && title.endsWith(outcome) ? title.slice(0, -outcome.length) : title;
  const shown = start.replace(/(?:: | → | )$/, '');
  return (
    <li key={seq}>
      <time>{formatTimeOfDay(at)}</time> {to === undefined ? shown : renderLink(to, shown)}{' '}
      {during === true ? renderFaint(consoleTexts.detail.during) : null}{' '}
      {renderStatus(labelTraceEntry(kind, outcome))}
      {children.length === 0 ? null : <ul>{children.map(renderTraceNode)}</ul>}
    </li>
  );
}

const namesOf = (faults: readonly { readonly action: string }[]) =>
  faults.map(({ action }) => action).join(', ');

/** Shows an application's request: the exchange, the error, and the consequences. */
function CallDetail({ id }: { id: string }) {
  const { detail, faults } = consoleTexts;
  const { replay } = deliveryActions;
  const scheme = getSigningScheme();
  const onDone = (sent: { readonly id: string }) => model.go(`/calls/${sent.id}#with-${id}`);
  return renderReady(model.resources.get('calls/:id', { id }), (call) => {
    const page = getFaultPage(call);
    const line = `${call.method} ${call.path}`;
    // Highlight editing for an invalid body, and the signed curl command for any other refused request.
    const next = call.error === null ? undefined : call.error.details.length > 0 ? 'edit' : 'curl';
    return renderArticle(
      [line, renderToned(String(call.status), call.status < 400)],
      [
        renderActionButton(detail.replay, replay(id), { shortcut: 'r', onDone }),
        renderActionButton(detail.replayNew, replay(id, { newCode: true }), { onDone }),
        renderButton(detail.edit, () => model.open('replay'), { kind: next === 'edit' ? 'main' : undefined }),
        renderCurlButton(
          scheme && createCallScript(call, location.origin, scheme),
          next === 'curl' ? 'main' : undefined,
        ),
        page === undefined ? null : renderLink(page, faults.forCall),
      ],
      renderErrorResponse(call),
      call.warnings.map((warning) => <p class="problem">{warning}</p>),
      renderFacts(
        [
          'id',
          'at',
          ['real_at', call.real_at],
          ['took', call.duration_ms === null ? '' : `${call.duration_ms} ms`],
          'resource_id',
          ['faults', namesOf(call.faults)],
        ],
        call,
      ),
      comparison(call),
      renderMessage(detail.request, call.request, line),
      renderMessage(detail.response, call.response, String(call.status)),
      call.deliveries.length === 0
        ? null
        : renderSection(detail.deliveries, renderDeliveryList(call.deliveries, toEndpoint)),
    );
  });
}

const toEndpoint = (one: { readonly event_type: string; readonly endpoint_name: string | null }) =>
  `${one.event_type} → ${one.endpoint_name ?? '–'}`;

/** Renders a refusal: its code, its fix, and each field's sent and expected values. */
function renderErrorResponse({ error, hint, request }: CallView) {
  if (error === null) return null;
  const { detail, names } = consoleTexts;
  const sent = parseJson(request?.body ?? '');
  return renderCallout(
    `${error.code}: ${error.message}`,
    hint === null ? null : <p>{`${detail.hint}: ${hint}`}</p>,
    error.details.length === 0 ? null : (
      <table>
        <thead>
          <tr>
            {[detail.field, names.sent, names.expected].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {error.details.map(({ field, message: text }) => (
            <tr key={field + text}>
              <th scope="row">
                <code>{field}</code>
              </th>
              <td>
                <code>{sentValue(sent, field)}</code>
              </td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    ),
  );
}

/** Returns a top-level field's value as JSON, or a dash. */
function sentValue(body: unknown, field: string): string {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return '–';
  return JSON.stringify((body as Readonly<Record<string, unknown>>)[field]);
}

/** Compares the request with a selected request of the same kind. */
function comparison(call: CallView) {
  const { other } = model.route.detail ?? {};
  const alike = model.histories.steps
    .map(({ entry }) => entry)
    .filter(({ kind, method, path }) => kind === 'call' && method === call.method && path === call.path)
    .filter(({ id }) => id !== call.id && id !== other)
    .slice(-20)
    .map(({ id, status: of }): FieldChoice => [id ?? '', `${id?.slice(0, 12)} ${of}`]);
  if (alike.length === 0 && other === undefined) return null;
  const current: readonly FieldChoice[] = other === undefined ? [] : [[other, other.slice(0, 12)]];
  const choices = [['', '–'] as const, ...current, ...alike.reverse()];
  const choose = (id: string) => model.go(`/calls/${call.id}${id === '' ? '' : `#with-${id}`}`, true);
  return [
    renderSelect(consoleTexts.detail.compare, choices, other, choose),
    other === undefined
      ? null
      : renderReady(model.resources.get('calls/:id', { id: other }), (before) =>
          renderComparison(
            other.slice(0, 12),
            diffExchanges(presentCallExchange(before), presentCallExchange(call)),
          ),
        ),
  ];
}

/** Loads an event's exact body, as signed and sent. */
const bodyOf = (id: string) =>
  model.resources.read(`body ${id}`, (client) => client.getText('events/:id/body', { id }), true).value;

function EventDetail({ id }: { id: string }) {
  const { detail } = consoleTexts;
  const body = bodyOf(id);
  const active = (model.resources.get('endpoints').value?.data ?? [])
    .filter((one) => !isDisabled(one.status))
    .map((one): FieldChoice => [one.id, one.description ?? one.url]);
  return renderReady(model.resources.get('events/:id', { id }), (event) =>
    renderArticle(
      [event.type, event.resource.code],
      [<ActionForm form={createResendForm(id, active)} isInline shortcut="r" />],
      renderFacts(['id', ['at', event.created_at], [event.resource.type, event.resource.id]], event),
      renderSection(detail.deliveries, renderDeliveryList(event.deliveries, toEndpoint)),
      renderSection(detail.payload, body === undefined ? null : renderText(detail.payload, body)),
    ),
  );
}

/** Shows a delivery: past and scheduled attempts, and the selected attempt in full. */
function DeliveryDetail({ id }: { id: string }) {
  const { detail } = consoleTexts;
  return renderReady(model.resources.get('deliveries/:id', { id }), (delivery) => {
    const { attempt_log: log, event_id: event, status: state, resource } = delivery;
    const wanted = model.route.detail?.attempt;
    const chosen = log.find(({ number }) => number === wanted) ?? log.at(-1);
    const next = delivery.schedule.find(({ at, due_at: dueAt }) => at === undefined && dueAt !== null);
    const jump = detail.jump(next?.attempt ?? 0);
    const retry = { shortcut: 'r', disabled: !isFailed(state) };
    return renderArticle(
      [delivery.event_type, renderState(state)],
      [
        isFailed(state)
          ? renderActionButton(detail.retry, deliveryActions.retry(id), retry)
          : renderButton(detail.retry, () => {}, retry),
        next && renderButton(jump, () => moveClockTo(next.due_at, jump)),
      ],
      schedule(delivery, chosen?.number),
      renderFacts(
        [
          'id',
          ['to', delivery.endpoint_name],
          ['event', renderLink(`/events/${event}`, event)],
          [resource.type, resource.code],
          'blocked_by',
        ],
        delivery,
      ),
      chosen && attemptSection(delivery, chosen),
    );
  });
}

const TONES: Readonly<Record<string, 'good' | 'bad'>> = { succeeded: 'good', failed: 'bad' };

/** Renders attempts with equal spacing, because a linear time axis would hide the first four. */
function schedule({ id, created_at: start, attempt_log: log, schedule: due }: DeliveryView, chosen?: number) {
  const { detail, names } = consoleTexts;
  return (
    <ol class="schedule" aria-label={detail.attempts}>
      {due.map(({ attempt, due_at: dueAt, at, outcome = '' }) => {
        const made = log.find(({ number }) => number === attempt);
        const tone = TONES[outcome] ?? 'waiting';
        const when = at ?? dueAt;
        const time = when === null ? detail.notMade : consoleTexts.instant(when);
        const moment = when === null || at !== undefined ? time : detail.dueAt(time);
        const end = made?.response_status ?? made?.error ?? '';
        const name = [`${names.attempt} ${attempt}`, moment, end].filter(Boolean).join(', ');
        const press = () =>
          made === undefined
            ? moveClockTo(dueAt, detail.jump(attempt))
            : model.go(`/deliveries/${id}#attempt-${attempt}`);
        // Time since the event, in the schedule's units.
        const minutes = when === null ? 0 : Math.round((Date.parse(when) - Date.parse(start)) / 60_000);
        const isDisabled = made === undefined && dueAt === null;
        return (
          <li key={attempt} class={`${tone}${attempt === chosen ? ' chosen' : ''}`}>
            <button type="button" aria-label={name} title={name} disabled={isDisabled} onClick={press}>
              {TONE_SIGNS[tone]} {attempt}
            </button>
            {renderFaint(when === null ? '–' : formatHoursAndMinutes(minutes))}
          </li>
        );
      })}
    </ol>
  );
}

/** Renders an attempt: the request, the receiver's response, and differences from another attempt. */
function attemptSection(delivery: DeliveryView, attempt: AttemptView) {
  const { detail, names } = consoleTexts;
  const body = bodyOf(delivery.event_id);
  const { number, response_status: code, error, request_headers: headers, response } = attempt;
  const signature = findAttemptSignature(attempt, body);
  const { other } = model.route.detail ?? {};
  const others = delivery.attempt_log.filter((one) => one.number !== number);
  const before = others.find((one) => String(one.number) === other);
  const path = `/deliveries/${delivery.id}#attempt-${number}`;
  const titleOf = (of: number) => `${names.attempt} ${of}`;
  const choices = others.map((one): FieldChoice => [String(one.number), titleOf(one.number)]);
  const choose = (value: string) => model.go(value === '' ? path : `${path}-with-${value}`, true);
  const request = headers && { headers: Object.entries(headers), body };
  const fix = error === null && code !== null && code < 300 ? null : attemptFix(code, error);
  return renderSection(
    titleOf(number),
    <>
      <div class="buttons">
        {renderCurlButton(body === undefined ? undefined : createAttemptScript(delivery, headers, body))}
        {others.length === 0 ? null : renderSelect(detail.compare, [['', '–'], ...choices], other, choose)}
      </div>
      {fix === null
        ? null
        : renderCallout(
            fix,
            code === 400 || code === 401 || code === 403
              ? renderCommand(`npx sandbox verify --delivery ${delivery.id} --attempt ${number}`)
              : null,
          )}
      {renderFacts(
        [
          ['at', attempt.started_at],
          ['took', attempt.latency_ms === undefined ? '' : `${attempt.latency_ms} ms`],
          'error',
          'detail',
          ['signature', signature && signedBy(signature.by, delivery, number)],
          ['faults', namesOf(attempt.faults)],
        ],
        attempt,
      )}
      {signature && (
        <details>
          <summary>{detail.signedContent}: webhook-id.webhook-timestamp.body</summary>
          {renderText(detail.signedContent, signature.content)}
        </details>
      )}
      {before &&
        renderComparison(
          titleOf(before.number),
          diffExchanges(presentAttemptExchange(before), presentAttemptExchange(attempt)),
        )}
      {renderMessage(detail.request, request)}
      {headers && response && renderMessage(detail.response, response, String(code))}
    </>,
    renderStatus(labelExchange({ status: code, error })),
  );
}

/** Returns the fix for a failed attempt. */
function attemptFix(code: number | null | undefined, error: string | null): string {
  const { fixes } = consoleTexts.detail;
  if (code === null || code === undefined) return error === 'TIMEOUT' ? fixes.timeout : fixes.connection;
  if (code >= 300 && code < 400) return fixes.redirect;
  if (code === 404 || code === 405) return fixes.path;
  return code === 400 || code === 401 || code === 403 ? fixes.signature : fixes.application;
}

/** Renders an attempt's signature, and whether the test receiver could verify it. */
function signedBy(by: AttemptSignature['by'], { id }: DeliveryView, attempt: number) {
  const { detail } = consoleTexts;
  const forgery = findForgery([{ action: by }]);
  const secret = forgery
    ? `${forgery.signedWith[consoleTexts === PORTUGUESE_TEXTS ? 1 : 0]}, ${detail.byFault(by)}`
    : detail.signed[by as keyof typeof detail.signed];
  const received = model.resources.get('receiver').value?.received ?? [];
  const verdict = received.find((one) => one.delivery_id === id && one.attempt === attempt)?.verdict;
  return [
    renderToned(`${detail.signedWith} ${secret}`, forgery?.isValid ?? forgery === undefined),
    ' ',
    verdict && renderToned(detail.verified(verdict.ok, verdict.message), verdict.ok),
  ];
}
