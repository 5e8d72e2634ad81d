import type { TraceNodeView } from '../../http/control/schema.js';
import { Link } from '../frame/link.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { pageOf, toneOfOutcome } from '../model/rows.js';
import { timeOfDay } from '../words/table.js';
import { Ready } from './loaded.js';
import { readTrace } from './reads.js';

/** All that led to something, all that followed from it, and what is due in it. */
export function StoryView({ model, id }: { model: Console; id: string }) {
  const { words } = model;
  return (
    <Ready model={model} loaded={readTrace(model, id)}>
      {({ root, due }) => (
        <article class="story">
          <h2>{words.detail.story}</h2>
          <ul>
            <Node model={model} node={root} />
          </ul>
          {due.map(({ at, title }) => (
            <p key={at + title} class="waiting">
              {words.detail.due} {words.instant(at)}: {title}
            </p>
          ))}
        </article>
      )}
    </Ready>
  );
}

function Node({ model, node }: { model: Console; node: TraceNodeView }) {
  const { words, stories } = model;
  const { seq, kind, at, title, outcome = '', during, children } = node;
  const entry = stories.get(seq)?.entry;
  const to = entry === undefined ? undefined : pageOf(entry);
  // The title of an attempt or a change ends as the step did.
  const text = outcome !== '' && title.endsWith(outcome) ? title.slice(0, -outcome.length) : title;
  const shown = text.replace(/(?:: | → | )$/, '');
  return (
    <li>
      <time>{timeOfDay(at)}</time>{' '}
      {to === undefined ? (
        shown
      ) : (
        <Link model={model} to={to}>
          {shown}
        </Link>
      )}{' '}
      {during === true ? <span class="empty">{words.detail.during} </span> : null}
      <Ending outcome={{ text: outcome, tone: toneOfOutcome(kind, outcome) }} />
      {children.length === 0 ? null : (
        <ul>
          {children.map((child, index) => (
            <Node key={index} model={model} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
