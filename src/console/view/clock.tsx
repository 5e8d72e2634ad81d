import type { AgendaView } from '../../http/control/schema.js';
import { paceOf } from '../model/console.js';
import { DUE_SHOWN, readAgenda } from '../model/reads.js';
import { ActionButton, Link, Select } from './parts.js';
import { actions, model, words } from './screen.js';

const SPEEDS = [1, 10, 60, 3600];

/** Sandbox time, what is due, and the buttons that move it; always in view. */
export function ClockBar() {
  const { clock } = words;
  const view = model.clock();
  const rate = view?.rate ?? 1;
  const isMoving = view?.advancing ?? false;
  const speeds = rate === 0 || SPEEDS.includes(rate) ? SPEEDS : [...SPEEDS, rate];
  return (
    <section class="clock" aria-label={clock.region} aria-busy={isMoving}>
      <span class={model.isConnected ? 'light on' : 'light'} title={words.connected} aria-hidden="true" />
      <h1>{words.title}</h1>
      <p class="now">
        <time>{view === undefined ? '' : words.instant(model.clockNow(view))}</time>{' '}
        <span class={isMoving ? 'pace moving' : 'pace'}>{paceOf(words, view)}</span>
      </p>
      <div class="buttons">
        <ActionButton label={clock.next} disabled={isMoving} action={actions.clock.next} />
        <ActionButton label={clock.hour} disabled={isMoving} action={actions.clock.advance('1h')} />
        <ActionButton label={clock.all} disabled={isMoving} action={actions.clock.advance('45h')} />
        <ActionButton
          label={rate === 0 ? clock.run : clock.freeze}
          disabled={isMoving}
          action={actions.clock.freezeOrRun(rate)}
        />
        <Select
          label={clock.speed}
          isLabelHidden
          choices={speeds.map((speed) => [String(speed), `${speed}×`])}
          value={String(rate === 0 ? 1 : rate)}
          onChoose={(speed) => void model.act(actions.clock.speedOrRun(Number(speed)))}
        />
      </div>
      <Due due={readAgenda(model).value?.due ?? []} />
    </section>
  );
}

/** How much is due, and on a click what. */
function Due({ due }: { due: AgendaView['due'] }) {
  const { clock, sections } = words;
  if (due.length === 0) return <p class="due">{clock.nothingDue}</p>;
  const count = due.length < DUE_SHOWN ? String(due.length) : `${DUE_SHOWN}+`;
  return (
    <details class="due">
      <summary>{clock.due(count)}</summary>
      <div class="agenda">
        <ol>
          {due.map(({ at, title, kind, id }) => (
            <li key={at + kind + id}>
              <time>{words.instant(at)}</time> {title}
            </li>
          ))}
        </ol>
        <Link to="/time">{sections.time}</Link>
      </div>
    </details>
  );
}
