import { isDelivered, isFailed, isPending } from '../../contract/transitions.js';
import type { ReceiverView } from '../../http/control/listeners.js';
import { clockActions, deliveryActions, receiverActions, THREE_REFUSALS } from './actions.js';
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
export const STEPS = { receiver: 'turnOn', pay: 'pay', deadLetter: 'failThrice', retry: 'retry' } as const;
export type StepName = keyof typeof STEPS;

/** Conditions for a delivery to complete a step. */
const COMPLETIONS: readonly (readonly [StepName, (history: DeliveryHistory) => boolean])[] = [
  ['pay', ({ statuses, state }) => statuses.length > 0 && !isPending(state)],
  ['deadLetter', ({ wasDeadLetter }) => wasDeadLetter],
  ['retry', ({ wasDeadLetter, state }) => wasDeadLetter && isDelivered(state)],
];

/** Completed steps with their deliveries, and the next button to press; undefined at the end. */
export interface FirstStepsProgress {
  readonly done: ReadonlyMap<StepName, DeliveryHistory | undefined>;
  readonly next: StepAction | undefined;
}

export function computeProgress(histories: Histories, { on, answer }: ReceiverView): FirstStepsProgress {
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
  if (on || deliveries.length > 0) done.set('receiver', undefined);
  for (const [name, completes] of COMPLETIONS) {
    const found = deliveries.find(completes);
    if (found !== undefined) done.set(name, found);
  }
  const hasPending = deliveries.some(({ state }) => isPending(state));
  const next = (): StepAction | undefined => {
    if (done.has('retry')) return undefined;
    if (!on) return 'turnOn';
    if (done.has('deadLetter')) return 'retry';
    if (hasPending) return 'advance';
    return done.has('pay') && answer === 200 ? 'failThrice' : 'pay';
  };
  return { done, next: next() };
}

export function getDeadLetter({ done }: FirstStepsProgress): string | undefined {
  const history = done.get('deadLetter');
  return isFailed(history?.state) ? history?.id : undefined;
}

/** Returns a button's action. Returns undefined if there is nothing to retry. */
export function createStepAction(press: StepAction, progress: FirstStepsProgress) {
  const deadLetter = getDeadLetter(progress);
  return {
    turnOn: receiverActions.reply(200),
    pay: deliveryActions.pay,
    failThrice: receiverActions.reply(THREE_REFUSALS),
    advance: clockActions.retries,
    retry: deadLetter === undefined ? undefined : deliveryActions.retry(deadLetter),
  }[press];
}
