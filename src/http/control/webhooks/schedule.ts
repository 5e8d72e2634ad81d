import * as is from '../../../core/resources/values.js';
import type { ScheduledAttempt } from '../../../core/webhooks/schedule.js';
import { isoTime } from '../../../contract/time.js';
import { nullable, partial } from '../../../schema/fields.js';
import type { Infer } from '../../../schema/schema.js';
import { described, oneOf } from '../../../schema/values.js';

export const SCHEDULED = is.resource(
  'ScheduledAttempt',
  'An attempt that was made, is under way, or would follow.',
  {
    attempt: is.COUNT,
    due_at: described('Null when it will not be made.', nullable(is.INSTANT)),
    ...partial({
      at: described('When it started.', is.INSTANT),
      outcome: described('Absent while it is under way.', oneOf(['succeeded', 'failed'])),
    }),
  },
);
type ScheduledView = Infer<typeof SCHEDULED>;

export function scheduledView({ number, dueAt, startedAt, outcome }: ScheduledAttempt): ScheduledView {
  return {
    attempt: number,
    due_at: dueAt === null ? null : isoTime(dueAt),
    ...(startedAt === undefined ? {} : { at: isoTime(startedAt) }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}
