import type { Action } from '../model/actions.js';
import type { Console } from '../model/console.js';
import { instant } from '../words/format.js';
import { clockActions } from './actions.js';

const SPEEDS = [1, 10, 60, 3600];

/** Sandbox time, what is due, and the buttons that move it; always in view. */
export function ClockBar({ model }: { model: Console }) {
  const { words } = model;
  const { clock } = words;
  const actions = clockActions(words);
  const { value } = model.resources.read(
    'clock',
    (client) => client.get('clock'),
    () => true,
  );
  const agenda = model.resources.read(
    'agenda',
    (client) => client.get('agenda', { limit: 100 }),
    ({ kind }) => kind !== 'call',
  ).value;
  const due = agenda?.due.length ?? 0;
  const rate = value?.rate ?? 1;
  const pace = value?.advancing
    ? clock.advancing
    : rate === 0
      ? clock.frozen
      : rate === 1
        ? clock.real
        : clock.fast(rate);
  const act = (action: Action) => () => void model.act(action);
  return (
    <section class="clock" aria-label={clock.region}>
      <span class={model.isConnected ? 'light on' : 'light'} title={words.connected} aria-hidden="true" />
      <h1>{words.title}</h1>
      <p class="now">
        <time>{value === undefined ? '' : instant(model.clockNow(value))}</time>{' '}
        <span class="pace">{pace}</span>
      </p>
      <div class="buttons">
        <button type="button" onClick={act(actions.next)} disabled={due === 0}>
          {clock.next}
        </button>
        <button type="button" onClick={act(actions.advance('1h'))}>
          {clock.hour}
        </button>
        <button type="button" onClick={act(actions.advance('45h'))}>
          {clock.all}
        </button>
        <button type="button" onClick={act(rate === 0 ? actions.speed(1) : actions.freeze)}>
          {rate === 0 ? clock.run : clock.freeze}
        </button>
        <Speed model={model} rate={rate} />
      </div>
      <p class="due">{due === 0 ? clock.nothingDue : clock.due(due === 100 ? '100+' : String(due))}</p>
    </section>
  );
}

function Speed({ model, rate }: { model: Console; rate: number }) {
  const { words } = model;
  const change = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    void model.act(clockActions(words).speed(Number(value)));
  };
  return (
    <label class="speed">
      <span class="hidden">{words.clock.speed}</span>
      <select value={String(rate === 0 ? 1 : rate)} onChange={change}>
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
    </label>
  );
}
