import type { Child } from 'hono/jsx';
import { memo } from 'hono/jsx/dom';
import { listenerTarget } from '../../text/listener-name.js';
import { Link } from '../frame/link.js';
import type { Console } from '../model/console.js';
import type { EntryView } from '../../http/control/schema.js';
import type { Row } from '../model/lines.js';
import type { Outcome } from '../model/rows.js';
import { attemptsOf, endOf, outcomeOf, pageOfLine } from '../model/rows.js';
import type { Step } from '../model/stories.js';
import { timeOfDay } from '../words/table.js';
import { besideList } from '../model/routes.js';
import { ROW_HEIGHT } from './window.js';

const SIGNS = { good: '✓', bad: '✗', waiting: '○', plain: '' } as const;

/** One step of a story on one line. */
export function LiveRow({
  model,
  row,
  position,
  count,
  isCursor,
}: {
  model: Console;
  row: Row;
  position: number;
  count: number;
  isCursor: boolean;
}) {
  const { entry } = row.step;
  const to = pageOfLine(row.step);
  const isCurrent = to !== undefined && location.pathname === to.split('#')[0];
  return (
    <li
      class={`row ${row.isRoot ? 'root' : 'beneath'}${isCurrent ? ' current' : ''}`}
      style={{ top: `${position * ROW_HEIGHT}px` }}
      aria-setsize={count}
      aria-posinset={position + 1}
      data-seq={entry.seq}
    >
      <Line
        model={model}
        row={row}
        course={entry.kind === 'delivery' ? model.stories.courseFrom(entry) : undefined}
        to={to === undefined ? undefined : besideList(to, location)}
        isCurrent={isCurrent}
        isCursor={isCursor}
      />
    </li>
  );
}

/** What stands in a row; drawn again only when one of these changes, for drawing is what takes time while entries pour in. */
const Line = memo(function Line({ model, row, to, isCurrent, isCursor }: LineProps) {
  const { step, isOpen } = row;
  const { entry } = step;
  const text = <RowText model={model} row={row} />;
  return (
    <>
      {isOpen === undefined ? (
        <span class="fold" />
      ) : (
        <button
          type="button"
          class="fold"
          tabIndex={-1}
          aria-expanded={isOpen}
          aria-label={isOpen ? model.words.live.closeStory : model.words.live.openStory}
          onClick={() => model.toggle(entry.seq)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      )}
      {to === undefined ? (
        <span class="line" tabIndex={isCursor ? 0 : -1}>
          {text}
        </span>
      ) : (
        <Link
          model={model}
          to={to}
          class="line"
          current={isCurrent ? 'true' : undefined}
          tabIndex={isCursor ? 0 : -1}
        >
          {text}
        </Link>
      )}
    </>
  );
});

interface LineProps {
  readonly model: Console;
  readonly row: Row;
  /** What happened to the delivery that the row is about, for other stories may lead to it. */
  readonly course: readonly EntryView[] | undefined;
  readonly to: string | undefined;
  readonly isCurrent: boolean;
  readonly isCursor: boolean;
}

function RowText({ model, row: { step, isRoot, code } }: { model: Console; row: Row }) {
  const { entry } = step;
  const { words } = model;
  return (
    <>
      <time>{isRoot ? timeOfDay(entry.at) : ''}</time>
      <span class="what">{whatOf(model, step)}</span>
      <span class="code">{code}</span>
      <span class="outcome">
        {entry.kind === 'delivery' ? <Attempts model={model} step={step} /> : null}
        {entry.kind === 'event' ? words.live.nobody : <Ending outcome={outcomeOf(model.stories, step)} />}
      </span>
    </>
  );
}

function whatOf({ words }: Console, step: Step): Child {
  const { entry } = step;
  const { kind, method, path, title, event_type: type, target, during, by, resource } = entry;
  if (kind === 'call') {
    const story = during === undefined ? '' : ` ${words.live.during(during.map(shortAttempt).join(', '))}`;
    return `${method} ${path}${story}`;
  }
  if (kind === 'delivery') return `${type} → ${listenerTarget(target ?? '')?.target ?? target}`;
  if (kind === 'event') return type;
  if (kind === 'change' && resource !== 'endpoint') {
    const name = resource === undefined ? '' : words.resources[resource];
    return `${name} ${entry.from ?? '–'} → ${entry.to}`;
  }
  const actor = step.parent === undefined ? words.actors[by] : undefined;
  return actor === undefined || actor === title ? title : `${actor}: ${title}`;
}

/** The number of an attempt and the beginning of its delivery's id. */
function shortAttempt(id: string): string {
  const [delivery = '', number = ''] = id.split('.');
  return `${number} (${delivery.slice(0, 8)})`;
}

function Attempts({ model, step }: { model: Console; step: Step }) {
  return (
    <span class="tries">
      {attemptsOf(model.stories, step)
        .slice(-9)
        .map((attempt) => {
          const end = endOf(attempt);
          return (
            <span key={attempt.seq} class={end.tone}>
              {SIGNS[end.tone]}
              {attempt.status ?? ''}
            </span>
          );
        })}
    </span>
  );
}

/** How something ended: a sign for those who do not see the colour, and the word. */
export function Ending({ outcome: { text, tone } }: { outcome: Outcome }) {
  return text === '' ? null : (
    <span class={`ending ${tone}`}>
      <span aria-hidden="true">{SIGNS[tone]} </span>
      {text}
    </span>
  );
}
