import { LIMITS, RETRY_SCHEDULES } from '../../../contract/limits.js';
import { appOrDefault } from '../../../core/identity/applications.js';
import { LISTENER_FAULT } from '../../../core/webhooks/fault-input.js';
import { checkNameFree, findEndpoint } from '../../../core/webhooks/endpoints.js';
import type { Effect } from '../../../core/effects.js';
import { body as bodyOf } from '../../../core/input/body.js';
import { choices, wholeNumber } from '../../../core/input/kinds.js';
import { Refusal } from '../../../contract/refusals.js';
import { duration, NAME, RAW_TEXT, text } from '../../../core/input/text-kinds.js';
import { DAY_MS, isoTime } from '../../../contract/time.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import { LISTENER_NAME, LISTENER_NAME_LENGTH } from '../../../text/listener-name.js';
import type { ListenerConnection } from '../../../sandbox/connect-listener.js';
import { connectListener } from '../../../sandbox/connect-listener.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { list } from '../../../schema/compound.js';
import { named, nullish } from '../../../schema/fields.js';
import type { Infer } from '../../../schema/schema.js';
import { flag, keyOf, map } from '../../../schema/values.js';
import type { DoorContext } from '../../operation/answer.js';
import type { Unrouted } from '../../operation/fallbacks.js';
import { checkCanRestart } from '../faults.js';
import type { ControlRequest, ControlRoute } from '../control.js';
import { ok, route } from '../control.js';
import { RESULT, takeResult } from '../webhooks/listener-results.js';
import { callView, chargeView, deliveryLine, endpointView, eventLine, withdrawalView } from '../views.js';
import { sessionLine } from '../session-view.js';
import { tellSimulated } from '../webhooks/simulated.js';
import type { EventStream } from '../../streams/sse.js';
import { eventStream } from '../../streams/sse.js';
import { onceKept } from '../../streams/kept-stream.js';

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

/** The body of a connecting listener: its name and subscriptions. */
const REGISTRATION = bodyOf({
  name: nullish(text(LISTENER_NAME_LENGTH, LISTENER_NAME), 'listener'),
  events: nullish(choices(EVENT_TYPES), EVENT_TYPES),
  timeoutMs: named('timeout', nullish(TIMEOUT, LIMITS.attemptTimeoutMs)),
  app: nullish(NAME),
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
function streamListener({ sandbox, context, body: registration }: ControlRequest<Registration>): Response {
  const app = appOrDefault(sandbox.world, registration.app);
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
  { app: _app, ...listener }: Registration,
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

export const STREAM_ROUTES: readonly ControlRoute[] = [
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
  route('POST', 'listeners', { body: REGISTRATION }, streamListener),
  // A listener that leaves gets nothing new, and may still report what is in flight.
  route('POST', 'listeners/:id/leave', {}, ({ sandbox, param }) => {
    const { id } = findEndpoint(sandbox.world, param('id'));
    return ok({ held: sandbox.dispatch({ type: 'listener.lose', endpointId: id }).length });
  }),
  route('POST', 'listeners/:id/results', { body: RESULT }, takeResult),
];
