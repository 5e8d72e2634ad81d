// Public types, derived from tables and schemas. The build expands each type, so that published declarations
// show e.g. a charge's fields instead of its schema.
import type * as client from './client/routes.js';
import type * as enums from './contract/enums.js';
import type * as faults from './contract/fault-kinds.js';
import type * as limits from './contract/limits.js';
import type * as refusals from './contract/refusals.js';
import type * as states from './contract/transitions.js';
import type * as service from './core/resources/resources.js';
import type * as exchanges from './http/control/exchanges.js';
import type * as listeners from './http/control/listeners.js';
import type * as payments from './http/control/payments.js';
import type * as control from './http/control/schema.js';
import type * as world from './http/control/world.js';
import type * as errors from './http/shared/response.js';
import type * as credentials from './sandbox/credentials.js';
import type * as sandbox from './sandbox/state-file.js';

/** Event type (§6). */
export type EventType = enums.EventType;
/** Charge status (§3). */
export type ChargeStatus = states.ChargeStatus;
/** Withdrawal status (§3). */
export type WithdrawalStatus = states.WithdrawalStatus;
/** Delivery status (§3); FAILED means dead-lettered. */
export type DeliveryStatus = states.DeliveryStatus;
/** Identity session status (§3). */
export type SessionStatus = states.SessionStatus;
/** Possible decision on an identity session (§2.7). */
export type SessionDecision = states.SessionDecision;
/** Customer type: a person or a company. */
export type CustomerType = enums.CustomerType;
/** Reason for a failed payment, as an SPI code. */
export type FailureReason = enums.FailureReason;
/** Reason for a failed attempt (§2.4). `HTTP_STATUS` means a response other than 2xx or 3xx. */
export type AttemptError = enums.AttemptError;
/** Error code (§7). */
export type ErrorCode = refusals.RefusalCode;
/** An application's permission (§5). */
export type Scope = enums.Scope;
/** Retry schedule: `real` as in the service (§8), `fast` with short delays, or `off` for a single attempt. */
export type RetrySchedule = limits.RetrySchedule;
/** A fault's effect on an API request. */
export type CallFaultAction = faults.CallFaultAction;
/** A fault's effect on an attempt. */
export type DeliveryFaultAction = faults.DeliveryFaultAction;

/** A charge as returned by the API (§2.1). Amounts are decimal strings, e.g. `10.00`. */
export type ChargeResource = service.ChargeResource;
/** A withdrawal as returned by the API (§2.2). */
export type WithdrawalResource = service.WithdrawalResource;
/** A webhook endpoint as returned by the API (§2.3). */
export type EndpointResource = service.EndpointResource;
/** A delivery as returned by the API (§2.4). */
export type DeliveryResource = service.DeliveryResource;
/** A transaction in an account's ledger (§2.5). */
export type TransactionResource = service.TransactionResource;
/** Envelope of every webhook, without `type` and `data` (§6). */
export type Envelope = Omit<service.Envelope, 'type' | 'data'>;
/** Body of every error response (§7). The sandbox adds `hint`. */
export type ErrorBody = errors.ErrorBody;

/** Fields of a new charge (§4.1). Omitted fields have defaults. Amounts are decimal strings, e.g. `10.00`. */
export type ChargeFields = client.BodyFields<'POST charges'>;
/** Fields of a new withdrawal (§2.2). Omitted fields have defaults. */
export type WithdrawalFields = client.BodyFields<'POST withdrawals'>;
/** An additional account. The id is a UUID, the opening balance a decimal string, e.g. `100.00`. */
export type AccountFields = client.BodyFields<'POST apps/:id/accounts'>;
/** Fields of a new application and its first account. `kyc` enables the identity API for an organization. */
export type AppFields = client.BodyFields<'POST apps'>;
/**
 * Fields of a new fault. The action `delay` requires `on`, because it applies to both API requests and
 * deliveries. `code` (which can contain `*`), `resource` and `nth` (counted from 1) select the target;
 * `every` fires on every nth match; `endpoint` is an id or a URL pattern. `delay` is a real-time duration of up to
 * 60 s or a distribution such as `1s~5s` (median~99th percentile), `parallel` sends a duplicate's copies
 * concurrently, and `when` defaults to `answered`. `from` and `until` are instants in sandbox time, and `for` is a
 * duration instead of `until`.
 */
export type FaultFields = client.BodyFields<'POST faults'>;
/** An incident: the name of a built-in one, or a name with a sandbox-time duration and faults. */
export type IncidentFields = client.IncidentFields;

/**
 * Fields of a new webhook endpoint (§4.4). The endpoint receives all event types unless `events` lists
 * specific types.
 */
export type EndpointFields = Partial<client.BodyFields<'POST endpoints'>> & { readonly url: string };
/**
 * A decision, readable after `delay` (a sandbox-time duration or distribution, e.g. `5m` or `5m~9m`), or an
 * error instead of a decision.
 */
export type Decision = client.BodyFields<'POST kyc/sessions/:id/decide'>;
/**
 * Options for triggering an event. Unless a charge or withdrawal is specified, creates one with the fields in
 * `with`.
 */
export type TriggerOptions = client.TriggerOptions;

/** An application of the public API (§5). */
export type AppView = control.AppView;
/** A new application, with its secrets. */
export type AppWithSecrets = control.AppWithSecrets;
/** An application account with its balance. */
export type AccountView = control.AccountView;
/** A charge with its application and failure reason. */
export type ChargeView = control.ChargeView;
/** A withdrawal with its application and failure reason. */
export type WithdrawalView = control.WithdrawalView;
/** A webhook endpoint or a listener. */
export type EndpointView = control.EndpointView;
/** An event with a reference to its resource. */
export type EventLine = exchanges.EventLine;
/** An event with its body and deliveries. */
export type EventView = exchanges.EventView;
/** A delivery of an event to an endpoint. */
export type DeliveryLine = exchanges.DeliveryLine;
/** A delivery with its attempts. Attempt details are stored only for the newest deliveries. */
export type DeliveryView = exchanges.DeliveryView;
/** An identity session with its internal fields. */
export type SessionView = control.SessionView;
/** Identity session result for a partner's server (§4.11). `euid` is null unless the status is approved. */
export type SessionResult = payments.SessionResult;
/** The test receiver and its attempts, newest last. */
export type ReceiverView = listeners.ReceiverView;
/** A fault on API requests or on deliveries. */
export type FaultView = control.FaultView;
/** A built-in or running incident. */
export type IncidentView = control.IncidentView;
/** A request from the code under test, with its response. */
export type CallView = exchanges.CallView;
/** Sandbox time. Rate 0 means frozen; rate 1 means real time. */
export type ClockView = control.ClockView;
/** Result of advancing the clock. */
export type AdvancedView = world.AdvancedView;
/** The executed item, or null if nothing was due. */
export type NextView = world.NextView;
/** A sandbox's complete state, as plain JSON that contains secrets. */
export type StateFile = Omit<sandbox.StateFile, 'world'> & { readonly world: object };
/** Environment variables for an application using a sandbox. */
export type EnvironmentBlock = credentials.EnvironmentBlock;
