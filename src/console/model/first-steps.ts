import { RETRY_SCHEDULES } from '../../contract/limits.js';
import { isDelivered, isFailed, isPending } from '../../contract/transitions.js';
import type { ReceiverView } from '../../http/control/listeners.js';
import { clockActions, deliveryActions, faultActions, receiverActions, THREE_REFUSALS } from './actions.js';
import { listAttempts, listStates } from './rows.js';
import type { Histories } from './histories.js';

interface DeliveryHistory {
  readonly id: string;
  readonly statuses: readonly string[];
  readonly state: string;
  readonly wasDeadLetter: boolean;
}

export type StepAction = 'turnOn' | 'pay' | 'failThrice' | 'advance' | 'retry';

/** The first steps in order, each with its button. The `advance` button belongs to the clock. */
export const FIRST_STEPS = {
  receiver: 'turnOn',
  pay: 'pay',
  deadLetter: 'failThrice',
  retry: 'retry',
} as const;
export type StepName = keyof typeof FIRST_STEPS;

/** Conditions for a delivery to complete a step. */
const COMPLETIONS: readonly (readonly [StepName, (history: DeliveryHistory) => boolean])[] = [
  ['pay', ({ statuses, state }) => statuses.length > 0 && !isPending(state)],
  ['deadLetter', ({ wasDeadLetter }) => wasDeadLetter],
  ['retry', ({ wasDeadLetter, state }) => wasDeadLetter && isDelivered(state)],
];

/** Completed steps with their deliveries, and the next button to press (undefined after the last step). */
export interface FirstStepsProgress {
  readonly done: ReadonlyMap<StepName, DeliveryHistory | undefined>;
  readonly next: StepAction | undefined;
  /** True if the application's receiver, not the test receiver, gets the deliveries. */
  readonly isOwn: boolean;
}

/** The application's own receiver, used instead of the test receiver. */
export interface OwnReceiver {
  /** True for an enabled endpoint or a connected listener. */
  readonly isReady: boolean;
  /** True while a fault replaces the receiver's responses. */
  readonly isBroken: boolean;
}

export function computeProgress(
  histories: Histories,
  { on, answer }: ReceiverView,
  own: OwnReceiver,
): FirstStepsProgress {
  const deliveries = histories.deliveries.map((delivery): DeliveryHistory => {
    const states = listStates(histories, delivery);
    return {
      id: delivery.entry.id ?? '',
      statuses: listAttempts(histories, delivery).map(({ status, error }) => String(status ?? error ?? '')),
      state: states.at(-1) ?? '',
      wasDeadLetter: states.some(isFailed),
    };
  });
  const done = new Map<StepName, DeliveryHistory | undefined>();
  if (on || own.isReady) done.set('receiver', undefined);
  const isBroken = on ? answer !== 200 : own.isBroken;
  for (const [name, completes] of COMPLETIONS) {
    const found = deliveries.find(completes);
    if (found !== undefined) done.set(name, found);
  }
  const hasPending = deliveries.some(({ state }) => isPending(state));
  const next = (): StepAction | undefined => {
    if (done.has('retry')) return undefined;
    if (!done.has('receiver')) return 'turnOn';
    if (done.has('deadLetter')) return 'retry';
    if (hasPending) return 'advance';
    return done.has('pay') && !isBroken ? 'failThrice' : 'pay';
  };
  return { done, next: next(), isOwn: !on && own.isReady };
}

export function getDeadLetter({ done }: FirstStepsProgress): string | undefined {
  const history = done.get('deadLetter');
  return isFailed(history?.state) ? history?.id : undefined;
}

/** Replaces the application's responses to all attempts of one delivery. */
const BREAK_OWN_RECEIVER = faultActions.add({
  action: 'answer',
  on: 'delivery',
  status: 500,
  count: RETRY_SCHEDULES.real.length,
});

/** Returns a button's action, or undefined if nothing can be retried. */
export function createStepAction(press: StepAction, progress: FirstStepsProgress) {
  const deadLetter = getDeadLetter(progress);
  return {
    turnOn: receiverActions.reply(200),
    pay: deliveryActions.pay,
    failThrice: progress.isOwn ? BREAK_OWN_RECEIVER : receiverActions.reply(THREE_REFUSALS),
    advance: clockActions.retries,
    retry: deadLetter === undefined ? undefined : deliveryActions.retry(deadLetter),
  }[press];
}
