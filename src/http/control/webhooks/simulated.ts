import type { DeliveryFaultAction } from '../../../contract/fault-kinds.js';
import type { Delivery } from '../../../core/world.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { deliveryLine } from '../views.js';

/** Faults whose attempts a listener does not see, or sees end otherwise than it reported. */
const UNSEEN: ReadonlySet<DeliveryFaultAction> = new Set([
  'answer',
  'timeout',
  'drop',
  'lose-answer',
  'slow',
]);

/** Tells a listener what its attempts met instead of it; returns what ends that. */
export function tellSimulated(
  sandbox: Sandbox,
  isOwn: (endpointId: string) => boolean,
  send: (message: object) => void,
): () => void {
  const told = new WeakMap<Delivery, number>();
  return sandbox.subscribe((effects) => {
    for (const effect of effects) {
      if (effect.type !== 'delivery' || !isOwn(effect.delivery.endpointId)) continue;
      const { delivery } = effect;
      const last = delivery.log.at(-1);
      const fault = last?.faults?.find(({ action }) => UNSEEN.has(action));
      if (last === undefined || fault === undefined || told.get(delivery) === last.number) continue;
      told.set(delivery, last.number);
      send({
        type: 'simulated',
        action: fault.action,
        attempt: last.number,
        delivery: deliveryLine(sandbox, delivery),
      });
    }
  });
}
