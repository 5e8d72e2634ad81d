import type { JournalCause, JournalEntry, Replayed } from '../../core/journal.js';
import { finite, text } from '../../core/state/forms.js';
import type { World } from '../../core/world.js';
import { nullable, optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { read } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';
import type { Cause } from './cause.js';
import { moveBy } from './cause.js';
import type { Said } from './entry.js';
import { ACTORS } from './entry.js';
import { rateSaid, stateSaid } from './said.js';
import type { Timeline } from './timeline.js';

const CAUSE = object('an object', {
  by: oneOf(ACTORS),
  scenario: optional(text),
  call: optional(object('an object', { id: text, title: text })),
  move: optional(object('an object', { from: finite, to: finite })),
  state: optional(object('an object', { to: text, id: nullable(text), title: text })),
});

/** Adds to a timeline what a journal says again. Of a call it knows only those that changed something, and not their answers. */
export class Retelling {
  readonly #timeline: Timeline;
  /** The last move of the clock: each command that came of it names it. */
  #move: Cause | undefined;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  tell(entry: JournalEntry, replayed: Replayed | undefined, world: World): void {
    const timeline = this.#timeline;
    const { call, move, state, ...cause } = readCause(entry.cause);
    const record = () => {
      if ('world' in entry) timeline.beginWorld(begunSaid(state), world.now, null);
      else if ('rate' in entry) timeline.note(rateSaid(entry.rate), entry.at, null);
      else if (replayed !== undefined) timeline.record({ ...replayed, world, realAt: null });
    };
    if ('world' in entry) this.#move = undefined;
    if (call !== undefined) return timeline.againCall(call, world.now, record);
    timeline.because(move === undefined ? cause : this.#moveBy(moveBy(cause, move.from, move.to)), record);
  }

  /** The same move again, or a new one. */
  #moveBy(cause: Cause): Cause {
    const last = this.#move;
    const isSame =
      last?.by === cause.by && last.move?.at === cause.move?.at && last.move?.title === cause.move?.title;
    const move = isSame ? last : cause;
    this.#move = move;
    return move;
  }
}

function begunSaid(state: JournalCause['state']): Said {
  const said = stateSaid('begun');
  return state === undefined ? said : { ...said, id: state.id, title: state.title, facts: { to: state.to } };
}

/** What follows from a cause that cannot be read is the sandbox's own. */
function readCause(given: JournalCause | undefined): Infer<typeof CAUSE> {
  const { value } = read(CAUSE, given, { unknown: 'ignore' });
  return value ?? { by: 'sandbox' };
}
