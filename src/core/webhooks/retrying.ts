import { matchesGlob } from '../../text/globs.js';
import type { DeliveryStatus } from '../../contract/transitions.js';
import type { Step } from '../effects.js';
import type { Delivery } from '../world.js';
import { retryDelivery } from './deliveries.js';
import { unreachable } from './obstacles.js';

/** Which deliveries to retry; `eventType` may be a pattern with `*`. */
export interface RetryFilter {
  /** FAILED when it is absent; the others are skipped. */
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
  readonly endpointId?: string | undefined;
}

/** Why a delivery that fits a filter is not retried. */
export const SKIPPED_FOR = ['pending', 'delivered', 'disabled', 'deleted', 'away'] as const;
export type SkippedFor = (typeof SKIPPED_FOR)[number];

export interface RetriedAll {
  readonly retried: readonly Delivery[];
  /** How many were skipped, by the reason. */
  readonly skipped: ReadonlyMap<SkippedFor, number>;
}

/** Gives every dead letter that fits one more attempt, in order, and counts those that can have none. */
export function retryAll(step: Step, filter: RetryFilter): RetriedAll {
  const { status: wanted = 'FAILED', eventType = '*', endpointId } = filter;
  const retried: Delivery[] = [];
  const skipped = new Map<SkippedFor, number>();
  for (const delivery of step.world.deliveries.rows) {
    const { event, status } = delivery;
    if (status !== wanted || !matchesGlob(eventType, event.type)) continue;
    if (endpointId !== undefined && delivery.endpointId !== endpointId) continue;
    const why = obstacle(step, delivery);
    if (why === null) {
      retryDelivery(step, delivery);
      retried.push(delivery);
    } else skipped.set(why, (skipped.get(why) ?? 0) + 1);
  }
  return { retried, skipped };
}

function obstacle({ world }: Step, delivery: Delivery): SkippedFor | null {
  if (delivery.status === 'PENDING') return 'pending';
  return delivery.status === 'DELIVERED' ? 'delivered' : unreachable(world, delivery);
}
