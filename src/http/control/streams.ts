import type { RetrySchedule } from '../../core/limits.js';
import { LIMITS, RETRY_SCHEDULES } from '../../core/limits.js';
import { appOrDefault } from '../../core/apps.js';
import { listenerUrl } from '../../core/endpoints.js';
import type { Effect } from '../../core/effects.js';
import { Refusal } from '../../core/refusal.js';
import { isoTime, parseDuration } from '../../core/time.js';
import { EVENT_TYPES } from '../../core/world.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { choice } from '../pages.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { takeResult } from './listener-results.js';
import { callView, chargeView, deliveryLine, endpointView, eventLine, withdrawalView } from './present.js';
import { sessionLine } from './session-view.js';
import { tellSimulated } from './simulated.js';
import type { EventStream } from './sse.js';
import { eventStream } from './sse.js';

function effectView(sandbox: Sandbox, effect: Effect) {
  switch (effect.type) {
    case 'charge': {
      return { type: 'charge', charge: chargeView(effect.charge) };
    }
    case 'withdrawal': {
      return { type: 'withdrawal', withdrawal: withdrawalView(effect.withdrawal) };
    }
    case 'endpoint': {
      return { type: 'endpoint', change: effect.change, endpoint: endpointView(effect.endpoint) };
    }
    case 'event': {
      return { type: 'event', event: eventLine(effect.event) };
    }
    case 'attempt': {
      return { type: 'attempt', delivery_id: effect.delivery.id, attempt: effect.number };
    }
    case 'delivery': {
      return { type: 'delivery', delivery: deliveryLine(sandbox, effect.delivery) };
    }
    case 'session': {
      return { type: 'session', session: sessionLine(sandbox, effect.session) };
    }
  }
}

/** GET stream: all that happens, as it happens. */
function streamAll({ sandbox, context }: ControlRequest): Response {
  return eventStream(context, (stream) => {
    stream.send({ type: 'ready', now: isoTime(sandbox.clock.now()) });
    const ends = [
      sandbox.subscribe((effects, at) => {
        for (const effect of effects) stream.send({ at: isoTime(at), ...effectView(sandbox, effect) });
      }),
      sandbox.calls.subscribe((call) => stream.send({ type: 'call', call: callView(call) })),
      sandbox.onReset(() => stream.send({ type: 'reset' })),
      sandbox.onClose(stream.close),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
}

interface Registration {
  readonly appId: string;
  readonly name: string;
  readonly events: (typeof EVENT_TYPES)[number][];
  readonly schedule: RetrySchedule;
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** Where it forwards to, in its own words. */
  readonly description: string | null;
}

/** A day: long enough for any breakpoint, and what a timer can hold. */
const LONGEST_TIMEOUT_MS = 86_400_000;
const LISTENER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
const SCHEDULES = Object.keys(RETRY_SCHEDULES) as RetrySchedule[];

function parseRegistration(request: ControlRequest): Registration {
  const { sandbox, query } = request;
  const name = query('name') ?? 'listener';
  if (!LISTENER_NAME.test(name)) {
    throw new Refusal(
      'INVALID_REQUEST',
      `A listener's name is 1 to 40 of a-z 0-9 -; got ${name.slice(0, 60)}.`,
    );
  }
  const wanted = query('events')?.split(',');
  const unknown = wanted?.filter((type) => !EVENT_TYPES.some((known) => known === type)) ?? [];
  if (unknown.length > 0) {
    throw new Refusal('INVALID_REQUEST', `There is no event ${unknown.join(', ')}.`, {
      hint: `Known ones: ${EVENT_TYPES.join(', ')}.`,
    });
  }
  const timeout = query('timeout');
  const timeoutMs = timeout === undefined ? LIMITS.attemptTimeoutMs : parseDuration(timeout);
  if (timeoutMs === undefined || timeoutMs === 0 || timeoutMs > LONGEST_TIMEOUT_MS) {
    throw new Refusal(
      'INVALID_REQUEST',
      `timeout must be a duration up to 1d, such as 10s; got ${timeout ?? ''}.`,
    );
  }
  return {
    appId: appOrDefault(sandbox.world, query('app')).id,
    name,
    events: EVENT_TYPES.filter((type) => wanted?.includes(type) ?? true),
    schedule: choice(request, 'retries', SCHEDULES) ?? 'real',
    timeoutMs,
    concurrency: parseConcurrency(query('concurrency')),
    description: query('description')?.slice(0, LIMITS.descriptionLength) ?? null,
  };
}

function parseConcurrency(text: string | undefined): number {
  const most = LIMITS.attemptsInFlightPerEndpoint;
  const concurrency = text === undefined ? most : Number(text);
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= most) return concurrency;
  throw new Refusal(
    'INVALID_REQUEST',
    `concurrency must be a whole number from 1 to ${most}; got ${text ?? ''}.`,
  );
}

/** GET listeners/stream: a `listen` connects, is told who it is, and from then on gets its attempts. */
function streamListener(request: ControlRequest): Response {
  const { sandbox, context } = request;
  const registration = parseRegistration(request);
  const taken = [...sandbox.world.endpoints.values()].find(
    ({ url, appId }) => appId === registration.appId && url === listenerUrl(registration.name),
  );
  if (taken?.connected) {
    throw new Refusal('ENDPOINT_ALREADY_EXISTS', `A listener named ${registration.name} is connected.`, {
      hint: 'Give this one another --name.',
    });
  }
  return eventStream(context, (stream) => {
    let registered = register(sandbox, registration, stream);
    const endReset = sandbox.onReset(() => {
      registered.detach();
      registered = register(sandbox, registration, stream);
    });
    const endClose = sandbox.onClose(stream.close);
    const endTelling = tellSimulated(sandbox, (id) => id === registered.endpointId, stream.send);
    return () => {
      endReset();
      endTelling();
      endClose();
      registered.detach();
      const { endpointId } = registered;
      if (sandbox.world.endpoints.has(endpointId)) sandbox.dispatch({ type: 'listener.lose', endpointId });
    };
  });
}

function register(sandbox: Sandbox, { appId, ...listener }: Registration, stream: EventStream) {
  const app = appOrDefault(sandbox.world, sandbox.world.apps.byId.has(appId) ? appId : undefined);
  const endpoint = sandbox.dispatch({
    type: 'listener.connect',
    appId: app.id,
    listener: { ...listener, secret: sandbox.credentials.webhookSecret },
  });
  stream.send({ type: 'ready', listener: endpointView(endpoint), secret: endpoint.secret });
  const detach = sandbox.listeners.attach(endpoint.id, (attempt) =>
    stream.send({ type: 'attempt', ...attempt }),
  );
  return { endpointId: endpoint.id, detach };
}

export const STREAM_ROUTES: readonly ControlRoute[] = [
  { method: 'GET', path: 'stream', handle: streamAll },
  { method: 'GET', path: 'listeners/stream', handle: streamListener },
  { method: 'POST', path: 'listeners/:id/results', handle: takeResult },
];
