import { FirstSteps } from '../first-steps/first-steps.js';
import type { Console } from '../model/console.js';
import type { Row } from '../model/lines.js';
import { LiveRow } from './live-row.js';
import { failedBy, retryAllAction } from './retry-all.js';
import { ROW_HEIGHT, windowOf } from './window.js';

/** The stories of the timeline as they happen. */
export function Live({ model }: { model: Console }) {
  const { words, route } = model;
  const { live } = words;
  const { problem } = model.filter();
  const rows = model.rows();
  const waiting = model.waiting();
  return (
    <div class="live">
      <FirstSteps model={model} />
      <div class="tools">
        <input
          type="search"
          class={problem === undefined ? 'filter' : 'filter wrong'}
          aria-label={live.filter}
          placeholder={live.filterHint}
          value={route.filter}
          aria-invalid={problem === undefined ? undefined : 'true'}
          onInput={(event: Event) => filterBy(model, (event.target as HTMLInputElement).value)}
        />
        <button type="button" aria-pressed={model.heldAt !== undefined} onClick={() => release(model)}>
          {model.heldAt === undefined ? live.hold : waiting > 0 ? live.waiting(waiting) : live.release}
        </button>
        <button type="button" class="main" onClick={() => model.open('trigger')}>
          {words.trigger.button}
        </button>
      </div>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <RetryAll model={model} />
      {rows.length === 0 ? <Nothing model={model} /> : <Rows model={model} rows={rows} />}
    </div>
  );
}

/** Retries the failed deliveries that the filter is about. */
function RetryAll({ model }: { model: Console }) {
  const failed = failedBy(model.stories, model.route.filter);
  if (failed === undefined) return null;
  return (
    <div class="buttons">
      <button type="button" onClick={() => void model.act(retryAllAction(model.words, failed))}>
        {model.words.live.retryAll} ({failed.count})
      </button>
    </div>
  );
}

/** Goes on where the list is held: to its top, where new stories come in. */
export function release(model: Console): void {
  const isHeld = model.heldAt !== undefined;
  model.isHoldAsked = !isHeld;
  if (isHeld) {
    model.scrollTop = 0;
    document.querySelector('.rows')?.scrollTo({ top: 0 });
  }
  model.hold(!isHeld);
}

/** Moves the keyboard along the list; the list scrolls with it. */
export function moveCursor(model: Console, by: 1 | -1): void {
  const rows = model.rows();
  const at = rows.findIndex(({ step }) => step.entry.seq === model.cursor);
  const next = at < 0 ? 0 : Math.max(0, Math.min(at + by, rows.length - 1));
  const row = rows[next];
  if (row === undefined) return;
  model.cursor = row.step.entry.seq;
  const list = document.querySelector('.rows');
  if (list !== null) {
    const top = next * ROW_HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) {
      list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
    }
    model.scrollTop = list.scrollTop;
  }
  model.focusList();
}

function filterBy(model: Console, text: string): void {
  const query = text === '' ? '' : `?${new URLSearchParams({ q: text }).toString()}`;
  model.go(location.pathname + query + location.hash, true);
}

function Nothing({ model }: { model: Console }) {
  const { live } = model.words;
  const { filter } = model.route;
  if (filter === '') return <p class="empty">{live.none}</p>;
  return (
    <p class="empty">
      {live.noneMatch(filter)}{' '}
      <button type="button" class="quiet" onClick={() => filterBy(model, '')}>
        {live.clear}
      </button>
    </p>
  );
}

/** Only the rows that can be seen are in the page. */
function Rows({ model, rows }: { model: Console; rows: readonly Row[] }) {
  const { first, last } = windowOf(model.scrollTop, model.listHeight, rows.length);
  const onScroll = (event: Event) => {
    const list = event.target as HTMLElement;
    model.scrollTop = list.scrollTop;
    model.listHeight = list.clientHeight;
    model.hold(model.scrollTop > 0 || model.isHoldAsked);
    const now = windowOf(model.scrollTop, model.listHeight, rows.length);
    if (now.first !== first || now.last !== last) model.changed();
  };
  const cursor = model.cursor ?? rows[0]?.step.entry.seq;
  return (
    <div class="rows" onScroll={onScroll}>
      <ul aria-label={model.words.live.list} style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <LiveRow
            key={row.step.entry.seq}
            model={model}
            row={row}
            position={first + index}
            count={rows.length}
            isCursor={row.step.entry.seq === cursor}
          />
        ))}
      </ul>
    </div>
  );
}
