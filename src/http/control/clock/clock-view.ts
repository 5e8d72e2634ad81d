import { isoTime } from '../../../contract/time.js';
import type { Due } from '../../../core/due.js';
import { dueInOrder, dueNext } from '../../../core/due.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Advanced } from '../../../sandbox/time/time-travel.js';
import type { AdvancedView, AgendaView, ClockView, DueView, NextView } from './schema.js';

export function clockView({ clock, travel, world, realNow }: Sandbox): ClockView {
  const due = dueNext(world);
  return {
    now: isoTime(clock.now()),
    real_now: isoTime(realNow()),
    rate: clock.rate,
    frozen: clock.rate === 0 && !travel.isUnderWay,
    advancing: travel.isUnderWay,
    next_due: due === undefined ? null : dueView(due),
  };
}

export function dueView({ at, kind, id }: Due): DueView {
  return { at: isoTime(at), kind, id };
}

/** How much of the agenda an answer holds when nothing else was asked for. */
const AGENDA_LENGTH = 20;

/** What is due, in order, without what was overtaken. */
export function agendaView({ world }: Sandbox, limit = AGENDA_LENGTH): AgendaView {
  return {
    due: dueInOrder(world, limit).map((one) => Object.assign(dueView(one), { title: one.title })),
  };
}

export function advancedView(sandbox: Sandbox, { from, to, steps, finished }: Advanced): AdvancedView {
  return { from: isoTime(from), to: isoTime(to), steps, finished, clock: clockView(sandbox) };
}

/** The result of a jump to the next due item. */
export function nextView(sandbox: Sandbox, due: Due | undefined): NextView {
  return { did: due === undefined ? null : dueView(due), clock: clockView(sandbox) };
}
