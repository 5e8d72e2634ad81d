import type { DeliveryStatus } from '../contract/transitions.js';
import type { FailureReason } from '../contract/failure-reasons.js';
import type { EventType } from '../contract/events.js';
import { EVENT_TYPES } from '../contract/events.js';
import type { DeliveryLine } from '../http/control/schema.js';
import type { ControlClient } from '../client/control.js';
import type { NewCharge, NewWithdrawal } from '../client/routes.js';
import type { ListLimit, OptionKinds } from './options.js';
import { checkedOptions, COUNT, FLAG, LIMIT, listOf, OBJECT, TEXT, TIMEOUT_MS } from './options.js';
import type { OfApp } from './payments.js';
import { ofApp } from './payments.js';

/** The default timeout of a wait in real time: less than a test runner's, so that our error is shown. */
export const PATIENCE_MS = 4_000;

/** The timeout, in real time. */
export interface Patience {
  readonly timeoutMs?: number | undefined;
}

/** How to trigger an event; without a charge or withdrawal it creates one with the fields of `with`. */
export interface TriggerOptions extends OfApp, Patience {
  readonly charge?: string | undefined;
  readonly withdrawal?: string | undefined;
  readonly with?: NewCharge | NewWithdrawal | undefined;
  /** `pix.settled` only: the charge expires first. */
  readonly late?: boolean | undefined;
  readonly reason?: FailureReason | undefined;
  /** Replacement values in the payload, by path: `{'data.object.amount': '1.00'}`. */
  readonly override?: Readonly<Record<string, unknown>> | undefined;
  readonly count?: number | undefined;
  /** Waits until the deliveries had their first attempt, or have ended. */
  readonly until?: 'attempted' | 'ended' | undefined;
}

/** Which deliveries: of this event type, in this state, to this endpoint, of this event. */
export interface DeliveryFilter {
  readonly type?: EventType | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly endpoint?: string | undefined;
  readonly event?: string | undefined;
}

/** A webhook endpoint to register (§4.4); it gets every type of event unless `events` lists some. */
export interface EndpointFields {
  readonly url: string;
  readonly events?: readonly EventType[] | undefined;
  readonly description?: string | undefined;
}

const PATIENCE_KINDS: OptionKinds<Patience> = { timeoutMs: TIMEOUT_MS };
const TRIGGER_KINDS: OptionKinds<TriggerOptions> = {
  ...PATIENCE_KINDS,
  app: TEXT,
  charge: TEXT,
  withdrawal: TEXT,
  with: OBJECT,
  late: FLAG,
  reason: TEXT,
  override: OBJECT,
  count: COUNT,
  until: TEXT,
};
const ENDPOINT_KINDS: OptionKinds<EndpointFields> = { url: TEXT, events: listOf(TEXT), description: TEXT };
const FILTER_KINDS: OptionKinds<DeliveryFilter> = { type: TEXT, status: TEXT, endpoint: TEXT, event: TEXT };

/** The timeout in real milliseconds. Throws TypeError for unknown options. */
export function patienceMs(what: string, options: Patience): number {
  return checkedOptions(what, options, PATIENCE_KINDS).timeoutMs ?? PATIENCE_MS;
}

/** Makes an event happen (§3): `trigger('pix.settled', {charge: 'order-1'})`. */
export function triggerVerb(control: ControlClient) {
  return async (type: EventType, options: TriggerOptions = {}) => {
    const { timeoutMs = PATIENCE_MS, ...rest } = checkedOptions('trigger', options, TRIGGER_KINDS);
    return control.post('trigger', { body: { type, timeout: `${timeoutMs}ms`, ...rest } });
  };
}

export function eventVerbs(control: ControlClient) {
  return {
    list: async (options: { type?: EventType } & ListLimit = {}) =>
      control.list('events', checkedOptions('events.list', options, { type: TEXT, limit: LIMIT })),
    get: (id: string) => control.get('events/:id', { id }),
    /** Sends it again, under the same id, to all that want it or to one endpoint. */
    resend: async (id: string, options: { endpoint?: string } = {}) => {
      const body = checkedOptions('events.resend', options, { endpoint: TEXT });
      return (await control.post('events/:id/resend', { id, body })).deliveries;
    },
  };
}

function queryOf({ type, ...filter }: DeliveryFilter & ListLimit) {
  return { ...filter, event_type: type };
}

/** Events on their way to endpoints. Every method rejects with SandboxError. */
export function deliveryVerbs(control: ControlClient) {
  const get = (id: string) => control.get('deliveries/:id', { id });
  return {
    list: async (options: DeliveryFilter & ListLimit = {}) => {
      const kinds = { ...FILTER_KINDS, limit: LIMIT };
      return control.list('deliveries', queryOf(checkedOptions('deliveries.list', options, kinds)));
    },
    get,
    retry: (id: string) => control.post('deliveries/:id/retry', { id }),
    /** Resolves as soon as a delivery fits; rejects with what there is when the real time is up. */
    waitFor: async (filter: DeliveryFilter, patience: Patience = {}) => {
      checkedOptions('deliveries.waitFor', filter, FILTER_KINDS);
      const timeoutMs = patienceMs('deliveries.waitFor', patience);
      const query = { ...queryOf(filter), timeout: `${timeoutMs}ms` };
      const [first] = (await control.get('deliveries/wait', query)).deliveries;
      if (first !== undefined) return get(first.id);
      const all = await control.list('deliveries', { limit: MOST_SHOWN });
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
export function endpointVerbs(control: ControlClient) {
  return {
    create: async (fields: EndpointFields, options: OfApp = {}) => {
      const { events = EVENT_TYPES, ...rest } = checkedOptions('endpoints.create', fields, ENDPOINT_KINDS);
      const body = { ...rest, events };
      return control.post('endpoints', { ...ofApp('endpoints.create', options), body });
    },
    list: async () => (await control.get('endpoints')).data,
    disable: (id: string) => control.post('endpoints/:id/disable', { id }),
    enable: (id: string) => control.post('endpoints/:id/enable', { id }),
    delete: async (id: string): Promise<void> => {
      await control.delete('endpoints/:id', { id });
    },
  };
}
