import { AGENDA_KINDS } from '../../../core/agenda.js';
import * as is from '../../../core/resources/values.js';
import { nullable } from '../../../schema/fields.js';
import type { Infer } from '../../../schema/schema.js';
import { number, oneOf } from '../../../schema/values.js';

export const RATE = number('a rate', { least: 0 });

export const DUE = is.resource('Due', 'What falls due.', {
  at: is.INSTANT,
  kind: oneOf(AGENDA_KINDS),
  id: is.TEXT,
});
export type DueView = Infer<typeof DUE>;

export const AGENDA = is.resource('Agenda', 'What falls due, in order.', {
  due: is.listOf(is.shape('One thing that falls due.', { ...DUE.fields, title: is.TEXT })),
});
export type AgendaView = Infer<typeof AGENDA>;

export const CLOCK = is.resource('Clock', 'Sandbox time; a rate of 0 stands still and 1 is real time.', {
  now: is.INSTANT,
  real_now: is.INSTANT,
  rate: RATE,
  frozen: is.BOOLEAN,
  advancing: is.BOOLEAN,
  next_due: nullable(DUE),
});
export type ClockView = Infer<typeof CLOCK>;

export const ADVANCED = is.resource('Advanced', 'How far the clock went.', {
  from: is.INSTANT,
  to: is.INSTANT,
  steps: is.COUNT,
  finished: is.BOOLEAN,
  clock: CLOCK,
});
export type AdvancedView = Infer<typeof ADVANCED>;

export const NEXT = is.resource('Next', 'What was done; null where nothing falls due.', {
  did: nullable(DUE),
  clock: CLOCK,
});
export type NextView = Infer<typeof NEXT>;
