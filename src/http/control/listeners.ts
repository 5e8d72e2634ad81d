import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { ATTEMPT_ERRORS, EVENT_TYPES } from '../../contract/enums.js';
import type { DeliveryFaultAction } from '../../contract/fault-kinds.js';
import { LIMITS, RETRY_SCHEDULES } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { DAY_MS, isoTime } from '../../contract/time.js';
import type { Effect } from '../../core/effects.js';
import { appOrDefault } from '../../core/identity/applications.js';
import { body as bodyOf } from '../../core/input/bodies.js';
import { choices, duration, NAME, PAIRS, RAW_TEXT, text, wholeNumber } from '../../core/input/kinds.js';
import { lookUp } from '../../core/named-rows.js';
import { checkNameFree, findEndpoint } from '../../core/webhooks/endpoints.js';
import { COUNT_MAX, STATUS_MAX, STATUS_MIN } from '../../core/rows.js';
import { LISTENER_FAULT } from '../../core/webhooks/fault-input.js';
import type { AttemptResponse, AttemptResult } from '../../delivery/http-attempt.js';
import type { ListenerConnection } from '../../sandbox/connect-listener.js';
import { connectListener } from '../../sandbox/connect-listener.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { ReceivedAttempt } from '../../sandbox/test-receiver.js';
import { list, choose, either } from '../../schema/compound.js';
import { isObject, named, nullable, nullish, object, type ValuesOf } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import { flag, keyOf, map, number, always, described, oneOf, whole } from '../../schema/values.js';
import { LISTENER_NAME, LISTENER_NAME_LENGTH } from '../../text/listener-name.js';
import type { DoorContext, Answer } from '../operation/answer.js';
import type { Unrouted } from '../operation/fallbacks.js';
import { waitFor } from '../operation/until.js';
import type { EventStream } from '../streams/sse.js';
import { eventStream, onceKept } from '../streams/sse.js';
import { endpointView, ENDPOINT_VIEW } from './apps.js';
import { callView } from './calls.js';
import type { ControlRequest, ControlRoute, OfApp } from './control.js';
import { OF_APP, ok, route } from './control.js';
import { deliveryLine, eventLine } from './events.js';
import { checkCanRestart } from './faults.js';
import { sessionLine } from './identity.js';
import { verdictView } from './verdict.js';
import { chargeView, withdrawalView } from './payments.js';

type Shown = Exclude<Effect['type'], Unshown>;
type Unshown = (typeof UNSHOWN)[number];
type Views = { readonly [Type in Shown]: (effect: Extract<Effect, { readonly type: Type }>) => object };

/** The timeline says that retention dropped something. */
const UNSHOWN = ['due', 'attempt.ended', 'dropped'] as const;

/** The messages for effects; that of a delivery covers the end of an attempt. */
function effectViews(sandbox: Sandbox): Views {
  return {
    charge: ({ charge }) => ({ charge: chargeView(charge) }),
    withdrawal: ({ withdrawal }) => ({ withdrawal: withdrawalView(withdrawal) }),
    endpoint: ({ change, endpoint }) => ({ change, endpoint: endpointView(endpoint) }),
    event: ({ event }) => ({ event: eventLine(event) }),
    attempt: ({ delivery, number }) => ({ delivery_id: delivery.id, attempt: number }),
    delivery: ({ delivery }) => ({ delivery: deliveryLine(sandbox, delivery) }),
    session: ({ session }) => ({ session: sessionLine(sandbox, session) }),
  };
}

function isShown(type: Effect['type']): type is Shown {
  return !UNSHOWN.some((one) => one === type);
}

/** Long enough for any breakpoint, and within the range of a timer. */
const TIMEOUT = duration({ leastMs: 1, mostMs: DAY_MS, example: '10s' });
const MOST_AT_A_TIME = LIMITS.attemptsInFlightPerEndpoint;

const REGISTRATION = bodyOf({
  name: nullish(text(LISTENER_NAME_LENGTH, LISTENER_NAME), 'listener'),
  events: nullish(choices(EVENT_TYPES), EVENT_TYPES),
  timeoutMs: named('timeout', nullish(TIMEOUT, LIMITS.attemptTimeoutMs)),
  schedule: named('retries', nullish(keyOf(RETRY_SCHEDULES), 'real' as const)),
  concurrency: nullish(wholeNumber(1, MOST_AT_A_TIME), MOST_AT_A_TIME),
  /** Whether what was held for it fails. */
  fresh: nullish(flag, false),
  faults: nullish(list(LISTENER_FAULT, { most: LIMITS.faults }), []),
  /** The target it forwards to, as free text. */
  description: nullish(
    map(RAW_TEXT, (words) => words.slice(0, LIMITS.descriptionLength).replace(/\p{Cs}$/u, '')),
    null,
  ),
});

type Registration = Infer<typeof REGISTRATION>;

/** POST listeners: a `listen` connects, gets its id and secret, and from then on its attempts. */
function streamListener(request: ControlRequest<Registration, OfApp>): Response {
  const { sandbox, context, body: registration, query } = request;
  const app = appOrDefault(sandbox.world, query.app);
  checkNameFree(sandbox.world, app.id, registration.name);
  checkCanRestart(sandbox, registration.faults);
  return eventStream(context, (stream) => {
    let registered = register(sandbox, app.id, registration, stream);
    return [
      sandbox.onReset(() => {
        registered.forget();
        registered = register(sandbox, app.id, { ...registration, fresh: false }, stream);
      }),
      sandbox.onClose(stream.close),
      tellSimulated(sandbox, (id) => id === registered.endpointId, stream.send),
      () => registered.end(),
    ];
  });
}

/** Registers it with its application, or with the default one after a reset that removed it. */
function register(
  sandbox: Sandbox,
  appId: string,
  listener: Registration,
  stream: EventStream,
): ListenerConnection {
  const app = appOrDefault(sandbox.world, sandbox.world.apps.byId.has(appId) ? appId : undefined);
  const { webhookSecret: secret } = sandbox.credentials;
  return connectListener(
    sandbox,
    app.id,
    { ...listener, secret },
    {
      onConnected: ({ endpoint, held }) => {
        const counts = listener.fresh
          ? { released: 0, failed: held.length }
          : { released: held.length, failed: 0 };
        stream.send({ type: 'ready', listener: endpointView(endpoint), secret: endpoint.secret, ...counts });
      },
      send: (attempt) => stream.send({ type: 'attempt', ...attempt }),
    },
  );
}

/** The former way to connect a listener, refused because a GET must not change anything. */
export const FORMER_LISTENER_PATH = 'listeners/stream';

export function refuseFormerListener({ req }: DoorContext): Unrouted {
  const message = `${req.method} is not possible here: a listener connects by POST /_sandbox/listeners.`;
  const hint = 'Send name, events and the rest as JSON; the answer is the stream.';
  return { refusal: new Refusal('METHOD_NOT_ALLOWED', message, { hint }), headers: { allow: 'POST' } };
}

const RESULT_STATUS = wholeNumber(100, 999);
const TEXT_LENGTH = 2_000;
const LATENCY_MAX_MS = 86_400_000;

/** Error messages of the system may hold any character, so only their length is limited. */
const MACHINE_TEXT = map(RAW_TEXT, (text) => text.slice(0, TEXT_LENGTH));

/** POST listeners/{id}/results: the delivery after the result; 409 when the attempt was already decided. */
export async function takeResult(request: ControlRequest<Infer<typeof RESULT>>): Promise<Answer> {
  const { sandbox, param, body } = request;
  const { attemptId, result } = body;
  const endpoint = lookUp(sandbox.world, 'endpoint', param('id'));
  if (!sandbox.listeners.answer(endpoint.id, attemptId, result)) {
    throw new Refusal(
      'INVALID_TRANSITION',
      `The attempt ${attemptId} is not open: its result came too late.`,
    );
  }
  const delivery = sandbox.world.deliveries.byId.get(attemptId.split('.')[0] ?? '');
  if (delivery === undefined) return ok({ delivery: null });
  // A fault may prolong the attempt; that is not waited for.
  const timeoutMs = delivery.faults.length > 0 ? 0 : LIMITS.attemptTimeoutMs;
  const isOver = (effect: Effect) => effect.type === 'delivery' && effect.delivery === delivery;
  await waitFor(sandbox, { timeoutMs }, (effects) => effects.some(isOver) || undefined);
  return ok({ delivery: deliveryLine(sandbox, delivery) });
}

const RESULT_FIELDS = {
  attemptId: named('attempt_id', NAME),
  status: named('response_status', nullish(RESULT_STATUS, null)),
  latencyMs: named(
    'latency_ms',
    nullish(number(`a number from 0 to ${LATENCY_MAX_MS}`, { least: 0, most: LATENCY_MAX_MS }), 0),
  ),
  error: nullish(keyOf(ATTEMPT_ERRORS), null),
  detail: nullish(MACHINE_TEXT, null),
  bodyError: named('body_error', nullish(MACHINE_TEXT, null)),
  headers: named('response_headers', nullish(PAIRS, [])),
  body: named('response_body', nullish(RAW_TEXT, null)),
  truncated: nullish(flag, false),
};
type Reported = ValuesOf<typeof RESULT_FIELDS>;

/** What a listener reports of an attempt: as `deliveries/{id}` shows it, with the answer's body in base64. */
export const RESULT = map(
  bodyOf(RESULT_FIELDS, { rules: [{ of: ['error', 'status'], problem: errorProblem }] }),
  ({ attemptId, headers, body, truncated, ...result }): { attemptId: string; result: AttemptResult } => ({
    attemptId,
    result: { ...result, response: body === null ? null : responseOf(headers, body, truncated) },
  }),
);

/** Only a 2xx is a success: an error that contradicts the status would reverse the outcome of the delivery. */
function errorProblem({ error, status }: Reported): string | undefined {
  const isSuccess = status !== null && status >= 200 && status < 300;
  if (isSuccess === (error === null)) return undefined;
  if (isSuccess) return `Must be null for the status ${status}.`;
  return `Is required without a 2xx response_status: one of ${RESULT_FIELDS.error.known?.join(', ')}.`;
}

function responseOf(headers: [string, string][], body: string, truncated: boolean): AttemptResponse {
  const bytes = Buffer.from(body, 'base64');
  return {
    headers,
    body: bytes.subarray(0, LIMITS.responseBytes),
    truncated: truncated || bytes.length > LIMITS.responseBytes,
  };
}

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

export const LISTENER_ROUTES: readonly ControlRoute[] = [
  // Everything as it happens.
  route('GET', 'stream', {}, ({ sandbox, context }) => {
    const views = effectViews(sandbox);
    return eventStream(context, (client) => {
      const { send, close } = onceKept(sandbox, client);
      send({ type: 'ready', now: isoTime(sandbox.clock.now()) });
      return [
        sandbox.subscribe((effects, at) => {
          for (const effect of effects) {
            if (!isShown(effect.type)) continue;
            const view = views[effect.type] as (shown: Effect) => object;
            send({ at: isoTime(at), type: effect.type, ...view(effect) });
          }
        }),
        sandbox.calls.subscribe((call) => send({ type: 'call', call: callView(call) })),
        sandbox.onReset(() => send({ type: 'reset' })),
        sandbox.onClose(close),
      ];
    });
  }),
  route('POST', 'listeners', { query: OF_APP, body: REGISTRATION }, streamListener),
  // A listener that leaves gets nothing new, and may still report what is in flight.
  route('POST', 'listeners/:id/leave', {}, ({ sandbox, param }) => {
    const { id } = findEndpoint(sandbox.world, param('id'));
    return ok({ held: sandbox.dispatch({ type: 'listener.lose', endpointId: id }).length });
  }),
  route('POST', 'listeners/:id/results', { body: RESULT }, takeResult),
  route('GET', 'receiver', {}, ({ sandbox }) => ok(receiverView(sandbox))),
  route('POST', 'receiver', { body: TOLD }, ({ sandbox, body: { answer } }) => {
    sandbox.testReceiver.turnOn(answer);
    return ok(receiverView(sandbox));
  }),
  route('DELETE', 'receiver', {}, ({ sandbox }) => ok({ held: sandbox.testReceiver.turnOff() })),
];
