import type { AttemptView, DeliveryView } from '../../http/control/schema.js';
import { differencesOf } from '../../text/exchange/differences.js';
import { attemptExchange } from '../../text/exchange/shown.js';
import { attemptAgain } from '../../text/shell/curl.js';
import { signatureOf } from '../model/deliveries.js';
import type { Choice } from '../model/forms.js';
import { resendForm } from '../model/forms.js';
import { readBody, readDelivery, readEvent, readReceiver } from '../model/reads.js';
import { hoursAndMinutes } from '../words/table.js';
import { CurlButton, DifferencesView, MessageView } from './exchange.js';
import { Form } from './form.js';
import {
  ActionButton,
  Button,
  DeliveryList,
  Ending,
  Facts,
  Link,
  prettyJson,
  ready,
  Select,
  State,
  Text,
} from './parts.js';
import { actions, context, jumpTo, model, words } from './screen.js';

/** An event: the body that was signed, and its deliveries. */
export function EventDetail({ id }: { id: string }) {
  const { detail } = words;
  const body = readBody(model, id).value;
  const endpoints = model.resources.read(
    'recipients',
    (client) => client.get('endpoints'),
    ({ kind, resource }) => kind === 'listener' || resource === 'endpoint',
  ).value?.data;
  const choices = (endpoints ?? [])
    .filter(({ status }) => status === 'ACTIVE')
    .map((one): Choice => [one.id, one.description ?? one.url]);
  return ready(readEvent(model, id), (event) => (
    <article>
      <h2>
        {event.type} {event.resource.code}
      </h2>
      <Form form={resendForm(context, id, choices)} isInline isMain={false} shortcut="r" />
      <Facts
        of={[
          ['id', event.id],
          ['at', event.created_at],
          [event.resource.type, event.resource.id],
        ]}
      />
      {event.deliveries.length === 0 ? (
        <p class="empty">{detail.noDeliveries}</p>
      ) : (
        <DeliveryList
          title={detail.deliveries}
          rows={event.deliveries}
          text={(one) => `${one.event_type} → ${one.endpoint_name ?? '–'}`}
        />
      )}
      <h3>{detail.payload}</h3>
      {body === undefined ? null : (
        <Text name={detail.payload} text={body}>
          {prettyJson(body)}
        </Text>
      )}
    </article>
  ));
}

/** A delivery: the eight attempts as ticks that can be jumped to, and the chosen one in full. */
export function DeliveryDetail({ id }: { id: string }) {
  const { detail } = words;
  // Also read here, so that it is known when a jump is asked for.
  model.clock();
  return ready(readDelivery(model, id), (delivery) => {
    const { attempt_log: log, schedule } = delivery;
    const wanted = model.route.detail?.attempt;
    const chosen = log.find(({ number }) => number === wanted) ?? log.at(-1);
    const next = schedule.find(({ at, due_at: dueAt }) => at === undefined && dueAt !== null);
    return (
      <article>
        <h2>
          {delivery.event_type} <State of={delivery.status} />
        </h2>
        <div class="buttons">
          <ActionButton
            label={detail.retry}
            shortcut="r"
            disabled={delivery.status !== 'FAILED'}
            action={actions.deliveries.retry(id)}
          />
          {next === undefined ? null : (
            <Button label={detail.jump(next.attempt)} onClick={() => jumpTo(next.due_at)} />
          )}
        </div>
        <Schedule delivery={delivery} chosen={chosen?.number} />
        <Facts
          of={[
            ['id', delivery.id],
            ['to', delivery.endpoint_name],
            [
              'event',
              <Link key="event" to={`/events/${delivery.event_id}`}>
                {delivery.event_id}
              </Link>,
            ],
            [delivery.resource.type, delivery.resource.code],
            ['held', delivery.blocked_by],
          ]}
        />
        {chosen === undefined ? null : <AttemptDetail delivery={delivery} attempt={chosen} />}
      </article>
    );
  });
}

/** The attempts on one line, equally spaced: a linear axis would hide the first four. */
function Schedule({ delivery, chosen }: { delivery: DeliveryView; chosen: number | undefined }) {
  const { detail } = words;
  const { id, created_at: start, attempt_log: log, schedule } = delivery;
  return (
    <ol class="schedule" aria-label={detail.attempts}>
      {schedule.map(({ attempt, due_at: dueAt, at, outcome }) => {
        const made = log.find(({ number }) => number === attempt);
        const tone = outcome === 'succeeded' ? 'good' : outcome === 'failed' ? 'bad' : 'waiting';
        const when = at ?? dueAt;
        const time = when === null ? detail.notMade : words.instant(when);
        const moment = when === null || at !== undefined ? time : detail.dueAt(time);
        const end = made === undefined ? '' : (made.response_status ?? made.error ?? '');
        const name = [detail.attempt(attempt), moment, String(end)].filter(Boolean).join(', ');
        const press = () =>
          made === undefined ? jumpTo(dueAt) : model.go(`/deliveries/${id}#attempt-${attempt}`);
        return (
          <li key={attempt} class={`${tone}${attempt === chosen ? ' chosen' : ''}`}>
            <button
              type="button"
              aria-label={name}
              title={name}
              disabled={made === undefined && dueAt === null}
              onClick={press}
            >
              <span aria-hidden="true">{tone === 'good' ? '✓' : tone === 'bad' ? '✗' : '○'}</span>
              <span class="number">{attempt}</span>
            </button>
            <span class="when">{when === null ? '–' : spanBetween(start, when)}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** How long after the event, as the schedule is known: `6m`, `2h36m`. */
function spanBetween(start: string, at: string): string {
  return hoursAndMinutes(Math.round((Date.parse(at) - Date.parse(start)) / 60_000));
}

interface AttemptProps {
  readonly delivery: DeliveryView;
  readonly attempt: AttemptView;
}

/** One attempt: what was sent, what the receiver replied, and what differs from another attempt. */
function AttemptDetail({ delivery, attempt }: AttemptProps) {
  const { detail } = words;
  const body = readBody(model, delivery.event_id).value;
  const { number, response_status: status, error, request_headers: headers, response } = attempt;
  const isGood = error === null && status !== null && status < 300;
  const end = status === null ? (error ?? '') : String(status);
  const signature = signatureOf(attempt, body);
  const { other } = model.route.detail ?? {};
  const others = delivery.attempt_log.filter((one) => one.number !== number);
  const compared = others.find((one) => String(one.number) === other);
  const path = `/deliveries/${delivery.id}#attempt-${number}`;
  return (
    <section aria-label={detail.attempt(number)}>
      <h3>
        {detail.attempt(number)} <Ending text={end} tone={end === '' ? 'waiting' : isGood ? 'good' : 'bad'} />
      </h3>
      <div class="buttons">
        <CurlButton script={body === undefined ? undefined : attemptAgain(delivery, headers, body)} />
        {others.length === 0 ? null : (
          <Select
            label={detail.compare}
            choices={[
              ['', '–'],
              ...others.map((one) => [String(one.number), detail.attempt(one.number)] as const),
            ]}
            value={other}
            onChoose={(value) => model.go(value === '' ? path : `${path}-with-${value}`, true)}
          />
        )}
      </div>
      <Facts
        of={[
          ['at', attempt.started_at],
          ['took', attempt.latency_ms === undefined ? '' : detail.took(attempt.latency_ms)],
          ['error', error],
          ['detail', attempt.detail],
          ['signature', signature && <Signature delivery={delivery} attempt={attempt} by={signature.by} />],
          ['faults', attempt.faults.map(({ action }) => action).join(', ')],
        ]}
      />
      {signature === undefined ? null : (
        <details>
          <summary>{detail.signedContent}</summary>
          <Text name={detail.signedContent} text={signature.content} />
        </details>
      )}
      {compared === undefined ? null : (
        <DifferencesView
          title={detail.differences(detail.attempt(compared.number))}
          found={differencesOf(attemptExchange(compared), attemptExchange(attempt))}
        />
      )}
      {headers === undefined ? (
        <p class="empty">{detail.notKept}</p>
      ) : (
        <MessageView
          title={detail.request}
          message={{ headers: Object.entries(headers), truncated: false, body }}
        />
      )}
      {headers === undefined || response == null ? null : (
        <MessageView title={detail.answer} line={String(status)} message={response} />
      )}
    </section>
  );
}

/** How an attempt was signed, and whether the test receiver could verify it. */
function Signature({ delivery, attempt, by }: AttemptProps & { by: keyof typeof words.detail.signed }) {
  const isBad = by === 'wrong-signature' || by === 'stale-timestamp';
  const verdict = readReceiver(model)?.received.find(
    (one) => one.delivery_id === delivery.id && one.attempt === attempt.number,
  )?.verdict;
  return (
    <span>
      <Ending text={words.detail.signed[by]} tone={isBad ? 'bad' : 'good'} />{' '}
      {verdict === undefined ? null : (
        <Ending
          text={words.receiver.verdict(verdict.ok, verdict.message)}
          tone={verdict.ok ? 'good' : 'bad'}
        />
      )}
    </span>
  );
}
