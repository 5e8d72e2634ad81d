import { memo } from 'hono/jsx/dom';
import { deliveryActions } from '../model/actions.js';
import { getListPath } from '../model/routes.js';
import { listAttempts, findFailedDeliveries, labelStep, getLinePage, type LiveRow } from '../model/rows.js';
import { describeEntry } from '../model/sentences.js';
import { formatTimeOfDay, consoleTexts } from '../words.js';
import { FirstSteps } from './first-steps.js';
import {
  renderActionButton,
  renderAttemptBar,
  renderButton,
  renderEmpty,
  renderFaint,
  renderLink,
  renderProblem as alert,
  renderStatus,
} from './parts.js';
import { model } from './screen.js';

/** Row height in pixels; must match the style sheet. */
const ROW_HEIGHT = 34;
/** Rows rendered beyond each edge, so that scrolling does not reveal gaps. */
const OVERSCAN_ROWS = 6;
const MOST_ROWS = 60;
/** Number of rows to scroll before rendering again. */
const STRIDE = 4;

function windowOf(count: number): { readonly first: number; readonly last: number } {
  const top = Math.floor(model.scrollTop / ROW_HEIGHT / STRIDE) * STRIDE;
  const first = Math.max(0, Math.min(top - OVERSCAN_ROWS, count - 1));
  const last = top + Math.ceil(model.listHeight / ROW_HEIGHT) + STRIDE + OVERSCAN_ROWS;
  return { first, last: Math.min(count, last, first + MOST_ROWS) };
}

export function LivePage() {
  const { live } = consoleTexts;
  const { filter } = model.route;
  const { problem } = model.filter();
  const rows = model.rows();
  const waiting = model.waiting();
  const failed = findFailedDeliveries(model.histories, filter);
  const isHeld = model.pausedAt !== undefined;
  return (
    <div class="live">
      <FirstSteps />
      <div class="tools">
        <input
          type="search"
          class="filter"
          aria-label={live.filter}
          placeholder={live.filterHint}
          value={filter}
          aria-invalid={problem === undefined ? undefined : 'true'}
          onInput={(event: Event) => filterBy((event.target as HTMLInputElement).value)}
          onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && focusList()}
        />
        <button type="button" aria-pressed={isHeld ? 'true' : 'false'} onClick={toggleHold}>
          {!isHeld ? live.hold : waiting > 0 ? live.waiting(waiting) : live.release}
        </button>
        {renderButton(consoleTexts.trigger.send, () => model.open('trigger'), { kind: 'main' })}
      </div>
      {problem === undefined ? null : alert(problem)}
      {failed && (
        <div class="buttons">
          {renderActionButton(`${live.retryAll} (${failed.count})`, deliveryActions.retryFailed(failed))}
        </div>
      )}
      {rows.length > 0 ? (
        <Rows rows={insertDays(rows)} />
      ) : filter === '' ? (
        renderEmpty(consoleTexts.none)
      ) : (
        renderEmpty([
          live.noneMatch(filter),
          ' ',
          renderButton(live.clear, () => filterBy(''), { kind: 'quiet' }),
        ])
      )}
    </div>
  );
}

/** Pauses the list, or resumes it and scrolls to the top, where new entries appear. */
export function toggleHold(): void {
  const isHeld = model.pausedAt !== undefined;
  model.isPausedByUser = !isHeld;
  if (isHeld) {
    model.scrollTop = 0;
    document.querySelector('.rows')?.scrollTo({ top: 0 });
  }
  model.hold(!isHeld);
}

/** Moves the focus from the filter to the newest matching row. */
function focusList(): void {
  model.cursor = model.rows()[0]?.step.entry.seq;
  model.focusDue = 'list';
  model.changed();
}

/** Moves the focus along the list and scrolls to the focused row. */
export function moveCursor(by: 1 | -1): void {
  const rows = model.rows();
  const at = rows.findIndex(({ step }) => step.entry.seq === model.cursor);
  const row = rows[at < 0 ? 0 : Math.max(0, Math.min(at + by, rows.length - 1))];
  if (row === undefined) return;
  model.cursor = row.step.entry.seq;
  const list = document.querySelector('.rows');
  if (list !== null) {
    const top = insertDays(rows).indexOf(row) * ROW_HEIGHT;
    const bottom = top + ROW_HEIGHT - list.clientHeight;
    list.scrollTop = Math.min(top, Math.max(bottom, list.scrollTop));
    model.scrollTop = list.scrollTop;
  }
  model.focusDue = 'list';
  model.changed();
}

function filterBy(text: string): void {
  const query = text === '' ? '' : `?${new URLSearchParams({ q: text }).toString()}`;
  model.go(location.pathname + query + location.hash, true);
}

/** A list row, or the date heading of a day. */
type Item = LiveRow | { readonly day: string };

/** Inserts a date heading above each day's newest history, in sandbox time. */
function insertDays(rows: readonly LiveRow[]): Item[] {
  const items: Item[] = [];
  let current = '';
  for (const row of rows) {
    const day = row.step.entry.at.slice(0, 10);
    if (row.isRoot && day !== current) {
      current = day;
      items.push({ day });
    }
    items.push(row);
  }
  return items;
}

function Rows({ rows }: { rows: readonly Item[] }) {
  const { first, last } = windowOf(rows.length);
  const onScroll = (event: Event) => {
    const list = event.target as HTMLElement;
    model.scrollTop = list.scrollTop;
    model.listHeight = list.clientHeight;
    model.hold(model.scrollTop > 0 || model.isPausedByUser);
    const now = windowOf(rows.length);
    if (now.first !== first || now.last !== last) model.changed();
  };
  const newest = rows.find((row) => 'step' in row);
  const cursor = model.cursor ?? (newest && 'step' in newest ? newest.step.entry.seq : undefined);
  return (
    <div class="rows" onScroll={onScroll}>
      <ul aria-label={consoleTexts.sections.live} style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(first, last).map((row, index) => {
          const top = `${(first + index) * ROW_HEIGHT}px`;
          if ('day' in row) {
            return (
              <li key={row.day} class="row root day" style={{ top }}>
                {consoleTexts.day(row.day)}
              </li>
            );
          }
          const { entry } = row.step;
          const to = getLinePage(model.histories, row.step);
          const isCurrent = to !== undefined && location.pathname === to.split('#')[0];
          const history = entry.kind === 'delivery' ? model.histories.historyFrom(row.step) : [];
          return (
            <li
              key={entry.seq}
              class={`row ${row.isRoot ? 'root' : 'beneath'}${isCurrent ? ' current' : ''}`}
              style={{ top }}
              aria-setsize={rows.length}
              aria-posinset={first + index + 1}
              data-seq={entry.seq}
            >
              <Line
                row={row}
                version={`${history.length} ${history.at(-1)?.seq}`}
                to={to === undefined ? undefined : getListPath(to, location)}
                isCurrent={isCurrent}
                tabIndex={entry.seq === cursor ? 0 : -1}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface LineProps {
  readonly row: LiveRow;
  /** Changes whenever the delivery's history changes, even through an unrelated cause. */
  readonly version: string;
  readonly to: string | undefined;
  readonly isCurrent: boolean;
  readonly tabIndex: number;
}

/** Renders a row's content. Memoized, because rendering is slow while many entries arrive. */
const Line = memo(function Line({ row, to, isCurrent, tabIndex }: LineProps) {
  const { step, isOpen } = row;
  const { live } = consoleTexts;
  const text = <RowText row={row} />;
  return (
    <>
      {isOpen === undefined ? (
        <span class="fold" />
      ) : (
        <button
          type="button"
          class="fold"
          tabIndex={-1}
          aria-expanded={isOpen ? 'true' : 'false'}
          aria-label={isOpen ? live.collapse : live.expand}
          onClick={() => model.toggle(step.entry.seq)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      )}
      {to === undefined ? (
        <span class="line" tabIndex={tabIndex}>
          {text}
        </span>
      ) : (
        renderLink(to, text, { class: 'line', isCurrent, tabIndex })
      )}
    </>
  );
});

function RowText({ row: { step, isRoot, code } }: { row: LiveRow }) {
  const { entry } = step;
  const { kind, by, during, field, duration_ms: ms } = entry;
  const concurrent = during?.map(shortAttempt).join(', ');
  const details = [field, concurrent && consoleTexts.live.during(concurrent)].filter(Boolean).join(', ');
  return (
    <>
      <time>{isRoot ? formatTimeOfDay(entry.at) : ''}</time>
      <span class="from">{isRoot ? (consoleTexts.actors[by] ?? by) : ''}</span>
      <span class="what">
        {describeEntry(entry, code)} {details === '' ? null : renderFaint(details)}
      </span>
      <span class="code">{code}</span>
      <span class="faint">
        {kind === 'delivery' ? renderAttemptBar(listAttempts(model.histories, step)) : null}
        {kind === 'call' && ms !== undefined ? `${ms} ms` : null}
      </span>
      <span class="outcome">
        {kind === 'event' ? consoleTexts.live.nobody : renderStatus(labelStep(model.histories, step))}
      </span>
    </>
  );
}

/** Formats an attempt's number and the beginning of its delivery id. */
function shortAttempt(id: string): string {
  const [delivery = '', number = ''] = id.split('.');
  return `${number} (${delivery.slice(0, 8)})`;
}
