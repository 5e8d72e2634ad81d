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

/** The limit of a list; rows come newest first. */
export interface ListLimit {
  /** Maximum number of rows; all by default. */
  readonly limit?: number | undefined;
}

/** The application, by id or name; by default the default one. */
export interface AppSelector {
  readonly app?: string | undefined;
}

/** Failure reason: an SPI code such as `AC03`. */
export interface FailureOptions {
  readonly reason?: FailureReason | undefined;
}

/** The timeout, in real time. */
export interface WaitOptions {
  readonly timeoutMs?: number | undefined;
}

interface PaymentsApi<View, Fields, Status> {
  readonly create: (fields?: Fields, options?: AppSelector) => Promise<View>;
  readonly get: (idOrCode: string) => Promise<View>;
  readonly list: (options?: { readonly status?: Status } & AppSelector & ListLimit) => Promise<View[]>;
  /** The payer pays the charge, or the network settles the withdrawal. */
  readonly settle: (idOrCode: string) => Promise<View>;
  /** The payment fails, or the withdrawal is rejected before it settles. */
  readonly fail: (idOrCode: string, options?: FailureOptions) => Promise<View>;
}

/**
 * The payer's side of charges (§3). Charges are identified by id, code, or four or more unique leading digits
 * of the id. Every method rejects with SandboxError.
 */
interface ChargesApi extends PaymentsApi<ChargeView, ChargeFields, ChargeStatus> {
  /** The charge expires now: `pix.expired`. */
  readonly expire: (idOrCode: string) => Promise<ChargeView>;
}

/**
 * The bank's side of withdrawals (§3). A withdrawal is named as a charge is. Every method rejects with
 * SandboxError.
 */
interface WithdrawalsApi extends PaymentsApi<WithdrawalView, WithdrawalFields, WithdrawalStatus> {
  readonly process: (idOrCode: string) => Promise<WithdrawalView>;
  /** The destination bank returns it after it settled: `withdrawal.failed`. */
  readonly return: (idOrCode: string, options?: FailureOptions) => Promise<WithdrawalView>;
}

/** Identity sessions as the tester sees them (§2.7, §3). Every method rejects with SandboxError. */
interface KycApi {
  readonly create: (
    options?: { readonly customer_type?: CustomerType } & AppSelector,
  ) => Promise<SessionView>;
  readonly get: (id: string) => Promise<SessionView>;
  readonly list: (
    options?: { readonly status?: SessionStatus } & AppSelector & ListLimit,
  ) => Promise<SessionView[]>;
  /** `decide(id, 'approved')`, or with more to say about it. */
  readonly decide: (id: string, decision: SessionDecision | Decision) => Promise<SessionView>;
  /**
   * Returns the result for the partner's server at this time (§4.11); rejects with NOT_TERMINAL before a
   * decision is readable.
   */
  readonly result: (id: string) => Promise<SessionResult>;
}

/**
 * The applications that call the service (§5). An application is named by its id or name. Every method
 * rejects with SandboxError.
 */
interface AppsApi {
  /**
   * A new application with its secrets; what is left out is drawn, and it has every scope unless `scopes`
   * lists some or none.
   */
  readonly create: (fields?: AppFields) => Promise<AppWithSecrets>;
  readonly list: () => Promise<AppView[]>;
  /** Opens a further account: `addAccount('default', {opening_balance: '100.00'})`. */
  readonly addAccount: (app: string, fields?: AccountFields) => Promise<AccountView>;
}

/** An active fault; ended by `remove`, or at the end of its `await using`. */
export type AddedFault = FaultView & AsyncDisposable & { readonly remove: () => Promise<void> };

/** Misbehavior on purpose. Every method rejects with SandboxError. */
interface FaultsApi {
  readonly add: (fields: FaultFields) => Promise<AddedFault>;
  readonly list: () => Promise<FaultView[]>;
  readonly remove: (id: string) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/**
 * Sandbox time. Durations are texts such as `90s`, `45h` or `1d12h`. Every method but `now` rejects with
 * SandboxError.
 */
export interface ClockApi<Now> {
  readonly now: () => Now;
  readonly show: () => Promise<ClockView>;
  /** Moves forward and does all that falls due on the way; resolves when its attempts have ended. */
  readonly advance: (by: string) => Promise<AdvancedView>;
  /** Jumps to the next thing due; `did` says what it was. */
  readonly next: () => Promise<NextView>;
  /** Lets time stand still, now or at a later instant such as `2030-01-01T00:00:00Z`. */
  readonly freeze: (at?: string) => Promise<ClockView>;
  /** Sandbox seconds in a real one; 1 is real time. */
  readonly speed: (rate: number) => Promise<ClockView>;
}

/**
 * Body of a webhook (§6): `WebhookEvent<'pix.settled'>` of one type, `WebhookEvent` of any, distinguished by
 * `type`.
 */
export type WebhookEvent<Type extends EventType = EventType> = {
  [T in Type]: Envelope & {
    readonly type: T;
    readonly data: { readonly object: T extends `pix.${string}` ? ChargeResource : WithdrawalResource };
  };
}[Type];

/** The result of a trigger; `reached` is false when the time for `until` ran out. */
export interface TriggeredEvents {
  readonly reached: boolean;
  readonly events: readonly EventLine[];
  readonly deliveries: readonly DeliveryLine[];
}

/** The events of the sandbox. Every method rejects with SandboxError. */
interface EventsApi {
  readonly list: (options?: { readonly type?: EventType } & AppSelector & ListLimit) => Promise<EventLine[]>;
  readonly get: (id: string) => Promise<EventView>;
  /** Sends it again, under the same id, to all that want it or to one endpoint. */
  readonly resend: (id: string, options?: { readonly endpoint?: string }) => Promise<DeliveryLine[]>;
}

/** Which deliveries: of this event type, in this state, to this endpoint, of this event, of this application. */
export interface DeliveryFilter extends AppSelector {
  readonly type?: EventType | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly endpoint?: string | undefined;
  readonly event?: string | undefined;
}

/** Events on their way to endpoints. Every method rejects with SandboxError. */
interface DeliveriesApi {
  readonly list: (options?: DeliveryFilter & ListLimit) => Promise<DeliveryLine[]>;
  readonly get: (id: string) => Promise<DeliveryView>;
  readonly retry: (id: string) => Promise<DeliveryLine>;
  /** Resolves as soon as a delivery fits; rejects with what there is when the real time is up. */
  readonly waitFor: (filter: DeliveryFilter, wait?: WaitOptions) => Promise<DeliveryView>;
}

/**
 * Who receives events (§4.4). Local URLs need `routes` or `allowLocalEndpoints`. Every method rejects with
 * SandboxError.
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

/**
 * The receiver in the sandbox itself, for every event of the default application. Every method rejects with
 * SandboxError.
 */
interface TestReceiverApi {
  /**
   * Turns it on, or changes its reply: a status from 200 to 599 (by default 200), `timeout`, which ends
   * immediately, or 500 to the next `fail` attempts and 200 afterwards.
   */
  readonly turnOn: (reply?: ReceiverView['answer']) => Promise<ReceiverView>;
  /** Its state, and what came, newest last. */
  readonly get: () => Promise<ReceiverView>;
  /** Turns it off; what is pending is held until it is turned on again. */
  readonly turnOff: () => Promise<void>;
}

/** A filter of calls: a path may contain `*` and has no query; a status is `201` or `4xx`. */
export interface CallFilter {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | `${number}xx` | undefined;
  readonly api?: 'api' | 'identity' | undefined;
}

/** The expected calls: exactly `times`, or at least one. */
export interface ExpectedCalls extends CallFilter {
  readonly times?: number | undefined;
}

export interface CallVerdict {
  readonly pass: boolean;
  readonly found: readonly CallView[];
  /** Expected and received requests, and the nearest ones. */
  readonly message: string;
}

/** Requests of the code under test to the sandbox: the newest ones, as stored in the request log. */
interface CallsApi {
  /** Newest first. */
  readonly list: (filter?: CallFilter) => Promise<CallView[]>;
  /**
   * Calls that met no route, newest first: a wrong path or method, not an unknown id. Their `hint` names the
   * nearest route.
   */
  readonly unmatched: () => Promise<readonly CallView[]>;
  readonly judge: (expected: ExpectedCalls) => Promise<CallVerdict>;
  /** Resolves to the matching calls; rejects with AssertionError, whose message lists the nearest misses. */
  readonly expect: (expected: ExpectedCalls) => Promise<readonly CallView[]>;
  readonly clear: () => Promise<void>;
}

export interface LedgerApi<Problems> {
  /** In words; empty when all transactions are right and add up to the balances. */
  readonly problems: () => Problems;
}

/** A sandbox of `createSandbox` or `connectSandbox`: a helper that awaits every result works with both. */
export interface SandboxVerbs extends AsyncDisposable {
  /** The origin; without a port, one only valid for `fetch`. */
  readonly url: string;
  /** The environment block: what an application needs to use this sandbox. */
  readonly env: EnvironmentBlock;
  readonly apps: AppsApi;
  readonly charges: ChargesApi;
  readonly withdrawals: WithdrawalsApi;
  readonly kyc: KycApi;
  /** Makes an event happen (§3): `trigger('pix.settled', {charge: 'order-1'})`. */
  readonly trigger: (type: EventType, options?: TriggerOptions) => Promise<TriggeredEvents>;
  readonly events: EventsApi;
  readonly deliveries: DeliveriesApi;
  readonly endpoints: EndpointsApi;
  readonly testReceiver: TestReceiverApi;
  readonly clock: ClockApi<Date | Promise<Date>>;
  readonly faults: FaultsApi;
  readonly calls: CallsApi;
  readonly ledger: LedgerApi<string[] | Promise<string[]>>;
  readonly forwardTo: ForwardVerb<Forwarding | Promise<Forwarding>>;
  /** Checks a webhook receiver: signatures, repeats, order and speed, as `sandbox check` does. */
  readonly check: CheckVerb;
  /** Resets everything; connections of `forwardTo` stay. */
  readonly reset: () => Promise<void>;
  /** Returns the current state, for `restore`. */
  readonly snapshot: () => Promise<StateFile>;
  /**
   * Goes back to a state, including its sandbox time; connections of `forwardTo` stay. New resources and
   * events get the same ids again, so a receiver has to forget the old ones: `receiver.clear()`.
   */
  readonly restore: (state: StateFile) => Promise<void>;
  /** Resolves when nothing is in flight and nothing is due now; rejects on a timeout in real time. */
  readonly idle: (wait?: WaitOptions) => Promise<void>;
  readonly close: () => Promise<void>;
}
