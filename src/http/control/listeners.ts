import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { ATTEMPT_ERRORS, EVENT_TYPES } from '../../contract/enums.js';
import { DELIVERY_FAULTS, replacesOutcome } from '../../contract/fault-kinds.js';
import { LIMITS, RETRY_SCHEDULES } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import { DAY_MS } from '../../contract/time.js';
import type { Effect } from '../../core/effects.js';
import { findAppOrDefault } from '../../core/identity/applications.js';
import { bodySchema as bodyOf } from '../../core/input/bodies.js';
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
import { stayConnected } from '../../sandbox/connect-listener.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { oneOf, union, array, record, discriminatedUnion } from '../../schema/compound.js';
import {
  isObject,
  renamed,
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
  keyOf,
  mapValue,
  number,
  enumOf,
  text,
  integer,
} from '../../schema/values.js';
import { LISTENER_NAME, LISTENER_NAME_LENGTH } from '../../text/listener-name.js';
import { waitForEffect } from '../shared/wait-for-milestone.js';
import { createEventStream } from '../streams/sse.js';
import { DELIVERY_LINE, presentDeliveryLine } from './exchanges.js';
import { checkCanRestart } from './faults.js';
import { type AppQuery, type ControlRequest, del, get, APP_QUERY, post } from './route.js';
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
    withDoc('A copy with a wrong signature, which belongs to no delivery: refuse it.', literal(true)),
  ),
} satisfies Record<keyof ListenerAttempt, unknown>;

export const LISTENER_MESSAGE = nameSchema(
  'ListenerMessage',
  discriminatedUnion('a message', 'type', [
    object('the first message', {
      type: literal('ready'),
      listener: ENDPOINT_VIEW,
      secret: service.SECRET,
      released: is.COUNT,
      failed: is.COUNT,
    }),
    object('an attempt', { type: literal('attempt'), ...ATTEMPT }),
    object('an attempt that met a fault instead', {
      type: literal('simulated'),
      action: keyOf(DELIVERY_FAULTS),
      attempt: is.COUNT,
      delivery: DELIVERY_LINE,
    }),
  ]),
);
type Message = Infer<typeof LISTENER_MESSAGE>;

/** Long enough for any breakpoint, and within the range of a timer. */
const TIMEOUT = acceptDuration({ minMs: 1, maxMs: DAY_MS, example: '10s' });
const MOST_AT_A_TIME = LIMITS.attemptsInFlightPerEndpoint;

const REGISTRATION = bodyOf({
  name: nullish(wordsOf(LISTENER_NAME_LENGTH, LISTENER_NAME), 'listener'),
  events: nullish(acceptChoices(EVENT_TYPES), EVENT_TYPES),
  timeoutMs: renamed('timeout', nullish(TIMEOUT, LIMITS.attemptTimeoutMs)),
  schedule: renamed('retries', nullish(keyOf(RETRY_SCHEDULES), 'real' as const)),
  concurrency: nullish(integerRange(1, MOST_AT_A_TIME), MOST_AT_A_TIME),
  /** True to fail its held deliveries. */
  fresh: nullish(boolean, false),
  faults: nullish(array(ON_DELIVERY, { max: LIMITS.faults }), []),
  /** The target it forwards to, as free text. */
  description: nullish(
    mapValue(RAW_TEXT, (words) => words.slice(0, LIMITS.descriptionLength).replace(/\p{Cs}$/u, '')),
    null,
  ),
});

type Registration = Infer<typeof REGISTRATION>;

/** POST listeners: a `listen` connects, gets its id and secret, and from then on its attempts. */
function streamListener({ sandbox, context, body, query }: ControlRequest<Registration, AppQuery>): Response {
  const { id: appId } = findAppOrDefault(sandbox.world, query.app);
  checkNameFree(sandbox.world, appId, body.name);
  checkCanRestart(sandbox, body.faults);
  return createEventStream(context, (stream) => {
    const send = (message: Message) => stream.send(message);
    const connection = stayConnected(
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
    const tellSimulated = (effects: readonly Effect[]) => {
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
    return [sandbox.onClose(stream.close), sandbox.subscribe(tellSimulated), connection.end];
  });
}

const LATENCY_MAX_MS = 86_400_000;

/** Error messages of the system may hold any character, so only their length is limited. */
const MACHINE_TEXT = mapValue(RAW_TEXT, (message) => message.slice(0, 2_000));

const RESULT_FIELDS = {
  attemptId: renamed('attempt_id', NAME_INPUT),
  status: renamed('response_status', nullish(integerRange(100, 999), null)),
  latencyMs: renamed(
    'latency_ms',
    nullish(number(`a number from 0 to ${LATENCY_MAX_MS}`, { min: 0, max: LATENCY_MAX_MS }), 0),
  ),
  error: nullish(keyOf(ATTEMPT_ERRORS), null),
  detail: nullish(MACHINE_TEXT, null),
  bodyError: renamed('body_error', nullish(MACHINE_TEXT, null)),
  headers: renamed('response_headers', nullish(PAIR_LIST, [])),
  body: renamed('response_body', nullish(RAW_TEXT, null)),
  truncated: nullish(boolean, false),
};

/** Only a 2xx is a success: an error that contradicts the status would reverse the outcome of the delivery. */
function errorProblem({ error, status }: ValuesOf<typeof RESULT_FIELDS>): string | undefined {
  const isSuccess = status !== null && status >= 200 && status < 300;
  if (isSuccess === (error === null)) return undefined;
  if (isSuccess) return `Must be null for the status ${status}.`;
  return `Is required without a 2xx response_status: one of ${RESULT_FIELDS.error.known?.join(', ')}.`;
}

/** A listener's report on an attempt: as `deliveries/{id}` shows it, with the response body in base64. */
const RESULT = bodyOf(RESULT_FIELDS, { rules: [{ of: ['error', 'status'], problem: errorProblem }] });

/** POST listeners/{id}/results: the delivery after the result; 409 when the attempt was already decided. */
async function takeResult({ sandbox, row, body: report }: ControlRequest<Infer<typeof RESULT>>) {
  const { attemptId, headers, body: base64, truncated, ...outcome } = report;
  const bytes = Buffer.from(base64 ?? '', 'base64');
  const isCut = truncated || bytes.length > LIMITS.responseBytes;
  const response = { headers, body: bytes.subarray(0, LIMITS.responseBytes), truncated: isCut };
  const result: AttemptResult = { ...outcome, response: base64 === null ? null : response };
  const endpoint = row('endpoint');
  if (!sandbox.listeners.reply(endpoint.id, attemptId, result)) {
    const message = `The attempt ${attemptId} is not open: its result came too late.`;
    throw new Refusal('INVALID_TRANSITION', message);
  }
  const delivery = sandbox.world.deliveries.byId.get(attemptId.split('.')[0] ?? '');
  if (delivery === undefined) return { delivery: null };
  // A fault may prolong the attempt; that is not waited for.
  const timeoutMs = delivery.faults.length > 0 ? 0 : LIMITS.attemptTimeoutMs;
  const isOver = (effect: Effect) => effect.type === 'delivery' && effect.delivery === delivery;
  await waitForEffect(sandbox, { timeoutMs }, (effects) => effects.some(isOver) || undefined);
  return { delivery: presentDeliveryLine(sandbox, delivery) };
}

const VERDICT = is.objectSchema('True if its signature is valid; secret and signature count from 1.', {
  ok: is.BOOLEAN,
  cause: nullable(is.TEXT),
  message: nullable(is.TEXT),
  secret: nullable(is.COUNT),
  signature: nullable(is.COUNT),
  age_s: nullable(integer('seconds')),
});
const RECEIVED = is.objectSchema('An attempt received by the test receiver.', {
  event_type: withDoc('Null for an unknown event id.', nullable(enumOf(EVENT_TYPES))),
  webhook_id: is.TEXT,
  delivery_id: is.UUID,
  attempt: is.COUNT,
  received_at: is.INSTANT,
  verdict: VERDICT,
  response_status: withDoc('Null for a timeout.', nullable(service.STATUS_CODE)),
  body: is.TEXT,
});

/** Of the next attempts, or of the scheduled attempts of the next deliveries. */
const FAILURES = [
  object('a number of attempts', { fail: integerRange(1, COUNT_MAX) }),
  object('a number of deliveries', { refuse: integerRange(1, COUNT_MAX) }),
] as const;
const FAILING = oneOf('a number of attempts or deliveries', FAILURES, (value) =>
  isObject(value) && 'refuse' in value ? FAILURES[1] : FAILURES[0],
);
const ANSWER = union(
  [integerRange(STATUS_MIN, STATUS_MAX), literal('timeout'), FAILING],
  `a status from ${STATUS_MIN} to ${STATUS_MAX}, "timeout", {"fail": n} or {"refuse": n}`,
);

export const RECEIVER_VIEW = is.resourceSchema('Receiver', 'The test receiver and what came, newest last.', {
  on: is.BOOLEAN,
  answer: withDoc('Reply to the next new delivery; null while it is off.', nullable(ANSWER)),
  endpoint: nullable(ENDPOINT_VIEW),
  received: is.arrayOf(RECEIVED),
});
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
  post(
    'listeners',
    'Connect as a listener and get attempts; this is how `listen` works.',
    { messages: LISTENER_MESSAGE },
    { query: APP_QUERY, body: REGISTRATION, errors: ['ENDPOINT_ALREADY_EXISTS'] },
  )(streamListener),
  post(
    'listeners/:id/leave',
    'Hold everything for a listener that leaves.',
    { held: is.COUNT },
    {
      description:
        'It gets nothing new. What it has in flight may still be reported; the rest is held until it ' +
        'connects again under its name.',
    },
  )(({ sandbox, param }) => {
    const { id } = findEndpoint(sandbox.world, param('id'));
    return { held: sandbox.dispatch({ type: 'listener.lose', endpointId: id }).length };
  }),
  post(
    'listeners/:id/results',
    'Report how an attempt ended.',
    { delivery: nullable(DELIVERY_LINE) },
    { body: RESULT, errors: ['INVALID_TRANSITION'] },
  )(takeResult),
  get(
    'receiver',
    `Get the test receiver and the newest ${LIMITS.receiverKept} attempts that came.`,
    RECEIVER_VIEW,
  )(({ sandbox }) => receiverView(sandbox)),
  post('receiver', 'Turn on the test receiver, or change its reply.', RECEIVER_VIEW, {
    body: { answer: nullish(ANSWER, 200) },
    errors: ['ENDPOINT_ALREADY_EXISTS'],
    description:
      'A listener in the sandbox itself, named `test-receiver`, for every event of the default ' +
      'application. It verifies each attempt and sends the configured reply, 200 by default: a ' +
      'status, nothing (`timeout`, which ends immediately), 500 to the next `fail` ' +
      'attempts and 200 afterwards, or with 500 to every scheduled attempt of the next ' +
      '`refuse` deliveries, so that they become dead letters, and 200 to the others and to a ' +
      'retry by hand. A wrong signature changes only the verdict.',
  })(({ sandbox, body: { answer } }) => {
    sandbox.testReceiver.turnOn(answer);
    return receiverView(sandbox);
  }),
  del('receiver', 'Turn off the test receiver; what is pending is held until it is turned on again.', {
    held: is.COUNT,
  })(({ sandbox }) => ({ held: sandbox.testReceiver.turnOff() })),
];
