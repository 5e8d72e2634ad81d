import type { DeliveryFaultAction } from '../../../contract/fault-kinds.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { deliveryLine } from '../views.js';

/** Faults whose attempts a listener does not see, or that end differently from its report. */
const UNSEEN: ReadonlySet<DeliveryFaultAction> = new Set([
  'answer',
  'timeout',
  'drop',
  'lose-answer',
  'slow',
]);

/** Tells a listener which fault its attempts met instead; returns a function that stops it. */
export function tellSimulated(
  sandbox: Sandbox,
  isOwn: (endpointId: string) => boolean,
  send: (message: object) => void,
): () => void {
  return sandbox.subscribe((effects) => {
    for (const effect of effects) {
      if (effect.type !== 'attempt.ended' || !isOwn(effect.delivery.endpointId)) continue;
      const { delivery, attempt } = effect;
      const fault = attempt.faults?.find(({ action }) => UNSEEN.has(action));
      if (fault === undefined) continue;
      send({
        type: 'simulated',
        action: fault.action,
        attempt: attempt.number,
        delivery: deliveryLine(sandbox, delivery),
      });
    }
  });
}
