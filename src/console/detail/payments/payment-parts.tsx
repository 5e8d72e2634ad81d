import { reasonField } from '../../dialogs/payment-fields.js';
import { FieldView } from '../../dialogs/field-view.js';
import { fieldOf } from '../../frame/form.js';
import { Link } from '../../frame/link.js';
import { Ending } from '../../live/live-row.js';
import type { Console } from '../../model/console.js';
import { pageOf, toneOfState } from '../../model/rows.js';
import type { Step } from '../../model/stories.js';
import { rootOf } from '../../model/stories.js';
import type { ChargeMove, Move, WithdrawalMove } from './payment-actions.js';
import { takesReason } from './payment-actions.js';
import type { DeliveryCourse } from './payment-history.js';
import { historyOf } from './payment-history.js';

/** The buttons for what can be done with a payment; failures ask for their reason. */
export function Moves<Name extends ChargeMove | WithdrawalMove>({
  model,
  moves,
  buttons,
  noReason,
}: {
  model: Console;
  moves: readonly Move<Name>[];
  buttons: Readonly<Record<Name, { readonly button: string }>>;
  noReason: string;
}) {
  const { words } = model;
  const failing = moves.find(({ name }) => takesReason(name));
  if (moves.length === 0) return <p class="empty">{words.payments.final}</p>;
  const fail = (event: Event) => {
    event.preventDefault();
    const reason = fieldOf(event, 'reason');
    if (failing !== undefined) void model.act(failing.action(reason === '' ? undefined : reason));
  };
  return (
    <>
      <div class="buttons">
        {moves
          .filter((move) => move !== failing)
          .map(({ name, action }) => (
            <button key={name} type="button" onClick={() => void model.act(action(undefined))}>
              {buttons[name].button}
            </button>
          ))}
      </div>
      {failing === undefined ? null : (
        <form class="beside" onSubmit={fail}>
          <FieldView id="move-reason" field={reasonField(words, noReason)} problem={undefined} />
          <button type="submit">{buttons[failing.name].button}</button>
        </form>
      )}
    </>
  );
}

/** What happened to a payment, with what led to it, and the deliveries of its events. */
export function History({ model, id }: { model: Console; id: string }) {
  const { history } = model.words.payments;
  const happened = historyOf(model.stories, id);
  return (
    <section aria-label={history.title}>
      <h3>{history.title}</h3>
      {happened.length === 0 ? <p class="empty">{history.gone}</p> : null}
      <ol class="history">
        {happened.map(({ step, deliveries }) => (
          <li key={step.entry.seq}>
            <time>{model.words.instant(step.entry.at)}</time> <What model={model} step={step} />
            {step.entry.kind === 'event' && deliveries.length === 0 ? (
              <p class="empty">{history.nobody}</p>
            ) : null}
            <ul>
              {deliveries.map((course) => (
                <Course key={course.entry.seq} model={model} course={course} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}

function What({ model, step }: { model: Console; step: Step }) {
  const { entry } = step;
  if (entry.kind === 'state') return <span>{entry.title}</span>;
  if (entry.kind === 'event') {
    return (
      <Link model={model} to={pageOf(entry) ?? '/'}>
        {entry.event_type}
      </Link>
    );
  }
  const to = entry.to ?? '';
  return (
    <>
      <Ending outcome={{ text: to, tone: toneOfState(to) }} /> <Cause model={model} root={rootOf(step)} />
    </>
  );
}

/** What led to a change: the call of the application, or who did it. */
function Cause({ model, root: { entry } }: { model: Console; root: Step }) {
  const page = pageOf(entry);
  if (entry.kind === 'call' && page !== undefined) {
    return (
      <Link model={model} to={page}>
        {entry.method} {entry.path}
      </Link>
    );
  }
  return <span class="by">{model.words.actors[entry.by]}</span>;
}

function Course({ model, course: { entry, state, attempts } }: { model: Console; course: DeliveryCourse }) {
  const tried = attempts.map(({ status, error }) => status ?? error ?? '').join(' ');
  return (
    <li>
      <Link model={model} to={`/deliveries/${entry.id}`}>
        → {entry.target}
      </Link>{' '}
      <Ending outcome={{ text: state, tone: toneOfState(state) }} /> <span class="by">{tried}</span>
    </li>
  );
}
