import type { JournalCause } from '../../core/journal.js';
import type { Actor, Draft, Said } from './entry.js';
import { draftOf } from './entry.js';
import { movedSaid } from './said.js';
import type { Moving } from '../time/time-travel.js';
import type { Timeline } from './timeline.js';

/** Who applies commands. */
export interface Cause {
  readonly by: Actor;
  /** The scenario that is run. */
  readonly scenario?: string;
  /** The call that is being answered. */
  readonly call?: OpenCall;
  /** What asked for the calls that are opened. */
  readonly asked?: Draft;
  /** The move of the clock that makes things due; it has an entry from its first command on. */
  readonly move?: Draft;
}

interface Held {
  readonly entry: Draft;
  readonly parent: Draft | undefined;
}

/** A call under way. What it causes is held back until its answer is known, so that the call comes first. */
export interface OpenCall {
  readonly entry: Draft;
  /** The entry that it follows from, where it is ours. */
  readonly parent?: Draft | undefined;
  readonly held: Held[];
  /** The attempts under way when it began, with the application that each goes to. */
  readonly during: readonly (readonly [attempt: string, appId: string])[];
}

function named(scenario: string | undefined): Pick<Cause, 'scenario'> {
  return scenario === undefined ? {} : { scenario };
}

/** What is said of something that a scenario did, with its name. */
export function saidIn(said: Said, scenario: string | undefined): Said {
  return { ...said, facts: { ...said.facts, ...named(scenario) } };
}

/** The cause of what falls due while the clock is moved from one instant to another. */
export function moveBy({ by, scenario }: Cause, from: number, to: number): Cause {
  const said = saidIn(movedSaid(from, to), scenario);
  return { by, ...named(scenario), move: draftOf(said, by, from, null) };
}

/** How whoever applies commands now moves the clock: the result gives `tick` as a part of the move from one instant to another. */
export function movingOf(timeline: Pick<Timeline, 'cause' | 'because'>, tick: () => void): Moving {
  const { cause } = timeline;
  return (from, to) => {
    if (from === to) return tick;
    const move = moveBy(cause, from, to);
    return () => timeline.because(move, tick);
  };
}

/** What a journal keeps of a cause, and of the world that begins; undefined for a command of the sandbox itself. */
export function journalCauseOf({ by, scenario, call, move }: Cause, begun?: Said): JournalCause | undefined {
  if (by === 'sandbox' && move === undefined && begun === undefined) return undefined;
  const to = Date.parse(move?.facts.moved_to ?? '');
  return {
    by,
    ...named(scenario),
    ...(call === undefined ? {} : { call: { id: call.entry.id ?? '', title: call.entry.title } }),
    ...(move === undefined ? {} : { move: { from: move.at, to } }),
    ...(begun === undefined ? {} : { state: { to: begun.facts.to ?? '', id: begun.id, title: begun.title } }),
  };
}
