import { body as bodyOf } from '../../../core/input/body.js';
import { wholeNumber } from '../../../core/input/kinds.js';
import { COUNT_MAX, STATUS_MAX, STATUS_MIN } from '../../../core/webhooks/fault-input.js';
import { isoTime } from '../../../contract/time.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { ReceivedAttempt } from '../../../sandbox/test-receiver.js';
import { either } from '../../../schema/compound.js';
import { nullish } from '../../../schema/fields.js';
import { always } from '../../../schema/values.js';
import type { ControlRoute } from '../control.js';
import { ok, route } from '../control.js';
import type { ReceivedView, ReceiverView } from './schema.js';
import { failing } from './schema.js';
import { endpointView } from '../views.js';
import { verdictView } from './verdict-view.js';

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

/** Routes of the test receiver. */
export const RECEIVER_ROUTES: readonly ControlRoute[] = [
  route('GET', 'receiver', {}, ({ sandbox }) => ok(receiverView(sandbox))),
  route('POST', 'receiver', { body: TOLD }, ({ sandbox, body: { answer } }) => {
    sandbox.testReceiver.turnOn(answer);
    return ok(receiverView(sandbox));
  }),
  route('DELETE', 'receiver', {}, ({ sandbox }) => ok({ held: sandbox.testReceiver.turnOff() })),
];
