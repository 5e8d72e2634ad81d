import type { AttemptView, DeliveryView } from '../../http/control/schema.js';
import { differencesOf } from '../../text/exchange/differences.js';
import { attemptExchange } from '../../text/exchange/shown.js';
import { attemptAgain } from '../../text/shell/kept.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { CurlButton } from './curl-button.js';
import { DifferencesView } from './differences.js';
import { Facts } from './loaded.js';
import { MessageView } from './message.js';
import { readBody } from './reads.js';
import { signedOf } from './signed.js';
import { SignedBy, SignedContent } from './signature.js';
import { Verdict } from './verdict.js';

/** One attempt: what was sent, what the receiver answered, and what differs from another attempt. */
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
  const body = readBody(model, delivery.event_id).value;
  const attempt = delivery.attempt_log.find((one) => one.number === number);
  if (attempt === undefined) return null;
  const { response_status: status, error, request_headers: headers } = attempt;
  const signed = signedOf(attempt, body);
  const isGood = error === null && status !== null && status < 300;
  const end = status === null ? (error ?? '') : String(status);
  return (
    <section aria-label={words.detail.attempt(attempt.number)}>
      <h3>
        {words.detail.attempt(attempt.number)}{' '}
        <Ending outcome={{ text: end, tone: end === '' ? 'waiting' : isGood ? 'good' : 'bad' }} />
      </h3>
      <div class="buttons">
        <CurlButton
          model={model}
          script={body === undefined ? undefined : attemptAgain(delivery, headers, body)}
        />
        <Others model={model} delivery={delivery} attempt={attempt} />
      </div>
      <Facts
        model={model}
        facts={[
          ['at', attempt.started_at],
          ['took', attempt.latency_ms === undefined ? '' : words.detail.took(attempt.latency_ms)],
          ['error', error],
          ['detail', attempt.detail],
          [
            'signature',
            signed === undefined ? undefined : (
              <span key="signature">
                <SignedBy model={model} signed={signed} />{' '}
                <Verdict model={model} delivery={delivery} number={attempt.number} />
              </span>
            ),
          ],
          ['faults', attempt.faults.map(({ action }) => action).join(', ')],
        ]}
      />
      {signed === undefined ? null : <SignedContent model={model} signed={signed} />}
      <Compared model={model} delivery={delivery} attempt={attempt} />
      <Messages model={model} attempt={attempt} body={body} />
    </section>
  );
}

function Messages({
  model,
  attempt: { request_headers: headers, response, response_status: status },
  body,
}: {
  model: Console;
  attempt: AttemptView;
  body: string | undefined;
}) {
  const { detail } = model.words;
  if (headers === undefined) return <p class="empty">{detail.notKept}</p>;
  return (
    <>
      <MessageView
        model={model}
        title={detail.request}
        message={{ headers: Object.entries(headers), truncated: false, body }}
      />
      {response == null ? null : (
        <MessageView model={model} title={detail.answer} line={String(status)} message={response} />
      )}
    </>
  );
}

interface OfAttempt {
  readonly model: Console;
  readonly delivery: DeliveryView;
  readonly attempt: AttemptView;
}

/** Chooses the attempt to compare with. */
function Others({ model, delivery, attempt }: OfAttempt) {
  const { detail } = model.words;
  const others = delivery.attempt_log.filter(({ number }) => number !== attempt.number);
  if (others.length === 0) return null;
  const { other } = model.route.detail ?? {};
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    const compared = value === '' ? '' : `-with-${value}`;
    model.go(`/deliveries/${delivery.id}#attempt-${attempt.number}${compared}`, true);
  };
  return (
    <label>
      {detail.compare}{' '}
      <select onChange={choose}>
        <option value="">–</option>
        {others.map(({ number }) => (
          <option key={number} value={String(number)} selected={String(number) === other}>
            {detail.attempt(number)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Compared({ model, delivery, attempt }: OfAttempt) {
  const { detail } = model.words;
  const other = delivery.attempt_log.find(({ number }) => String(number) === model.route.detail?.other);
  if (other === undefined) return null;
  return (
    <DifferencesView
      model={model}
      title={detail.differences(detail.attempt(other.number))}
      found={differencesOf(attemptExchange(other), attemptExchange(attempt))}
    />
  );
}
