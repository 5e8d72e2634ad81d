import type { DeliveryStatus } from '../core/transitions.js';
import type { FailureReason } from '../core/failure-reasons.js';
import type { EventType } from '../core/world.js';
import { EVENT_TYPES } from '../core/world.js';
import type {
  DeliveryLine,
  DeliveryView,
  EndpointView,
  EventLine,
  EventView,
} from '../http/control/schema.js';
import type { Control, ListLimit } from './control.js';
import { pathOf } from './control.js';
import type { ChargeFields, OfApp, WithdrawalFields } from './payments.js';

/** Real time that a wait takes at most by default: less than a test runner gives a test, so that the reason is seen. */
export const PATIENCE_MS = 4_000;

/** How long to wait at most, in real time. */
export interface Patience {
  readonly timeoutMs?: number | undefined;
}

/** On what an event happens, and how; without a charge or withdrawal on a new one with the fields of `with`. */
export interface TriggerOptions extends OfApp, Patience {
  readonly charge?: string | undefined;
  readonly withdrawal?: string | undefined;
  readonly with?: ChargeFields | WithdrawalFields | undefined;
  /** `pix.settled` only: the charge expires first. */
  readonly late?: boolean | undefined;
  readonly reason?: FailureReason | undefined;
  /** What the payload is to say instead, by path: `{'data.object.amount': '1.00'}`. */
  readonly override?: Readonly<Record<string, unknown>> | undefined;
  readonly count?: number | undefined;
  /** Resolves when the deliveries had their first attempt, or when their fate is decided, instead of at once. */
  readonly until?: 'attempted' | 'ended' | undefined;
}

/** What a trigger made; `reached` is false when the time for `until` was up first. */
export interface TriggeredEvents {
  readonly reached: boolean;
  readonly events: readonly EventLine[];
  readonly deliveries: readonly DeliveryLine[];
}

/** Which deliveries: of this event type, in this state, to this endpoint, of this event. */
export interface DeliveryFilter {
  readonly type?: EventType | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly endpoint?: string | undefined;
  readonly event?: string | undefined;
}

/** A webhook endpoint to be registered (§4.4); it gets every type of event unless `events` names some. */
export interface EndpointFields {
  readonly url: string;
  readonly events?: readonly EventType[] | undefined;
  readonly description?: string | undefined;
}

/** Makes an event happen (§3): `trigger('pix.settled', {charge: 'order-1'})`. */
export function triggerVerb(control: Control) {
  return (type: EventType, { timeoutMs = PATIENCE_MS, ...options }: TriggerOptions = {}) =>
    control.post<TriggeredEvents>('trigger', { type, timeout: `${timeoutMs}ms`, ...options });
}

export function eventVerbs(control: Control) {
  return {
    list: ({ type, limit }: { type?: EventType } & ListLimit = {}) =>
      control.list<EventLine>('events', { type, limit }),
    get: (id: string) => control.get<EventView>(pathOf('events', id)),
    /** Sends it again, under the same id, to all that want it or to one endpoint. */
    resend: async (id: string, { endpoint }: { endpoint?: string } = {}) => {
      const path = pathOf('events', id, 'resend');
      return (await control.post<{ deliveries: DeliveryLine[] }>(path, { endpoint })).deliveries;
    },
  };
}

function queryOf({ type, ...filter }: DeliveryFilter) {
  return { ...filter, event_type: type };
}

/** Events on their way to endpoints. Every method rejects with SandboxError. */
export function deliveryVerbs(control: Control) {
  const get = (id: string) => control.get<DeliveryView>(pathOf('deliveries', id));
  return {
    list: ({ limit, ...filter }: DeliveryFilter & ListLimit = {}) =>
      control.list<DeliveryLine>('deliveries', { ...queryOf(filter), limit }),
    get,
    retry: (id: string) => control.post<DeliveryLine>(pathOf('deliveries', id, 'retry')),
    /** Resolves as soon as a delivery fits; rejects with what there is when the real time is up. */
    waitFor: async (filter: DeliveryFilter, { timeoutMs = PATIENCE_MS }: Patience = {}) => {
      const query = { ...queryOf(filter), timeout: `${timeoutMs}ms` };
      const found = await control.get<{ deliveries: DeliveryLine[] }>('deliveries/wait', query);
      const [first] = found.deliveries;
      if (first !== undefined) return get(first.id);
      const all = await control.list<DeliveryLine>('deliveries', { limit: MOST_SHOWN });
      throw new Error(`Waited ${timeoutMs} ms for ${describe(filter)}. ${inventory(all)}`);
    },
  };
}

const MOST_SHOWN = 5;

function describe(filter: DeliveryFilter): string {
  const parts = Object.entries(filter).flatMap(([name, value]: [string, string | undefined]) =>
    value === undefined ? [] : `${name} ${value}`,
  );
  return parts.length === 0 ? 'a delivery' : `a delivery with ${parts.join(' and ')}`;
}

function inventory(deliveries: readonly DeliveryLine[]): string {
  if (deliveries.length === 0) {
    return 'There is none at all: did an event happen, and is an endpoint or a `forwardTo` there to receive it?';
  }
  const lines = deliveries.map(
    ({ event_type, status, attempts, last_error, last_response_status, next_attempt_at }) =>
      `  ${event_type} ${status}, attempt ${attempts}${last_error === null ? '' : `: ${last_error} ${last_response_status ?? ''}`.trimEnd()}` +
      (next_attempt_at === null ? '' : `, next at ${next_attempt_at} of sandbox time`),
  );
  return `The newest are\n${lines.join('\n')}`;
}

/** Who receives events (§4.4). Local URLs need `routes` or `allowLocalEndpoints`. Every method rejects with SandboxError. */
export function endpointVerbs(control: Control) {
  return {
    create: ({ url, events, description }: EndpointFields, { app }: OfApp = {}) =>
      control.post<EndpointView & { readonly secret: string }>(
        'endpoints',
        { url, events: events ?? EVENT_TYPES, description },
        { app },
      ),
    list: async () => (await control.get<{ data: EndpointView[] }>('endpoints')).data,
    disable: (id: string) => control.post<EndpointView>(pathOf('endpoints', id, 'disable')),
    enable: (id: string) => control.post<EndpointView>(pathOf('endpoints', id, 'enable')),
    delete: async (id: string): Promise<void> => {
      await control.delete(pathOf('endpoints', id));
    },
  };
}
