import { formatDuration } from '../../contract/time.js';
import type { AgendaView } from '../../http/control/schema.js';
import { clockForms } from '../model/forms.js';
import { readAgenda } from '../model/reads.js';
import { Form } from './form.js';
import { Button, Link, ready, Section } from './parts.js';
import { context, jumpTo, model, words } from './screen.js';

const SHOWN = 200;

type Due = AgendaView['due'][number];

/** What falls due in order, each to be jumped to; and forms that move, stop and speed up the clock. */
export function TimePage() {
  const { time } = words.payments;
  const clock = model.clock();
  const now = clock === undefined ? undefined : model.clockNow(clock);
  return (
    <>
      <h2>{words.sections.time}</h2>
      <div class="forms">
        {clockForms(context).map((form) => (
          <Form key={form.id} form={form} />
        ))}
      </div>
      <Section title={time.due}>
        {ready(readAgenda(model, SHOWN), ({ due }) => (
          <>
            {due.length === 0 ? <p class="empty">{time.nothing}</p> : null}
            <ol class="due-list">
              {due.map((one) => (
                <DueLine key={one.kind + one.id} due={one} now={now} />
              ))}
            </ol>
            {due.length === SHOWN ? <p class="empty">{time.onlyFirst(SHOWN)}</p> : null}
          </>
        ))}
      </Section>
    </>
  );
}

function DueLine({ due: { kind, id, at, title }, now }: { due: Due; now: number | undefined }) {
  const { time } = words.payments;
  const seconds = now === undefined ? 0 : Math.round((Date.parse(at) - now) / 1000);
  // A session's id is shortened, so it has no page.
  const page = kind.startsWith('charge.')
    ? `/charges/${id}`
    : kind === 'delivery.attempt'
      ? `/deliveries/${id}`
      : undefined;
  return (
    <li>
      <span>
        <time>{words.instant(at)}</time>{' '}
        <span class="faint">{seconds > 0 ? time.within(formatDuration(seconds * 1000)) : time.now}</span>
      </span>
      <span class="what">{page === undefined ? title : <Link to={page}>{title}</Link>}</span>
      <Button label={time.jump} name={time.jumpTo(title)} onClick={() => jumpTo(at)} />
    </li>
  );
}
