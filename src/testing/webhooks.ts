import type { ControlClient } from '../client/control.js';
import { EVENT_TYPES } from '../contract/enums.js';
import type {
  ChargeResource,
  DeliveryLine,
  DeliveryStatus,
  DeliveryView,
  EndpointView,
  Envelope,
  EventLine,
  EventType,
  EventView,
  FailureReason,
  ReceiverView,
  WithdrawalResource,
} from '../shapes.js';
import {
  checkedOptions,
  COUNT,
  FLAG,
  LIMIT,
  listOf,
  OBJECT,
  ofApp,
  type OptionKinds,
  TEXT,
  TIMEOUT_MS,
} from './options.js';
import type { ChargeFields, WithdrawalFields } from './verbs.js';

/**
 * The body of a webhook (§6): `WebhookEvent<'pix.settled'>` of one type, `WebhookEvent` of any, told apart by
 * `type`.
 */
export type WebhookEvent<Type extends EventType = EventType> = {
  [T in Type]: Envelope & {
    readonly type: T;
    readonly data: { readonly object: T extends `pix.${string}` ? ChargeResource : WithdrawalResource };
  };
}[Type];

/** The limit of a list; rows come newest first. */
export interface ListLimit {
  /** How many rows at most; by default all. */
  readonly limit?: number | undefined;
}

/** The application, by id or name; by default the default one. */
export interface OfApp {
  readonly app?: string | undefined;
}

/** Why it failed: an SPI code such as `AC03`. */
export interface WithReason {
  readonly reason?: FailureReason | undefined;
}

/** The timeout, in real time. */
export interface Patience {
  readonly timeoutMs?: number | undefined;
}

/** The default timeout of a wait in real time: less than a test runner's, so that our error is shown. @internal */
export const PATIENCE_MS = 4_000;

/** How to trigger an event; without a charge or withdrawal it creates one with the fields of `with`. */
export interface TriggerOptions extends OfApp, Patience, WithReason {
  readonly charge?: string | undefined;
  readonly withdrawal?: string | undefined;
  readonly with?: ChargeFields | WithdrawalFields | undefined;
  /** `pix.settled` only: the charge expires first. */
  readonly late?: boolean | undefined;
  /**
   * Replacement values in the payload, by path: `{'data.object.amount': '1.00'}`. A string takes the type of
   * the field that is there; other values, and strings whose path ends in a colon, are set as they are:
   * `{'schema_version:': '1'}`.
   */
  readonly override?: Readonly<Record<string, unknown>> | undefined;
  readonly count?: number | undefined;
  /** Waits until the deliveries had their first attempt, or have ended. */
  readonly until?: 'attempted' | 'ended' | undefined;
}

/** Which deliveries: of this event type, in this state, to this endpoint, of this event, of this application. */
export interface DeliveryFilter extends OfApp {
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
const FILTER_KINDS: OptionKinds<DeliveryFilter> = {
  type: TEXT,
  status: TEXT,
  endpoint: TEXT,
  event: TEXT,
  app: TEXT,
};

/** The timeout in real milliseconds. Throws TypeError for unknown options. @internal */
export function patienceMs(what: string, options: Patience): number {
  return checkedOptions(what, options, PATIENCE_KINDS).timeoutMs ?? PATIENCE_MS;
}

/** The result of a trigger; `reached` is false when the time for `until` ran out. */
export interface TriggeredEvents {
  readonly reached: boolean;
  readonly events: readonly EventLine[];
  readonly deliveries: readonly DeliveryLine[];
}

/** Makes an event happen (§3): `trigger('pix.settled', {charge: 'order-1'})`. */
export type TriggerVerb = (type: EventType, options?: TriggerOptions) => Promise<TriggeredEvents>;

/** @internal */
export function triggerVerb(control: ControlClient): TriggerVerb {
  return async (type, options = {}) => {
    const { timeoutMs = PATIENCE_MS, ...rest } = checkedOptions('trigger', options, TRIGGER_KINDS);
    return control.post('trigger', { body: { type, timeout: `${timeoutMs}ms`, ...rest } });
  };
}

export interface EventVerbs {
  readonly list: (options?: { readonly type?: EventType } & OfApp & ListLimit) => Promise<EventLine[]>;
  readonly get: (id: string) => Promise<EventView>;
  /** Sends it again, under the same id, to all that want it or to one endpoint. */
  readonly resend: (id: string, options?: { readonly endpoint?: string }) => Promise<DeliveryLine[]>;
}

/** @internal */
export function eventVerbs(control: ControlClient): EventVerbs {
  return {
    list: async (options = {}) =>
      control.list('events', checkedOptions('events.list', options, { type: TEXT, app: TEXT, limit: LIMIT })),
    get: (id) => control.get('events/:id', { id }),
    resend: async (id, options = {}) => {
      const body = checkedOptions('events.resend', options, { endpoint: TEXT });
      return (await control.post('events/:id/resend', { id, body })).deliveries;
    },
  };
}

function queryOf({ type, ...filter }: DeliveryFilter & ListLimit) {
  return { ...filter, event_type: type };
}

/** Events on their way to endpoints. Every method rejects with SandboxError. */
export interface DeliveryVerbs {
  readonly list: (options?: DeliveryFilter & ListLimit) => Promise<DeliveryLine[]>;
  readonly get: (id: string) => Promise<DeliveryView>;
  readonly retry: (id: string) => Promise<DeliveryLine>;
  /** Resolves as soon as a delivery fits; rejects with what there is when the real time is up. */
  readonly waitFor: (filter: DeliveryFilter, patience?: Patience) => Promise<DeliveryView>;
}

/** @internal */
export function deliveryVerbs(control: ControlClient): DeliveryVerbs {
  const get = (id: string) => control.get('deliveries/:id', { id });
  return {
    list: async (options = {}) => {
      const kinds = { ...FILTER_KINDS, limit: LIMIT };
      return control.list('deliveries', queryOf(checkedOptions('deliveries.list', options, kinds)));
    },
    get,
    retry: (id) => control.post('deliveries/:id/retry', { id }),
    waitFor: async (filter, patience = {}) => {
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
      `  ${event_type} ${status}, attempt ` +
      `${attempts}${last_error === null ? '' : `: ${last_error} ${last_response_status ?? ''}`.trimEnd()}` +
      (next_attempt_at === null ? '' : `, next at ${next_attempt_at} of sandbox time`),
  );
  return `The newest are\n${lines.join('\n')}`;
}

/**
 * Who receives events (§4.4). Local URLs need `routes` or `allowLocalEndpoints`. Every method rejects with
 * SandboxError.
 */
export interface EndpointVerbs {
  readonly create: (
    fields: EndpointFields,
    options?: OfApp,
  ) => Promise<EndpointView & { readonly secret: string }>;
  readonly list: (options?: OfApp) => Promise<EndpointView[]>;
  readonly disable: (id: string) => Promise<EndpointView>;
  readonly enable: (id: string) => Promise<EndpointView>;
  readonly delete: (id: string) => Promise<void>;
}

/** @internal */
export function endpointVerbs(control: ControlClient): EndpointVerbs {
  return {
    create: async (fields, options = {}) => {
      const { url, events, description } = checkedOptions('endpoints.create', fields, ENDPOINT_KINDS);
      return control.post('endpoints', {
        ...ofApp('endpoints.create', options),
        body: { url, events: events ?? EVENT_TYPES, description },
      });
    },
    list: async (options = {}) => (await control.get('endpoints', ofApp('endpoints.list', options))).data,
    disable: (id) => control.post('endpoints/:id/disable', { id }),
    enable: (id) => control.post('endpoints/:id/enable', { id }),
    delete: async (id) => {
      await control.delete('endpoints/:id', { id });
    },
  };
}

/**
 * The receiver in the sandbox itself, for every event of the default application. Every method rejects with
 * SandboxError.
 */
export interface TestReceiverVerbs {
  /**
   * Turns it on, or changes its answer: a status from 200 to 599 (by default 200), `timeout`, which ends at
   * once, or 500 to the next `fail` attempts and 200 to those after.
   */
  readonly turnOn: (answer?: ReceiverView['answer']) => Promise<ReceiverView>;
  /** Its state, and what came, newest last. */
  readonly get: () => Promise<ReceiverView>;
  /** Turns it off; what is pending is held until it is turned on again. */
  readonly turnOff: () => Promise<void>;
}

/** @internal */
export function testReceiverVerbs(control: ControlClient): TestReceiverVerbs {
  return {
    turnOn: (answer) => control.post('receiver', { body: { answer } }),
    get: () => control.get('receiver'),
    turnOff: async () => {
      await control.delete('receiver');
    },
  };
}
