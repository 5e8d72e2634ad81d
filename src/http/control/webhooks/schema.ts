import { EVENT_TYPES } from '../../../contract/events.js';
import * as service from '../../../core/resources/resources.js';
import * as is from '../../../core/resources/values.js';
import { choose, either } from '../../../schema/compound.js';
import { nullable } from '../../../schema/fields.js';
import { isObject, object } from '../../../schema/object.js';
import type { Infer, Schema } from '../../../schema/schema.js';
import { always, described, oneOf, whole } from '../../../schema/values.js';
import { ENDPOINT_VIEW } from '../schema.js';

const VERDICT = is.shape('Whether its signature holds; secret and signature count from 1.', {
  ok: is.BOOLEAN,
  cause: nullable(is.TEXT),
  message: nullable(is.TEXT),
  secret: nullable(is.COUNT),
  signature: nullable(is.COUNT),
  age_s: nullable(whole('seconds')),
});
const RECEIVED = is.shape('An attempt that the test receiver got.', {
  event_type: described('Null for an id that is not of an event here.', nullable(oneOf(EVENT_TYPES))),
  webhook_id: is.TEXT,
  delivery_id: is.UUID,
  attempt: is.COUNT,
  received_at: is.INSTANT,
  verdict: VERDICT,
  response_status: described('Null for a timeout.', nullable(service.STATUS_CODE)),
  body: is.TEXT,
});
export type ReceivedView = Infer<typeof RECEIVED>;

/** Answers of the test receiver that fail for a while: a number of attempts, or of deliveries. */
export function failing(count: Schema<number>) {
  const attempts = object('a number of attempts', { fail: count });
  const deliveries = object('a number of deliveries', { refuse: count });
  return choose('a number of attempts or deliveries', [attempts, deliveries], (value) =>
    isObject(value) && 'refuse' in value ? deliveries : attempts,
  );
}

export const RECEIVER = is.resource('Receiver', 'The test receiver and what came, newest last.', {
  on: is.BOOLEAN,
  answer: described(
    'What the next new delivery gets; null while it is off.',
    nullable(
      either([
        whole('a status', { least: 200, most: 599 }),
        always('timeout'),
        failing(whole('a count', { least: 1 })),
      ]),
    ),
  ),
  endpoint: nullable(ENDPOINT_VIEW),
  received: is.listOf(RECEIVED),
});
export type ReceiverView = Infer<typeof RECEIVER>;
