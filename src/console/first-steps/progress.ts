import type { ReceiverView } from '../../http/control/schema.js';
import { attemptsOf } from '../model/rows.js';
import type { Stories } from '../model/stories.js';
import { following } from '../model/stories.js';

/** The first steps, in their order. */
export const STEPS = ['receiver', 'pay', 'failThrice', 'deadLetter', 'retry'] as const;

export type StepName = (typeof STEPS)[number];

/** Which of the first steps have been taken, as far as the timeline tells. */
export function progressOf(stories: Stories, receiver: ReceiverView | undefined): ReadonlySet<StepName> {
  const done = new Set<StepName>();
  if (receiver?.on) done.add('receiver');
  for (const step of stories.steps()) {
    const { entry } = step;
    if (entry.kind !== 'delivery' || entry.from !== null) continue;
    const attempts = attemptsOf(step);
    const states = [...following(step)].filter(({ entry: { kind } }) => kind === 'delivery');
    const failed = states.findIndex(({ entry: { to } }) => to === 'FAILED');
    const delivered = states.findLastIndex(({ entry: { to } }) => to === 'DELIVERED');
    if (delivered >= 0) done.add('pay');
    if (delivered >= 0 && attempts.length > 3) done.add('failThrice');
    if (failed >= 0) done.add('deadLetter');
    if (failed >= 0 && delivered > failed) done.add('retry');
  }
  return done;
}

/** Whether anything was delivered, or tried to be. */
export function hasDeliveries(stories: Stories): boolean {
  for (const { entry } of stories.steps()) if (entry.kind === 'delivery') return true;
  return false;
}
