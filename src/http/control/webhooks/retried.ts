import * as is from '../../../core/resources/values.js';
import type { RetriedAll } from '../../../core/webhooks/retrying.js';
import { SKIPPED_FOR } from '../../../core/webhooks/retrying.js';
import { partial } from '../../../schema/fields.js';
import { object } from '../../../schema/object.js';
import type { Infer } from '../../../schema/schema.js';

const COUNTS = partial(
  Object.fromEntries(SKIPPED_FOR.map((why) => [why, is.COUNT])) as Record<
    (typeof SKIPPED_FOR)[number],
    typeof is.COUNT
  >,
);

export const RETRIED = object('how many deliveries were retried', {
  retried: is.COUNT,
  skipped: is.COUNT,
  skipped_for: is.shape('How many were skipped, by the reason.', COUNTS),
});
export type RetriedView = Infer<typeof RETRIED>;

export function retriedView({ retried, skipped }: RetriedAll): RetriedView {
  const counts = [...skipped.values()];
  return {
    retried: retried.length,
    skipped: counts.reduce((sum, count) => sum + count, 0),
    skipped_for: Object.fromEntries(skipped),
  };
}
