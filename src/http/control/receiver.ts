import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { isoTime } from '../../contract/time.js';
import { body as bodyOf } from '../../core/input/body.js';
import { wholeNumber } from '../../core/input/kinds.js';
import { COUNT_MAX, STATUS_MAX, STATUS_MIN } from '../../core/webhooks/fault-input.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { ReceivedAttempt } from '../../sandbox/test-receiver.js';
import { choose, either } from '../../schema/compound.js';
import { nullable, nullish } from '../../schema/fields.js';
import { isObject, object } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import { always, described, oneOf, whole } from '../../schema/values.js';
import type { WebhookVerdict } from '../../signing/webhook.js';
import { ENDPOINT_VIEW, endpointView } from './apps.js';
import type { ControlRoute } from './control.js';
import { ok, route } from './control.js';

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

const ANSWER = either(
  [wholeNumber(STATUS_MIN, STATUS_MAX), always('timeout'), failing(wholeNumber(1, COUNT_MAX))],
  `a status from ${STATUS_MIN} to ${STATUS_MAX}, "timeout", {"fail": n} or {"refuse": n}`,
);
const TOLD = bodyOf({ answer: nullish(ANSWER, 200) });

function receivedView(received: ReceivedAttempt): ReceivedView {
  return {
    event_type: received.eventType,
    webhook_id: received.webhookId,
    delivery_id: received.deliveryId,
    attempt: received.attempt,
    received_at: isoTime(received.receivedAt),
    verdict: verdictView(received.verdict),
    response_status: received.status,
    body: received.body,
  };
}

function receiverView({ testReceiver: { endpoint, answer, received } }: Sandbox): ReceiverView {
  return {
    on: endpoint !== undefined,
    answer: endpoint === undefined ? null : answer,
    endpoint: endpoint === undefined ? null : endpointView(endpoint),
    received: received.map(receivedView),
  };
}

export const RECEIVER_ROUTES: readonly ControlRoute[] = [
  route('GET', 'receiver', {}, ({ sandbox }) => ok(receiverView(sandbox))),
  route('POST', 'receiver', { body: TOLD }, ({ sandbox, body: { answer } }) => {
    sandbox.testReceiver.turnOn(answer);
    return ok(receiverView(sandbox));
  }),
  route('DELETE', 'receiver', {}, ({ sandbox }) => ok({ held: sandbox.testReceiver.turnOff() })),
];

/** A verdict as the control API and `verify` show it; secrets and signatures count from 1. */
export function verdictView(verdict: WebhookVerdict) {
  const outcome = verdict.ok
    ? { cause: null, message: null, secret: verdict.secretIndex + 1, signature: verdict.signatureIndex + 1 }
    : { cause: verdict.cause, message: verdict.message, secret: null, signature: null };
  return { ok: verdict.ok, ...outcome, age_s: 'ageS' in verdict ? verdict.ageS : null };
}
