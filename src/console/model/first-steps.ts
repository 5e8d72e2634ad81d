import type { ReceiverView } from '../../http/control/schema.js';
import type { Action } from './actions.js';
import { clock, deliveries, receiver, RECEIVER_REPLIES } from './actions.js';
import { attemptsOf, statesOf } from './rows.js';
import type { Step, Stories } from './stories.js';

/** The first steps, in their order. */
export const STEPS = ['receiver', 'pay', 'deadLetter', 'retry'] as const;
export type StepName = (typeof STEPS)[number];

export type Press = 'turnOn' | 'pay' | 'failThrice' | 'advance' | 'retry';

/** The completed steps, according to the timeline, and the next one. */
export interface Progress {
  /** Each with the delivery that shows it, if any. */
  readonly done: ReadonlyMap<StepName, DeliveryHistory | undefined>;
  /** What to press now; undefined at the end. */
  readonly next: Press | undefined;
}

export interface DeliveryHistory {
  readonly id: string;
  /** How each attempt ended. */
  readonly statuses: readonly string[];
  readonly state: string;
  readonly wasDeadLetter: boolean;
}

export function progressOf(stories: Stories, view: ReceiverView): Progress {
  const histories = stories.deliveries.map((delivery) => historyOf(stories, delivery));
  const done = new Map<StepName, DeliveryHistory | undefined>();
  const complete = (name: StepName, test: (history: DeliveryHistory) => boolean) => {
    const found = histories.find(test);
    if (found !== undefined) done.set(name, found);
  };
  if (view.on || histories.length > 0) done.set('receiver', undefined);
  complete('pay', ({ statuses, state }) => statuses.length > 0 && state !== 'PENDING');
  complete('deadLetter', ({ wasDeadLetter }) => wasDeadLetter);
  complete('retry', ({ wasDeadLetter, state }) => wasDeadLetter && state === 'DELIVERED');
  const isPending = histories.some(({ state }) => state === 'PENDING');
  return { done, next: nextOf(done, view, isPending) };
}

/** The dead letter to retry. */
export function deadLetterOf({ done }: Progress): string | undefined {
  const history = done.get('deadLetter');
  return history?.state === 'FAILED' ? history.id : undefined;
}

function nextOf(done: Progress['done'], { on, answer }: ReceiverView, isPending: boolean): Press | undefined {
  if (!on) return done.has('retry') ? undefined : 'turnOn';
  if (!done.has('pay')) return isPending ? 'advance' : 'pay';
  if (!done.has('deadLetter')) {
    if (isPending) return 'advance';
    return answer === 200 ? 'failThrice' : 'pay';
  }
  return done.has('retry') ? undefined : 'retry';
}

/** What a button of the first steps does; undefined where there is nothing to retry. */
export function stepAction(press: Press, progress: Progress): Action | undefined {
  const deadLetter = deadLetterOf(progress);
  return {
    turnOn: receiver.reply(200),
    pay: deliveries.pay,
    failThrice: receiver.reply(RECEIVER_REPLIES['refuse-3']),
    advance: clock.advance('45h'),
    retry: deadLetter === undefined ? undefined : deliveries.retry(deadLetter),
  }[press];
}

function historyOf(stories: Stories, delivery: Step): DeliveryHistory {
  const states = statesOf(stories, delivery);
  return {
    id: delivery.entry.id ?? '',
    statuses: attemptsOf(stories, delivery).map(({ status, error }) => String(status ?? error ?? '')),
    state: states.at(-1) ?? '',
    wasDeadLetter: states.includes('FAILED'),
  };
}
