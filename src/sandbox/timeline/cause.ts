import type { JournalCause, JournalEntry, ReplayResult } from '../../core/journal.js';
import type { World } from '../../core/world.js';
import { nullable, object, optional } from '../../schema/object.js';
import { type Infer, read } from '../../schema/schema.js';
import { number, enumOf, text } from '../../schema/values.js';
import type { ClockMove } from '../time/time-travel.js';
import { ACTORS, type Cause, createEntryDraft, type EntryContent } from './entry.js';
import { describeClockMove, describeRate, withScenario, describeStateChange } from './entry-content.js';
import type { Timeline } from './timeline.js';

const TEXT = text();
const INSTANT = number('a number');
const CAUSE = object('an object', {
  by: enumOf(ACTORS),
  scenario: optional(TEXT),
  call: optional(object('an object', { id: TEXT, title: TEXT })),
  move: optional(object('an object', { from: INSTANT, to: INSTANT })),
  state: optional(object('an object', { to: TEXT, id: nullable(TEXT), title: TEXT })),
});

/**
 * Replays a journal into a timeline. A journal contains only requests that changed something, without
 * responses.
 */
export class TimelineReplay {
  readonly #timeline: Timeline;
  /** The last clock move, shared by all commands that it caused. */
  #move: Cause | undefined;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  recordEntry(entry: JournalEntry, replayed: ReplayResult | undefined, world: World): void {
    const timeline = this.#timeline;
    const { call, move, state, ...cause } = readCause(entry.cause);
    const record = () => {
      if ('world' in entry) timeline.startWorld(describeWorldStart(state), world.now, null);
      else if ('rate' in entry) timeline.note(describeRate(entry.rate), entry.at, null);
      else if (replayed !== undefined) timeline.record({ ...replayed, world, realAt: null });
    };
    if ('world' in entry) this.#move = undefined;
    if (call !== undefined) return timeline.replayCall(call, world.now, record);
    timeline.withCause(
      move === undefined ? cause : this.#moveBy(createMoveCause(cause, move.from, move.to)),
      record,
    );
  }

  /** Returns the last cause if its clock move is identical; otherwise the new cause. */
  #moveBy(cause: Cause): Cause {
    const last = this.#move;
    const isSame =
      last?.by === cause.by && last.move?.at === cause.move?.at && last.move?.title === cause.move?.title;
    const move = isSame ? last : cause;
    this.#move = move;
    return move;
  }
}

function describeWorldStart(state: JournalCause['state']): EntryContent {
  const content = describeStateChange('begun');
  return state === undefined
    ? content
    : { ...content, id: state.id, title: state.title, facts: { to: state.to } };
}

/** Parses a journaled cause. Falls back to the actor `sandbox` if the cause is invalid. */
function readCause(given: JournalCause | undefined): Infer<typeof CAUSE> {
  const { value } = read(CAUSE, given, { unknown: 'ignore' });
  return value ?? { by: 'sandbox' };
}

function scenarioField(scenario: string | undefined): Pick<Cause, 'scenario'> {
  return scenario === undefined ? {} : { scenario };
}

/** Creates the cause for items that become due during a clock move. */
export function createMoveCause({ by, scenario }: Cause, from: number, to: number): Cause {
  const content = withScenario(describeClockMove(from, to), scenario);
  return { by, ...scenarioField(scenario), move: createEntryDraft(content, by, from, null) };
}

/** Creates a clock move that runs `tick` with the move as its cause. */
export function createClockMove(
  timeline: Pick<Timeline, 'cause' | 'withCause'>,
  tick: () => void,
): ClockMove {
  const { cause } = timeline;
  return (from, to) => {
    if (from === to) return tick;
    const move = createMoveCause(cause, from, to);
    return () => timeline.withCause(move, tick);
  };
}

/**
 * Serializes a cause, and a world's start if any, for the journal. Returns undefined for the bare actor
 * `sandbox`.
 */
export function toJournalCause(
  { by, scenario, call, move }: Cause,
  begun?: EntryContent,
): JournalCause | undefined {
  if (by === 'sandbox' && move === undefined && begun === undefined) return undefined;
  const to = Date.parse(move?.facts.moved_to ?? '');
  return {
    by,
    ...scenarioField(scenario),
    ...(call === undefined ? {} : { call: { id: call.entry.id ?? '', title: call.entry.title } }),
    ...(move === undefined ? {} : { move: { from: move.at, to } }),
    ...(begun === undefined ? {} : { state: { to: begun.facts.to ?? '', id: begun.id, title: begun.title } }),
  };
}
