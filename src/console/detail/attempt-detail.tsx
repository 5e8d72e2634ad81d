import type { DeliveryView } from '../../http/control/schema.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { Facts } from './loaded.js';
import { MessageView } from './message.js';

/** One attempt: what was sent, and what the receiver answered. */
export function AttemptDetail({
  model,
  delivery,
  number,
}: {
  model: Console;
  delivery: DeliveryView;
  number: number | undefined;
}) {
  const { words } = model;
  const attempt = delivery.attempt_log.find((one) => one.number === number);
  if (attempt === undefined) return null;
  const { response_status: status, error } = attempt;
  const isGood = error === null && status !== null && status < 300;
  const end = status === null ? (error ?? '') : String(status);
  const { request_headers: headers } = attempt;
  return (
    <section id={`attempt-${attempt.number}`}>
      <h3>
        {words.detail.attempt(attempt.number)}{' '}
        <Ending outcome={{ text: end, tone: end === '' ? 'waiting' : isGood ? 'good' : 'bad' }} />
      </h3>
      <Facts
        facts={[
          ['at', attempt.started_at],
          ['took', attempt.latency_ms === undefined ? '' : words.detail.took(attempt.latency_ms)],
          ['error', error],
          ['detail', attempt.detail],
          ['faults', attempt.faults.map(({ action }) => action).join(', ')],
        ]}
      />
      {headers === undefined ? (
        <p class="empty">{words.detail.notKept}</p>
      ) : (
        <>
          <MessageView
            model={model}
            title={words.detail.request}
            message={{ headers: Object.entries(headers), truncated: false, ...bodyOf(model, delivery) }}
          />
          {attempt.response == null ? null : (
            <MessageView
              model={model}
              title={words.detail.answer}
              line={String(status)}
              message={attempt.response}
            />
          )}
        </>
      )}
    </section>
  );
}

/** The body that every attempt sends: the bytes of the event. */
function bodyOf(model: Console, { event_id: id }: DeliveryView): { readonly body: string } {
  const { value } = model.resources.read(
    `body ${id}`,
    (client) => client.get('events/:id/body', { id }),
    () => false,
  );
  return { body: value === undefined ? '' : JSON.stringify(value) };
}
