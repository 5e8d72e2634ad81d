import { isoTime } from '../../../contract/time.js';
import type { Delivery } from '../../../core/world.js';
import type { RecordedAttempt } from '../../../sandbox/attempt-records.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Entry } from '../../../sandbox/timeline/entry.js';
import { deliveryLine, withoutSecrets } from '../views.js';
import type { AttemptEntry } from '../schema.js';

/** An attempt that has ended, with its delivery. */
export interface EndedAttempt extends RecordedAttempt {
  readonly delivery: Delivery;
}

/** Real time at which it ended, in milliseconds. */
export function endedAtMs({ record }: RecordedAttempt): number {
  return Math.round(record.realAt + record.result.latencyMs);
}

/** The attempts of the newest deliveries, in no particular order. */
export function endedAttempts(sandbox: Sandbox): EndedAttempt[] {
  return sandbox.records.all().flatMap((recorded) => {
    const delivery = sandbox.world.deliveries.byId.get(recorded.deliveryId);
    return delivery === undefined ? [] : [{ ...recorded, delivery }];
  });
}

/** The attempt that an entry of the timeline is about; undefined for another entry, and for one of an earlier world. */
export function attemptOf({ records, timeline, world }: Sandbox, entry: Entry): EndedAttempt | undefined {
  const { delivery_id: deliveryId = '', attempt = 0 } = entry.facts;
  if (entry.kind !== 'attempt' || entry.seq < timeline.worldBegan) return undefined;
  const record = records.get(deliveryId, attempt);
  const delivery = world.deliveries.byId.get(deliveryId);
  return record && delivery && { deliveryId, record, delivery };
}

/** An attempt in the log: its request and its outcome. `real_at` is when it ended, `at` when it began in sandbox time. */
export function attemptEntry(sandbox: Sandbox, { record, delivery }: EndedAttempt): AttemptEntry {
  const { number, result } = record;
  const { event_id, event_type, resource, status, endpoint_id, endpoint_name, attempt_limit } =
    withoutSecrets(sandbox, deliveryLine(sandbox, delivery));
  const logged = delivery.log.findLast((attempt) => attempt.number === number);
  return {
    type: 'attempt',
    at: isoTime(logged?.startedAt ?? delivery.lastAttemptAt ?? delivery.createdAt),
    real_at: isoTime(endedAtMs({ deliveryId: delivery.id, record })),
    delivery_id: delivery.id,
    event_id,
    event_type,
    resource,
    app_id: delivery.event.resource.appId,
    endpoint_id,
    endpoint_name: endpoint_name === null ? null : sandbox.secrets.hide(endpoint_name),
    attempt: number,
    attempt_limit,
    response_status: result.status,
    error: result.error,
    detail: result.detail,
    latency_ms: Math.round(result.latencyMs * 10) / 10,
    faults: logged?.faults?.map(({ id, action }) => ({ id, action })) ?? [],
    delivery_status: status,
  };
}
