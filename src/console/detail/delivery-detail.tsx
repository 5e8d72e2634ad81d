import type { DeliveryView } from '../../http/control/schema.js';
import { Link } from '../frame/link.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { toneOfState } from '../model/rows.js';
import { hoursAndMinutes } from '../words/table.js';
import { jumpAction, retryAction } from './actions.js';
import { AttemptDetail } from './attempt-detail.js';
import { Facts, Ready } from './loaded.js';
import { readDelivery } from './reads.js';

/** A delivery: the eight attempts as ticks that can be jumped to, and the chosen one in full. */
export function DeliveryDetail({
  model,
  id,
  attempt,
}: {
  model: Console;
  id: string;
  attempt: number | undefined;
}) {
  const { words } = model;
  // Also read here, so that it is known when a jump is asked for.
  model.clock();
  return (
    <Ready model={model} loaded={readDelivery(model, id)}>
      {(delivery) => (
        <article>
          <h2>
            {delivery.event_type}{' '}
            <Ending outcome={{ text: delivery.status, tone: toneOfState(delivery.status) }} />
          </h2>
          <div class="buttons">
            <button
              type="button"
              data-key="r"
              disabled={delivery.status !== 'FAILED'}
              onClick={() => void model.act(retryAction(words, id))}
            >
              {words.detail.retry}
            </button>
            <Jump model={model} delivery={delivery} />
          </div>
          <Schedule model={model} delivery={delivery} chosen={chosenOf(delivery, attempt)} />
          <Facts
            model={model}
            facts={[
              ['id', delivery.id],
              ['to', delivery.endpoint_name],
              [
                'event',
                <Link key="event" model={model} to={`/events/${delivery.event_id}`}>
                  {delivery.event_id}
                </Link>,
              ],
              [delivery.resource.type, delivery.resource.code],
              ['held', delivery.blocked_by],
            ]}
          />
          <AttemptDetail model={model} delivery={delivery} number={chosenOf(delivery, attempt)} />
        </article>
      )}
    </Ready>
  );
}

/** The attempt that the address names, else the last that was made. */
function chosenOf({ attempt_log: log }: DeliveryView, attempt: number | undefined): number | undefined {
  return log.some(({ number }) => number === attempt) ? attempt : log.at(-1)?.number;
}

/** Goes to the attempt that is due next. */
function Jump({ model, delivery }: { model: Console; delivery: DeliveryView }) {
  const next = delivery.schedule.find(({ at, due_at: dueAt }) => at === undefined && dueAt !== null);
  if (next === undefined) return null;
  return (
    <button type="button" onClick={() => jumpTo(model, next.due_at)}>
      {model.words.detail.jump(next.attempt)}
    </button>
  );
}

function jumpTo(model: Console, at: string | null): void {
  const clock = model.clock();
  if (at !== null && clock !== undefined) void model.act(jumpAction(model.words, at, model.clockNow(clock)));
}

/** The attempts on one line, equally spaced: a linear axis would hide the first four. */
function Schedule({
  model,
  delivery,
  chosen,
}: {
  model: Console;
  delivery: DeliveryView;
  chosen: number | undefined;
}) {
  const { words } = model;
  return (
    <ol class="schedule" aria-label={words.detail.attempts}>
      {delivery.schedule.map(({ attempt, due_at: dueAt, at, outcome }) => {
        const made = delivery.attempt_log.find(({ number }) => number === attempt);
        const tone = outcome === 'succeeded' ? 'good' : outcome === 'failed' ? 'bad' : 'waiting';
        const text = made === undefined ? '' : (made.response_status ?? made.error ?? '');
        const when = at ?? dueAt;
        const time = when === null ? words.detail.notMade : words.instant(when);
        const moment = when === null || at !== undefined ? time : words.detail.dueAt(time);
        const name = [words.detail.attempt(attempt), moment, String(text)].filter(Boolean).join(', ');
        return (
          <li key={attempt} class={`${tone}${attempt === chosen ? ' chosen' : ''}`}>
            <button
              type="button"
              aria-label={name}
              title={name}
              disabled={made === undefined && dueAt === null}
              onClick={() =>
                made === undefined
                  ? jumpTo(model, dueAt)
                  : model.go(`/deliveries/${delivery.id}#attempt-${attempt}`)
              }
            >
              <span aria-hidden="true">{tone === 'good' ? '✓' : tone === 'bad' ? '✗' : '○'}</span>
              <span class="number">{attempt}</span>
            </button>
            <span class="when">{when === null ? '–' : spanFrom(delivery.created_at, when)}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** How long after the event, as the schedule is known: `6m`, `2h36m`. */
function spanFrom(start: string, at: string): string {
  return hoursAndMinutes(Math.round((Date.parse(at) - Date.parse(start)) / 60_000));
}
