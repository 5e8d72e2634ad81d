import { formatDuration } from '../../contract/time.js';
import { Ready } from '../detail/loaded.js';
import type { Field } from '../dialogs/form.js';
import { ActionForm } from '../dialogs/action-form.js';
import { jumpAction } from '../detail/actions.js';
import { Link } from '../frame/link.js';
import type { AgendaView } from '../../http/control/schema.js';
import type { Console } from '../model/console.js';
import { problemOf } from '../model/console.js';
import { advanceAction, freezeAction, speedAction } from './time-actions.js';

const SHOWN = 200;

type Due = AgendaView['due'][number];

/** What falls due in order, each to be jumped to; and the clock moved, stopped and sped up. */
export function TimePage({ model }: { model: Console }) {
  const { words } = model;
  const { time } = words.payments;
  const loaded = model.resources.read(
    'what is due',
    async (client) => {
      const [{ due }, clock] = await Promise.all([
        client.get('agenda', { limit: SHOWN }),
        client.get('clock'),
      ]);
      return { due, clock };
    },
    ({ kind }) => kind !== 'call',
  );
  return (
    <>
      <h2>{words.sections.time}</h2>
      <Forms model={model} />
      <section aria-label={time.due}>
        <h3>{time.due}</h3>
        <Ready model={model} loaded={loaded}>
          {({ due, clock }) => (
            <>
              {due.length === 0 ? <p class="empty">{time.nothing}</p> : null}
              <ol class="due-list">
                {due.map((one) => (
                  <DueLine key={one.kind + one.id} model={model} due={one} now={model.clockNow(clock)} />
                ))}
              </ol>
              {due.length === SHOWN ? <p class="empty">{time.onlyFirst(SHOWN)}</p> : null}
            </>
          )}
        </Ready>
      </section>
    </>
  );
}

function DueLine({ model, due, now }: { model: Console; due: Due; now: number }) {
  const { words } = model;
  const { time } = words.payments;
  const { at, title } = due;
  const page = pageOfDue(due);
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const jump = async () => {
    try {
      const clock = await model.client.get('clock');
      await model.act(jumpAction(words, at, Date.parse(clock.now)));
    } catch (error) {
      model.say({ ...problemOf(error), isError: true });
    }
  };
  return (
    <li>
      <span>
        <time>{words.instant(at)}</time>{' '}
        <span class="by">{seconds > 0 ? time.within(formatDuration(seconds * 1000)) : time.now}</span>
      </span>
      <span class="what">
        {page === undefined ? (
          title
        ) : (
          <Link model={model} to={page}>
            {title}
          </Link>
        )}
      </span>
      <button type="button" aria-label={time.jumpTo(title)} onClick={() => void jump()}>
        {time.jump}
      </button>
    </li>
  );
}

/** The page of what something due is about; a session's id is shortened, so it has none. */
function pageOfDue({ kind, id }: Due): string | undefined {
  if (kind.startsWith('charge.')) return `/charges/${id}`;
  return kind === 'delivery.attempt' ? `/deliveries/${id}` : undefined;
}

function Forms({ model }: { model: Console }) {
  const { words } = model;
  const { fields, time } = words.payments;
  const field = (name: 'by' | 'at' | 'rate', initial: string): readonly Field[] => [
    { name, ...fields[name], input: 'text', initial },
  ];
  return (
    <div class="forms">
      <ActionForm
        model={model}
        id="advance"
        fields={() => field('by', '1h')}
        prepare={(values) => advanceAction(words, values)}
        send={time.advance}
      />
      <ActionForm
        model={model}
        id="freeze"
        fields={() => field('at', '')}
        prepare={(values) => freezeAction(words, values)}
        send={time.freeze}
      />
      <ActionForm
        model={model}
        id="speed"
        fields={() => field('rate', '60')}
        prepare={(values) => speedAction(words, values)}
        send={time.setRate}
      />
    </div>
  );
}
