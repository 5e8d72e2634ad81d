import type {
  AccountFields,
  AccountView,
  AdvancedView,
  AppFields,
  AppView,
  AppWithSecrets,
  CallView,
  ChargeFields,
  ChargeResource,
  ChargeStatus,
  ChargeView,
  ClockView,
  CustomerType,
  Decision,
  DeliveryLine,
  DeliveryStatus,
  DeliveryView,
  EndpointFields,
  EndpointView,
  EnvironmentBlock,
  Envelope,
  EventLine,
  EventType,
  EventView,
  FailureReason,
  FaultFields,
  FaultView,
  IncidentFields,
  IncidentView,
  NextView,
  ReceiverView,
  SessionDecision,
  SessionResult,
  SessionStatus,
  SessionView,
  StateFile,
  TriggerOptions,
  WithdrawalFields,
  WithdrawalResource,
  WithdrawalStatus,
  WithdrawalView,
} from '../public-types.js';
import type { CheckVerb } from './check.js';
import type { Forwarding, ForwardVerb } from './forward.js';

/** Limits a list. Rows are sorted newest first. */
export interface ListLimit {
  /** Maximum number of rows. Defaults to all. */
  readonly limit?: number | undefined;
}

/** Selects an application by id or name. Defaults to the default application. */
export interface AppSelector {
  readonly app?: string | undefined;
}

/** Failure reason: an SPI code such as `AC03`. */
export interface FailureOptions {
  readonly reason?: FailureReason | undefined;
}

/** Timeout in milliseconds of real time. */
export interface WaitOptions {
  readonly timeoutMs?: number | undefined;
}

interface PaymentsApi<View, Fields, Status> {
  readonly create: (fields?: Fields, options?: AppSelector) => Promise<View>;
  readonly get: (idOrCode: string) => Promise<View>;
  readonly list: (options?: { readonly status?: Status } & AppSelector & ListLimit) => Promise<View[]>;
  /** Pays a charge as the payer, or settles a withdrawal as the network. */
  readonly settle: (idOrCode: string) => Promise<View>;
  /** Fails a charge, or rejects a withdrawal before it settles. */
  readonly fail: (idOrCode: string, options?: FailureOptions) => Promise<View>;
}

/**
 * The payer's side of charges (§3). Charges are identified by id, code, or at least four unique leading
 * digits of the id. Every method can reject with SandboxError.
 */
interface ChargesApi extends PaymentsApi<ChargeView, ChargeFields, ChargeStatus> {
  /** Expires a charge immediately (`pix.expired`). */
  readonly expire: (idOrCode: string) => Promise<ChargeView>;
}

/** The bank's side of withdrawals (§3), identified like charges. All methods can reject with SandboxError. */
interface WithdrawalsApi extends PaymentsApi<WithdrawalView, WithdrawalFields, WithdrawalStatus> {
  readonly process: (idOrCode: string) => Promise<WithdrawalView>;
  /** Returns a settled withdrawal as the destination bank (`withdrawal.failed`). */
  readonly return: (idOrCode: string, options?: FailureOptions) => Promise<WithdrawalView>;
}

/** The tester's side of identity sessions (§2.7, §3). Every method can reject with SandboxError. */
interface KycApi {
  readonly create: (
    options?: { readonly customer_type?: CustomerType } & AppSelector,
  ) => Promise<SessionView>;
  readonly get: (id: string) => Promise<SessionView>;
  readonly list: (
    options?: { readonly status?: SessionStatus } & AppSelector & ListLimit,
  ) => Promise<SessionView[]>;
  /** Decides a session, e.g. `decide(id, 'approved')`. Pass an object to set more options. */
  readonly decide: (id: string, decision: SessionDecision | Decision) => Promise<SessionView>;
  /** Returns the readable result (§4.11). Rejects with NOT_TERMINAL until a decision is readable. */
  readonly result: (id: string) => Promise<SessionResult>;
}

/** Applications (§5), identified by id or name. Every method can reject with SandboxError. */
interface AppsApi {
  /**
   * Creates an application and returns its secrets. Omitted fields are generated. Without `scopes`, the
   * application has every scope; an empty list grants none.
   */
  readonly create: (fields?: AppFields) => Promise<AppWithSecrets>;
  readonly list: () => Promise<AppView[]>;
  /** Opens another account, e.g. `addAccount('default', {opening_balance: '100.00'})`. */
  readonly addAccount: (app: string, fields?: AccountFields) => Promise<AccountView>;
}

/** An active fault, removed by `remove` or at the end of an `await using` scope. */
export type AddedFault = FaultView & AsyncDisposable & { readonly remove: () => Promise<void> };

/** Injected faults. Every method can reject with SandboxError. */
interface FaultsApi {
  readonly add: (fields: FaultFields) => Promise<AddedFault>;
  readonly list: () => Promise<FaultView[]>;
  readonly remove: (id: string) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/**
 * Incidents: groups of faults that start and end together, e.g. `start('api-down', '15m')`. Durations are sandbox
 * time. Every method can reject with SandboxError.
 */
interface IncidentsApi {
  /** Starts a built-in incident by name, or an incident with its own faults. */
  readonly start: (incident: string | IncidentFields, duration?: string) => Promise<IncidentView>;
  /** Lists the built-in and running incidents. */
  readonly list: () => Promise<IncidentView[]>;
  /** Stops one incident, or all. Resolves to the names of the stopped incidents. */
  readonly stop: (name?: string) => Promise<readonly string[]>;
}

/** Sandbox time. Durations are strings, e.g. `45h`. All methods except `now` can reject with SandboxError. */
export interface ClockApi<Now> {
  readonly now: () => Now;
  readonly show: () => Promise<ClockView>;
  /** Advances the clock and runs every item that becomes due. Resolves when all attempts have ended. */
  readonly advance: (by: string) => Promise<AdvancedView>;
  /** Advances the clock to the next due item. `did` describes the item. */
  readonly next: () => Promise<NextView>;
  /** Freezes the clock immediately, or at a later instant, e.g. `2030-01-01T00:00:00Z`. */
  readonly freeze: (at?: string) => Promise<ClockView>;
  /** Sets the number of sandbox seconds per real second; 1 is real time. */
  readonly speed: (rate: number) => Promise<ClockView>;
}

/**
 * Body of a webhook (§6). `WebhookEvent<'pix.settled'>` is the body of one event type; `WebhookEvent` is the
 * union of all types, discriminated by `type`.
 */
export type WebhookEvent<Type extends EventType = EventType> = {
  [T in Type]: Envelope & {
    readonly type: T;
    readonly data: { readonly object: T extends `pix.${string}` ? ChargeResource : WithdrawalResource };
  };
}[Type];

/** Result of a trigger. `reached` is false if `until` timed out. */
export interface TriggeredEvents {
  readonly reached: boolean;
  readonly events: readonly EventLine[];
  readonly deliveries: readonly DeliveryLine[];
}

/** Events of the sandbox. Every method can reject with SandboxError. */
interface EventsApi {
  readonly list: (options?: { readonly type?: EventType } & AppSelector & ListLimit) => Promise<EventLine[]>;
  readonly get: (id: string) => Promise<EventView>;
  /** Resends an event with the same id, to all subscribed endpoints or to one endpoint. */
  readonly resend: (id: string, options?: { readonly endpoint?: string }) => Promise<DeliveryLine[]>;
}

/** Filters deliveries by event type, status, endpoint, event and application. */
export interface DeliveryFilter extends AppSelector {
  readonly type?: EventType | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly endpoint?: string | undefined;
  readonly event?: string | undefined;
}

/** Event deliveries to endpoints. Every method can reject with SandboxError. */
interface DeliveriesApi {
  readonly list: (options?: DeliveryFilter & ListLimit) => Promise<DeliveryLine[]>;
  readonly get: (id: string) => Promise<DeliveryView>;
  readonly retry: (id: string) => Promise<DeliveryLine>;
  /** Resolves to the first matching delivery. The error after a real-time timeout lists the newest ones. */
  readonly waitFor: (filter: DeliveryFilter, wait?: WaitOptions) => Promise<DeliveryView>;
}

/**
 * Webhook endpoints (§4.4). Local URLs require `routes` or `allowLocalEndpoints`. Every method can reject
 * with SandboxError.
 */
interface EndpointsApi {
  readonly create: (
    fields: EndpointFields,
    options?: AppSelector,
  ) => Promise<EndpointView & { readonly secret: string }>;
  readonly list: (options?: AppSelector) => Promise<EndpointView[]>;
  readonly disable: (id: string) => Promise<EndpointView>;
  readonly enable: (id: string) => Promise<EndpointView>;
  readonly delete: (id: string) => Promise<void>;
}

/** Built-in receiver for events of the default application. Every method can reject with SandboxError. */
interface TestReceiverApi {
  /**
   * Turns the receiver on, or changes its reply: a status from 200 to 599 (default 200), an immediate
   * `timeout`, or 500 for the next `fail` attempts and then 200.
   */
  readonly turnOn: (reply?: ReceiverView['answer']) => Promise<ReceiverView>;
  /** Returns the state and the received requests, newest last. */
  readonly get: () => Promise<ReceiverView>;
  /** Turns the receiver off. Pending deliveries wait until the receiver is turned on again. */
  readonly turnOff: () => Promise<void>;
}

/** Filters requests. `path` can contain `*` but no query; `status` is e.g. `201` or `4xx`. */
export interface CallFilter {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | `${number}xx` | undefined;
  readonly api?: 'api' | 'identity' | undefined;
}

/** Expects exactly `times` matching requests, or at least one by default. */
export interface ExpectedCalls extends CallFilter {
  readonly times?: number | undefined;
}

export interface CallVerdict {
  readonly pass: boolean;
  readonly found: readonly CallView[];
  /** Describes the expected requests, and the received or closest ones. */
  readonly message: string;
}

/** Requests from the code under test. The request log stores only the newest requests. */
interface CallsApi {
  /** Lists requests, newest first. */
  readonly list: (filter?: CallFilter) => Promise<CallView[]>;
  /** Lists requests without a matching route, newest first. `hint` suggests the closest route. */
  readonly unmatched: () => Promise<readonly CallView[]>;
  readonly judge: (expected: ExpectedCalls) => Promise<CallVerdict>;
  /** Resolves to the matching requests, or rejects with an AssertionError that lists the closest ones. */
  readonly expect: (expected: ExpectedCalls) => Promise<readonly CallView[]>;
  readonly clear: () => Promise<void>;
}

export interface LedgerApi<Problems> {
  /** Lists ledger problems; none if all transactions are valid and add up to the balances. */
  readonly problems: () => Problems;
}

/** A sandbox from `createSandbox` or `connectSandbox`. Helpers that await every result work with both. */
export interface SandboxVerbs extends AsyncDisposable {
  /** Origin of the sandbox. Without a port, the origin is valid only for `fetch`. */
  readonly url: string;
  /** Environment variables for an application that uses this sandbox. */
  readonly env: EnvironmentBlock;
  readonly apps: AppsApi;
  readonly charges: ChargesApi;
  readonly withdrawals: WithdrawalsApi;
  readonly kyc: KycApi;
  /** Triggers an event (§3), e.g. `trigger('pix.settled', {charge: 'order-1'})`. */
  readonly trigger: (type: EventType, options?: TriggerOptions) => Promise<TriggeredEvents>;
  readonly events: EventsApi;
  readonly deliveries: DeliveriesApi;
  readonly endpoints: EndpointsApi;
  readonly testReceiver: TestReceiverApi;
  readonly clock: ClockApi<Date | Promise<Date>>;
  readonly faults: FaultsApi;
  readonly incidents: IncidentsApi;
  readonly calls: CallsApi;
  readonly ledger: LedgerApi<string[] | Promise<string[]>>;
  readonly forwardTo: ForwardVerb<Forwarding | Promise<Forwarding>>;
  /** Checks a webhook receiver like `sandbox check`: signatures, duplicates, order and speed. */
  readonly check: CheckVerb;
  /** Resets everything except `forwardTo` connections. */
  readonly reset: () => Promise<void>;
  /** Returns the current state for `restore`. */
  readonly snapshot: () => Promise<StateFile>;
  /**
   * Restores a state, including its sandbox time. `forwardTo` connections stay open. New resources and events
   * reuse ids, so call `receiver.clear()` to discard the old events.
   */
  readonly restore: (state: StateFile) => Promise<void>;
  /** Resolves when nothing is in flight or currently due. Rejects after a real-time timeout. */
  readonly idle: (wait?: WaitOptions) => Promise<void>;
  readonly close: () => Promise<void>;
}
