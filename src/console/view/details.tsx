import { isDisabled, isFailed } from '../../contract/transitions.js';
import type { Child } from 'hono/jsx';
import { forgeryOf } from '../../contract/fault-kinds.js';
import type { CallDetail as CallView } from '../../http/control/exchanges.js';
import type { TraceNodeView } from '../../http/control/timeline.js';
import type { AttemptView, DeliveryView } from '../../http/control/exchanges.js';
import { differencesOf } from '../../text/exchange/differences.js';
import { attemptExchange, callExchange } from '../../text/exchange/shown.js';
import { attemptAgain, callAgain } from '../../text/shell/curl.js';
import { deliveries } from '../model/actions.js';
import { type Choice, faultPage, resendForm } from '../model/forms.js';
import { closedPath, type DetailKind } from '../model/routes.js';
import { exchangeOutcome, pageOf, signatureOf, type AttemptSignature, traceOutcome } from '../model/rows.js';
import { hoursAndMinutes, PT, timeOfDay, words } from '../words.js';
import { compared, curlButton, message } from './exchange.js';
import { Form } from './form.js';
import { EndpointDetail, SessionDetail } from './pages.js';
import { actionButton, article, button, deliveryList, facts, faint, link, ready } from './parts.js';
import { section, select, SIGNS, signingScheme, stateOf, status, text, toned } from './parts.js';
import { ChargeDetail, WithdrawalDetail } from './payments.js';
import { jumpTo, model } from './screen.js';

const DETAILS: Readonly<Record<DetailKind, (props: { id: string }) => Child>> = {
  calls: CallDetail,
  events: EventDetail,
  deliveries: DeliveryDetail,
  charges: ChargeDetail,
  withdrawals: WithdrawalDetail,
  endpoints: EndpointDetail,
  identity: SessionDetail,
};

/** Renders the open row or its history next to the list. */
export function Detail() {
  const { detail: texts } = words;
  const { detail } = model.route;
  if (detail === undefined) return null;
  const { kind, id, isStory } = detail;
  const Shown = isStory ? Story : DETAILS[kind];
  const path = `/${kind}/${encodeURIComponent(id)}${location.search}`;
  return (
    <section class="detail" aria-label={texts.region}>
      {button(words.close, closeDetail, { kind: 'quiet close' })}
      <nav class="views" aria-label={texts.views}>
        {link(path, texts.region, { isCurrent: !isStory })}
        {link(`${path}#story`, texts.story, { isCurrent: isStory })}
      </nav>
      <Shown id={id} />
    </section>
  );
}

export function closeDetail(): void {
  model.focusDue = 'list';
  model.go(closedPath(model.route, location));
}

/** The causes and consequences of something, and what is due in it. */
function Story({ id }: { id: string }) {
  return ready(model.resources.get('trace/:id', { id }), ({ root, later, due }) => (
    <article class="story">
      <h2>{words.detail.story}</h2>
      <ul>{[root, ...later].map(storyLine)}</ul>
      {due.map(({ at, title }) => (
        <p key={at + title} class="waiting">
          {words.detail.due} {words.instant(at)}: {title}
        </p>
      ))}
    </article>
  ));
}

function storyLine({ seq, kind, at, title, outcome = '', during, children }: TraceNodeView) {
  const entry = model.stories.get(seq)?.entry;
  const to = entry === undefined ? undefined : pageOf(entry);
  // The title of an attempt or a change ends with its outcome.
  const start = outcome !== '' && title.endsWith(outcome) ? title.slice(0, -outcome.length) : title;
  const shown = start.replace(/(?:: | → | )$/, '');
  return (
    <li key={seq}>
      <time>{timeOfDay(at)}</time> {to === undefined ? shown : link(to, shown)}{' '}
      {during === true ? faint(words.detail.during) : null} {status(traceOutcome(kind, outcome))}
      {children.length === 0 ? null : <ul>{children.map(storyLine)}</ul>}
    </li>
  );
}

const namesOf = (faults: readonly { readonly action: string }[]) =>
  faults.map(({ action }) => action).join(', ');

/** A request of the application: what it sent and received, the error, and the consequences. */
function CallDetail({ id }: { id: string }) {
  const { detail, faults } = words;
  const { replay } = deliveries;
  const scheme = signingScheme();
  const onDone = (sent: { readonly id: string }) => model.go(`/calls/${sent.id}#with-${id}`);
  return ready(model.resources.get('calls/:id', { id }), (call) => {
    const page = faultPage(call);
    const line = `${call.method} ${call.path}`;
    return article(
      [line, toned(String(call.status), call.status < 400)],
      [
        actionButton(detail.replay, replay(id), { shortcut: 'r', onDone }),
        actionButton(detail.replayNew, replay(id, { newCode: true }), { onDone }),
        button(detail.edit, () => model.open('replay')),
        curlButton(scheme && callAgain(call, location.origin, scheme)),
        page === undefined ? null : link(page, faults.forCall),
      ],
      refusal(call),
      call.warnings.map((warning) => <p class="problem">{warning}</p>),
      facts(
        [
          'id',
          ['at', `${call.at} (${call.real_at})`],
          ['took', call.duration_ms === null ? '' : `${call.duration_ms} ms`],
          'resource_id',
          ['faults', namesOf(call.faults)],
        ],
        call,
      ),
      comparison(call),
      message(detail.request, call.request, line),
      message(detail.response, call.response, String(call.status)),
      call.deliveries.length === 0
        ? null
        : section(detail.deliveries, deliveryList(call.deliveries, toEndpoint)),
    );
  });
}

const toEndpoint = (one: { readonly event_type: string; readonly endpoint_name: string | null }) =>
  `${one.event_type} → ${one.endpoint_name ?? '–'}`;

/** Renders a refusal: the code, each field, and the fix. */
function refusal({ error, hint }: CallView) {
  if (error === null) return null;
  return (
    <div class="problem">
      <p>
        <strong>{error.code}</strong> {error.message}
      </p>
      {error.details.map(({ field, message: text }) => (
        <p key={field + text}>
          <code>{field}</code> {text}
        </p>
      ))}
      {hint === null ? null : <p>{`${words.detail.hint}: ${hint}`}</p>}
    </div>
  );
}

/** Compares the request with a chosen one of the same kind. */
function comparison(call: CallView) {
  const { other } = model.route.detail ?? {};
  const alike = model.stories.steps
    .map(({ entry }) => entry)
    .filter(({ kind, method, path }) => kind === 'call' && method === call.method && path === call.path)
    .filter(({ id }) => id !== call.id && id !== other)
    .slice(-20)
    .map(({ id, status: of }): Choice => [id ?? '', `${id?.slice(0, 12)} ${of}`]);
  if (alike.length === 0 && other === undefined) return null;
  const current: readonly Choice[] = other === undefined ? [] : [[other, other.slice(0, 12)]];
  const choices = [['', '–'] as const, ...current, ...alike.reverse()];
  const choose = (id: string) => model.go(`/calls/${call.id}${id === '' ? '' : `#with-${id}`}`, true);
  return [
    select(words.detail.compare, choices, other, choose),
    other === undefined
      ? null
      : ready(model.resources.get('calls/:id', { id: other }), (before) =>
          compared(other.slice(0, 12), differencesOf(callExchange(before), callExchange(call))),
        ),
  ];
}

/** The body of an event as it is signed and sent, byte for byte. */
const bodyOf = (id: string) =>
  model.resources.read(`body ${id}`, (client) => client.getText('events/:id/body', { id }), true).value;

function EventDetail({ id }: { id: string }) {
  const { detail } = words;
  const body = bodyOf(id);
  const active = (model.resources.get('endpoints').value?.data ?? [])
    .filter((one) => !isDisabled(one.status))
    .map((one): Choice => [one.id, one.description ?? one.url]);
  return ready(model.resources.get('events/:id', { id }), (event) =>
    article(
      [event.type, event.resource.code],
      [<Form form={resendForm(id, active)} isInline shortcut="r" />],
      facts(['id', ['at', event.created_at], [event.resource.type, event.resource.id]], event),
      section(detail.deliveries, deliveryList(event.deliveries, toEndpoint)),
      section(detail.payload, body === undefined ? null : text(detail.payload, body)),
    ),
  );
}

/** A delivery: its attempts, made or due, and the chosen one in full. */
function DeliveryDetail({ id }: { id: string }) {
  const { detail } = words;
  return ready(model.resources.get('deliveries/:id', { id }), (delivery) => {
    const { attempt_log: log, event_id: event, status: state, resource } = delivery;
    const wanted = model.route.detail?.attempt;
    const chosen = log.find(({ number }) => number === wanted) ?? log.at(-1);
    const next = delivery.schedule.find(({ at, due_at: dueAt }) => at === undefined && dueAt !== null);
    const jump = detail.jump(next?.attempt ?? 0);
    const retry = { shortcut: 'r', disabled: !isFailed(state) };
    return article(
      [delivery.event_type, stateOf(state)],
      [
        isFailed(state)
          ? actionButton(detail.retry, deliveries.retry(id), retry)
          : button(detail.retry, () => {}, retry),
        next && button(jump, () => jumpTo(next.due_at, jump)),
      ],
      schedule(delivery, chosen?.number),
      facts(
        [
          'id',
          ['to', delivery.endpoint_name],
          ['event', link(`/events/${event}`, event)],
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

/** The attempts on one line, equally spaced: a linear axis would hide the first four. */
function schedule({ id, created_at: start, attempt_log: log, schedule: due }: DeliveryView, chosen?: number) {
  const { detail, names } = words;
  return (
    <ol class="schedule" aria-label={detail.attempts}>
      {due.map(({ attempt, due_at: dueAt, at, outcome = '' }) => {
        const made = log.find(({ number }) => number === attempt);
        const tone = TONES[outcome] ?? 'waiting';
        const when = at ?? dueAt;
        const time = when === null ? detail.notMade : words.instant(when);
        const moment = when === null || at !== undefined ? time : detail.dueAt(time);
        const end = made?.response_status ?? made?.error ?? '';
        const name = [`${names.attempt} ${attempt}`, moment, end].filter(Boolean).join(', ');
        const press = () =>
          made === undefined
            ? jumpTo(dueAt, detail.jump(attempt))
            : model.go(`/deliveries/${id}#attempt-${attempt}`);
        // Time after the event, in the units of the schedule.
        const minutes = when === null ? 0 : Math.round((Date.parse(when) - Date.parse(start)) / 60_000);
        const isDisabled = made === undefined && dueAt === null;
        return (
          <li key={attempt} class={`${tone}${attempt === chosen ? ' chosen' : ''}`}>
            <button type="button" aria-label={name} title={name} disabled={isDisabled} onClick={press}>
              {SIGNS[tone]} {attempt}
            </button>
            {faint(when === null ? '–' : hoursAndMinutes(minutes))}
          </li>
        );
      })}
    </ol>
  );
}

/** One attempt: the request, the receiver's response, and what differs from another attempt. */
function attemptSection(delivery: DeliveryView, attempt: AttemptView) {
  const { detail, names } = words;
  const body = bodyOf(delivery.event_id);
  const { number, response_status: code, error, request_headers: headers, response } = attempt;
  const signature = signatureOf(attempt, body);
  const { other } = model.route.detail ?? {};
  const others = delivery.attempt_log.filter((one) => one.number !== number);
  const before = others.find((one) => String(one.number) === other);
  const path = `/deliveries/${delivery.id}#attempt-${number}`;
  const titleOf = (of: number) => `${names.attempt} ${of}`;
  const choices = others.map((one): Choice => [String(one.number), titleOf(one.number)]);
  const choose = (value: string) => model.go(value === '' ? path : `${path}-with-${value}`, true);
  const request = headers && { headers: Object.entries(headers), body };
  return section(
    titleOf(number),
    <>
      <div class="buttons">
        {curlButton(body === undefined ? undefined : attemptAgain(delivery, headers, body))}
        {others.length === 0 ? null : select(detail.compare, [['', '–'], ...choices], other, choose)}
      </div>
      {facts(
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
          {text(detail.signedContent, signature.content)}
        </details>
      )}
      {before &&
        compared(titleOf(before.number), differencesOf(attemptExchange(before), attemptExchange(attempt)))}
      {message(detail.request, request)}
      {headers && response && message(detail.response, response, String(code))}
    </>,
    status(exchangeOutcome({ status: code, error })),
  );
}

/** Renders an attempt's signature, and whether the test receiver could verify it. */
function signedBy(by: AttemptSignature['by'], { id }: DeliveryView, attempt: number) {
  const { detail } = words;
  const forgery = forgeryOf([{ action: by }]);
  const secret = forgery
    ? `${forgery.signedWith[words === PT ? 1 : 0]}, ${detail.byFault(by)}`
    : detail.signed[by as keyof typeof detail.signed];
  const received = model.resources.get('receiver').value?.received ?? [];
  const verdict = received.find((one) => one.delivery_id === id && one.attempt === attempt)?.verdict;
  return [
    toned(`${detail.signedWith} ${secret}`, forgery?.isValid ?? forgery === undefined),
    ' ',
    verdict && toned(detail.verified(verdict.ok, verdict.message), verdict.ok),
  ];
}
