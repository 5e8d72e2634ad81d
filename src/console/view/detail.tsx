import type { Child } from 'hono/jsx';
import type { TraceNodeView } from '../../http/control/schema.js';
import { readTrace } from '../model/reads.js';
import type { DetailKind } from '../model/routes.js';
import { closedPath } from '../model/routes.js';
import { pageOf, traceOutcome } from '../model/rows.js';
import { timeOfDay } from '../words/table.js';
import { CallDetail } from './calls.js';
import { DeliveryDetail, EventDetail } from './deliveries.js';
import { EndpointDetail } from './endpoints.js';
import { SessionDetail } from './identity.js';
import { Button, Ending, Link, ready } from './parts.js';
import { ChargeDetail, WithdrawalDetail } from './payments.js';
import { model, words } from './screen.js';

const DETAILS: Readonly<Record<DetailKind, (props: { id: string }) => Child>> = {
  calls: CallDetail,
  events: EventDetail,
  deliveries: DeliveryDetail,
  charges: ChargeDetail,
  withdrawals: WithdrawalDetail,
  endpoints: EndpointDetail,
  identity: SessionDetail,
};

/** The request, event, delivery or row that is open next to the list, or its story. */
export function Detail() {
  const { detail } = model.route;
  if (detail === undefined) return null;
  const { kind, id, isStory } = detail;
  const Shown = DETAILS[kind];
  const path = `/${kind}/${encodeURIComponent(id)}${location.search}`;
  return (
    <section class="detail" aria-label={words.detail.region}>
      <Button kind="quiet close" label={words.close} onClick={closeDetail} />
      <nav class="views" aria-label={words.detail.views}>
        <Link to={path} current={isStory ? undefined : 'true'}>
          {words.detail.region}
        </Link>
        <Link to={`${path}#story`} current={isStory ? 'true' : undefined}>
          {words.detail.story}
        </Link>
      </nav>
      {isStory ? <StoryView id={id} /> : <Shown id={id} />}
    </section>
  );
}

/** Back to the list that the detail was opened from. */
export function closeDetail(): void {
  model.go(closedPath(model.route, location));
  model.focusList();
}

/** What led to something, what followed from it, and what is due in it. */
function StoryView({ id }: { id: string }) {
  return ready(readTrace(model, id), ({ root, due }) => (
    <article class="story">
      <h2>{words.detail.story}</h2>
      <ul>
        <Node node={root} />
      </ul>
      {due.map(({ at, title }) => (
        <p key={at + title} class="waiting">
          {words.detail.due} {words.instant(at)}: {title}
        </p>
      ))}
    </article>
  ));
}

function Node({ node }: { node: TraceNodeView }) {
  const { seq, kind, at, title, outcome = '', during, children } = node;
  const entry = model.stories.get(seq)?.entry;
  const to = entry === undefined ? undefined : pageOf(entry);
  // The title of an attempt or a change ends as the step did.
  const text = outcome !== '' && title.endsWith(outcome) ? title.slice(0, -outcome.length) : title;
  const shown = text.replace(/(?:: | → | )$/, '');
  return (
    <li>
      <time>{timeOfDay(at)}</time> {to === undefined ? shown : <Link to={to}>{shown}</Link>}{' '}
      {during === true ? <span class="empty">{words.detail.during} </span> : null}
      <Ending {...traceOutcome(kind, outcome)} />
      {children.length === 0 ? null : (
        <ul>
          {children.map((child, index) => (
            <Node key={index} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
