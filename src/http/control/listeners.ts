import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { ATTEMPT_ERRORS, EVENT_TYPES } from '../../contract/enums.js';
import { DELIVERY_FAULTS, replacesOutcome } from '../../contract/fault-kinds.js';
import { LIMITS, RETRY_SCHEDULES } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { DAY_MS } from '../../contract/time.js';
import type { Effect } from '../../core/effects.js';
import { findAppOrDefault } from '../../core/identity/applications.js';
import { createBodySchema as bodyOf } from '../../core/input/bodies.js';
import {
  acceptChoices,
  acceptDuration,
  NAME_INPUT,
  PAIR_LIST,
  RAW_TEXT,
  acceptText as wordsOf,
  integerRange,
} from '../../core/input/kinds.js';
import { createPresenter } from '../../core/resources/serialize.js';
import { checkNameFree, findEndpoint } from '../../core/webhooks/endpoints.js';
import { COUNT_MAX, STATUS_MAX, STATUS_MIN } from '../../core/rows.js';
import { ON_DELIVERY } from '../../core/webhooks/faults.js';
import type { AttemptResult } from '../../delivery/http-attempt.js';
import type { ListenerAttempt } from '../../delivery/listener-hub.js';
import { maintainConnection } from '../../sandbox/connect-listener.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { oneOf, union, array, record, unionBy } from '../../schema/compound.js';
import {
  isObject,
  renameField,
  nullable,
  nullish,
  object,
  optional,
  type ValuesOf,
} from '../../schema/object.js';
import { nameSchema, type Infer } from '../../schema/schema.js';
import {
  literal,
  withDoc,
  boolean,
  deriveKey,
  mapValue,
  number,
  enumOf,
  text,
  integer,
} from '../../schema/values.js';
import { LISTENER_NAME_FORM, LISTENER_NAME_LENGTH } from '../../text/listener-name.js';
import { waitForEffect } from '../shared/wait-for-milestone.js';
import { createEventStream } from '../streams/sse.js';
import { DELIVERY_LINE, presentDeliveryLine } from './exchanges.js';
import { checkCanRestart } from './faults.js';
import {
  type AppQuery,
  type ControlRequest,
  defineDelete,
  defineGet,
  APP_QUERY,
  definePost,
} from './route.js';
import { ENDPOINT_VIEW, presentEndpointView } from './schema.js';
import { presentVerdict } from './verdict.js';

const ATTEMPT = {
  attempt_id: is.TEXT,
  delivery_id: is.UUID,
  attempt: is.COUNT,
  headers: record(is.TEXT),
  body: text('a body', undefined, { contentEncoding: 'base64' }),
  timeout_ms: is.COUNT,
  forged: optional(
    withDoc(
      'A forged attempt with an invalid signature and no delivery; the receiver must reject it.',
      literal(true),
    ),
  ),
} satisfies Record<keyof ListenerAttempt, unknown>;

export const LISTENER_MESSAGE = nameSchema(
  'ListenerMessage',
  unionBy('a message', 'type', [
    object('the first message', {
      type: literal('ready'),
      listener: ENDPOINT_VIEW,
      secret: service.ENDPOINT_SECRET,
      released: is.COUNT,
      failed: is.COUNT,
    }),
    object('an attempt', { type: literal('attempt'), ...ATTEMPT }),
    object('an attempt replaced by a fault', {
      type: literal('simulated'),
      action: deriveKey(DELIVERY_FAULTS),
      attempt: is.COUNT,
      delivery: DELIVERY_LINE,
    }),
  ]),
);
type Message = Infer<typeof LISTENER_MESSAGE>;

/** Allows long pauses at breakpoints and stays below the maximum timer delay. */
const TIMEOUT = acceptDuration({ minMs: 1, maxMs: DAY_MS, example: '10s' });
const MOST_AT_A_TIME = LIMITS.attemptsInFlightPerEndpoint;

const REGISTRATION = bodyOf({
  name: nullish(wordsOf(LISTENER_NAME_LENGTH, LISTENER_NAME_FORM), 'listener'),
  events: nullish(acceptChoices(EVENT_TYPES), EVENT_TYPES),
  timeoutMs: renameField('timeout', nullish(TIMEOUT, LIMITS.attemptTimeoutMs)),
  schedule: renameField('retries', nullish(deriveKey(RETRY_SCHEDULES), 'real' as const)),
  concurrency: nullish(integerRange(1, MOST_AT_A_TIME), MOST_AT_A_TIME),
  /** Fails held deliveries instead of sending them. */
  fresh: nullish(boolean, false),
  faults: nullish(array(ON_DELIVERY, { max: LIMITS.faults }), []),
  /** Free-text forward target. */
  description: nullish(
    mapValue(RAW_TEXT, (words) => words.slice(0, LIMITS.descriptionLength).replace(/\p{Cs}$/u, '')),
    null,
  ),
});

type Registration = Infer<typeof REGISTRATION>;

/** Handles POST listeners: streams the listener's id, secret and attempts to `listen`. */
function streamListener({ sandbox, context, body, query }: ControlRequest<Registration, AppQuery>): Response {
  const { id: appId } = findAppOrDefault(sandbox.world, query.app);
  checkNameFree(sandbox.world, appId, body.name);
  checkCanRestart(sandbox, body.faults);
  return createEventStream(context, (stream) => {
    const send = (message: Message) => stream.send(message);
    const connection = maintainConnection(
      sandbox,
      body,
      {
        onConnected: ({ endpoint, held: { length } }, isFresh) => {
          const fails = body.fresh && isFresh === undefined;
          const counts = fails ? { released: 0, failed: length } : { released: length, failed: 0 };
          send({
            type: 'ready',
            listener: presentEndpointView(endpoint),
            secret: endpoint.secret,
            ...counts,
          });
        },
        send: (attempt) => send({ type: 'attempt', ...attempt }),
      },
      appId,
    );
    const sendSimulated = (effects: readonly Effect[]) => {
      for (const effect of effects) {
        if (effect.type !== 'attempt.ended') continue;
        const { delivery, attempt } = effect;
        const fault = attempt.faults?.find(replacesOutcome);
        if (fault === undefined || delivery.endpointId !== connection.endpointId) continue;
        const { action } = fault;
        send({
          type: 'simulated',
          action,
          attempt: attempt.number,
          delivery: presentDeliveryLine(sandbox, delivery),
        });
      }
    };
    return [sandbox.onClose(stream.close), sandbox.subscribe(sendSimulated), connection.end];
  });
}

const LATENCY_MAX_MS = 86_400_000;

/** Limits only the length, because system error messages can contain any character. */
const MACHINE_TEXT = mapValue(RAW_TEXT, (message) => message.slice(0, 2_000));

const RESULT_FIELDS = {
  attemptId: renameField('attempt_id', NAME_INPUT),
  status: renameField('response_status', nullish(integerRange(100, 999), null)),
  latencyMs: renameField(
    'latency_ms',
    nullish(number(`a number from 0 to ${LATENCY_MAX_MS}`, { min: 0, max: LATENCY_MAX_MS }), 0),
  ),
  error: nullish(deriveKey(ATTEMPT_ERRORS), null),
  detail: nullish(MACHINE_TEXT, null),
  bodyError: renameField('body_error', nullish(MACHINE_TEXT, null)),
  headers: renameField('response_headers', nullish(PAIR_LIST, [])),
  body: renameField('response_body', nullish(RAW_TEXT, null)),
  truncated: nullish(boolean, false),
};

/** Rejects an error that contradicts the status, because the error would reverse the delivery outcome. */
function errorProblem({ error, status }: ValuesOf<typeof RESULT_FIELDS>): string | undefined {
  const isSuccess = status !== null && status >= 200 && status < 300;
  if (isSuccess === (error === null)) return undefined;
  if (isSuccess) return `Must be null for status ${status}.`;
  return `Is required without a 2xx response_status; use one of ${RESULT_FIELDS.error.known?.join(', ')}.`;
}

/** A listener's attempt result; the response body is base64. */
const RESULT = bodyOf(RESULT_FIELDS, { rules: [{ of: ['error', 'status'], problem: errorProblem }] });

/**
 * Handles POST listeners/{id}/results. Returns the updated delivery, or 409 if the attempt has already ended.
 */
async function handleResult({ sandbox, row, body: report }: ControlRequest<Infer<typeof RESULT>>) {
  const { attemptId, headers, body: base64, truncated, ...outcome } = report;
  const bytes = Buffer.from(base64 ?? '', 'base64');
  const isCut = truncated || bytes.length > LIMITS.responseBytes;
  const response = { headers, body: bytes.subarray(0, LIMITS.responseBytes), truncated: isCut };
  const result: AttemptResult = { ...outcome, response: base64 === null ? null : response };
  const endpoint = row('endpoint');
  if (!sandbox.listeners.reply(endpoint.id, attemptId, result)) {
    const message = `Attempt ${attemptId} is not open; its result arrived too late.`;
    throw new Refusal('INVALID_TRANSITION', message);
  }
  const delivery = sandbox.world.deliveries.byId.get(attemptId.split('.')[0] ?? '');
  if (delivery === undefined) return { delivery: null };
  // Do not wait if a fault can prolong the attempt.
  const timeoutMs = delivery.faults.length > 0 ? 0 : LIMITS.attemptTimeoutMs;
  const isOver = (effect: Effect) => effect.type === 'delivery' && effect.delivery === delivery;
  await waitForEffect(sandbox, { timeoutMs }, (effects) => effects.some(isOver) || undefined);
  return { delivery: presentDeliveryLine(sandbox, delivery) };
}

const VERDICT = is.createObjectSchema(
  'The signature verdict. `secret` and `signature` are 1-based indexes.',
  {
    ok: is.BOOLEAN,
    cause: nullable(is.TEXT),
    message: nullable(is.TEXT),
    secret: nullable(is.COUNT),
    signature: nullable(is.COUNT),
    age_s: nullable(integer('seconds')),
  },
);
const RECEIVED = is.createObjectSchema('An attempt received by the test receiver.', {
  event_type: withDoc('Null for an unknown event id.', nullable(enumOf(EVENT_TYPES))),
  webhook_id: is.TEXT,
  delivery_id: is.UUID,
  attempt: is.COUNT,
  received_at: is.INSTANT,
  verdict: VERDICT,
  response_status: withDoc('Null for a timeout.', nullable(service.STATUS_CODE)),
  body: is.TEXT,
});

/** Failure modes: fail the next attempts, or all scheduled attempts of the next deliveries. */
const FAILURES = [
  object('a number of attempts', { fail: integerRange(1, COUNT_MAX) }),
  object('a number of deliveries', { refuse: integerRange(1, COUNT_MAX) }),
] as const;
const FAILING = oneOf('a number of attempts or deliveries', FAILURES, (value) =>
  isObject(value) && 'refuse' in value ? FAILURES[1] : FAILURES[0],
);
const REPLY = union(
  [integerRange(STATUS_MIN, STATUS_MAX), literal('timeout'), FAILING],
  `a status from ${STATUS_MIN} to ${STATUS_MAX}, "timeout", {"fail": n} or {"refuse": n}`,
);

export const RECEIVER_VIEW = is.createResourceSchema(
  'Receiver',
  'The test receiver and its attempts, newest last.',
  {
    on: is.BOOLEAN,
    answer: withDoc('The reply to the next new delivery; null while the receiver is off.', nullable(REPLY)),
    endpoint: nullable(ENDPOINT_VIEW),
    received: is.arrayOf(RECEIVED),
  },
);
export type ReceiverView = Infer<typeof RECEIVER_VIEW>;

const writeReceived = createPresenter(RECEIVED);

function receiverView({ testReceiver: { endpoint, answer, received } }: Sandbox): ReceiverView {
  return {
    on: endpoint !== undefined,
    answer: endpoint === undefined ? null : answer,
    endpoint: endpoint === undefined ? null : presentEndpointView(endpoint),
    received: received.map((one) =>
      writeReceived(one, { verdict: presentVerdict(one.verdict), response_status: one.status }),
    ),
  };
}

export const LISTENER_ROUTES = [
  definePost(
    'listeners',
    'Connect as a listener and receive delivery attempts, like `listen`.',
    { messages: LISTENER_MESSAGE },
    { query: APP_QUERY, body: REGISTRATION, errors: ['ENDPOINT_ALREADY_EXISTS'] },
  )(streamListener),
  definePost(
    'listeners/:id/leave',
    'Disconnect a listener and hold its deliveries.',
    { held: is.COUNT },
    {
      description:
        'The listener gets no new attempts. It can still report attempts in flight; other attempts are held ' +
        'until the listener reconnects with the same name.',
    },
  )(({ sandbox, param }) => {
    const { id } = findEndpoint(sandbox.world, param('id'));
    return { held: sandbox.dispatch({ type: 'listener.lose', endpointId: id }).length };
  }),
  definePost(
    'listeners/:id/results',
    'Report the result of an attempt.',
    { delivery: nullable(DELIVERY_LINE) },
    { body: RESULT, errors: ['INVALID_TRANSITION'] },
  )(handleResult),
  defineGet(
    'receiver',
    `Get the test receiver and its ${LIMITS.receiverKept} newest attempts.`,
    RECEIVER_VIEW,
  )(({ sandbox }) => receiverView(sandbox)),
  definePost('receiver', 'Turn on the test receiver, or change its reply.', RECEIVER_VIEW, {
    body: { answer: nullish(REPLY, 200) },
    errors: ['ENDPOINT_ALREADY_EXISTS'],
    description:
      'The test receiver is a built-in listener named `test-receiver` for every event of the default ' +
      'application. It verifies each attempt and sends the configured reply: a status (200 by default), ' +
      '`timeout` for an immediate timeout, `fail` for 500 to the next n attempts and then 200, or `refuse` ' +
      'for 500 to every scheduled attempt of the next n deliveries, which become dead letters. With `refuse`, ' +
      'other deliveries and manual retries get 200. An invalid signature changes only the verdict.',
  })(({ sandbox, body: { answer } }) => {
    sandbox.testReceiver.turnOn(answer);
    return receiverView(sandbox);
  }),
  defineDelete(
    'receiver',
    'Turn off the test receiver and hold its pending deliveries until it is turned on again.',
    {
      held: is.COUNT,
    },
  )(({ sandbox }) => ({ held: sandbox.testReceiver.turnOff() })),
];
