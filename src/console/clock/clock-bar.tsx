import { memo } from 'hono/jsx/dom';
import type { AgendaView } from '../../http/control/schema.js';
import { Link } from '../frame/link.js';
import type { Action } from '../model/actions.js';
import type { Console } from '../model/console.js';
import { clockActions } from './actions.js';
import { paceOf } from './pace.js';
import { DUE_SHOWN, readAgenda } from './reads.js';

const SPEEDS = [1, 10, 60, 3600];

/** Sandbox time, what is due, and the buttons that move it; always in view. */
export function ClockBar({ model }: { model: Console }) {
  const { words } = model;
  const { clock } = words;
  const actions = clockActions(words);
  const view = model.clock();
  const rate = view?.rate ?? 1;
  const isMoving = view?.advancing ?? false;
  const button = (label: string, action: Action) => (
    <button type="button" disabled={isMoving} onClick={() => void model.act(action)}>
      {label}
    </button>
  );
  return (
    <section class="clock" aria-label={clock.region} aria-busy={isMoving}>
      <span class={model.isConnected ? 'light on' : 'light'} title={words.connected} aria-hidden="true" />
      <h1>{words.title}</h1>
      <p class="now">
        <time>{view === undefined ? '' : model.words.instant(model.clockNow(view))}</time>{' '}
        <span class={isMoving ? 'pace moving' : 'pace'}>{paceOf(words, view)}</span>
      </p>
      <div class="buttons">
        {button(clock.next, actions.next)}
        {button(clock.hour, actions.advance('1h'))}
        {button(clock.all, actions.advance('45h'))}
        {button(rate === 0 ? clock.run : clock.freeze, actions.freezeOrRun(rate))}
        <Speed model={model} rate={rate} />
      </div>
      <Due model={model} due={readAgenda(model).value?.due} />
    </section>
  );
}

/** How much is due, and on a click what; drawn again when that changes. */
const Due = memo(function Due({ model, due = [] }: { model: Console; due: AgendaView['due'] | undefined }) {
  const { clock, sections } = model.words;
  if (due.length === 0) return <p class="due">{clock.nothingDue}</p>;
  const count = due.length < DUE_SHOWN ? String(due.length) : `${DUE_SHOWN}+`;
  return (
    <details class="due">
      <summary>{clock.due(count)}</summary>
      <div class="agenda">
        <ol>
          {due.map(({ at, title, kind, id }) => (
            <li key={at + kind + id}>
              <time>{model.words.instant(at)}</time> {title}
            </li>
          ))}
        </ol>
        <Link model={model} to="/time">
          {sections.time}
        </Link>
      </div>
    </details>
  );
});

function Speed({ model, rate }: { model: Console; rate: number }) {
  const { words } = model;
  const change = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    void model.act(clockActions(words).speed(Number(value)));
  };
  const speeds = rate === 0 || SPEEDS.includes(rate) ? SPEEDS : [...SPEEDS, rate];
  return (
    <label class="speed">
      <span class="hidden">{words.clock.speed}</span>
      <select value={String(rate === 0 ? 1 : rate)} onChange={change}>
        {speeds.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
    </label>
  );
}
