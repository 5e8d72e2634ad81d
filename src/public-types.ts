// Published types derived from tables and schemas. The build expands each type, so that the published
// declarations show the fields of a charge instead of its schema.
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

/** Types of events (§6). */
export type EventType = enums.EventType;
/** Statuses of a charge (§3). */
export type ChargeStatus = states.ChargeStatus;
/** Statuses of a withdrawal (§3). */
export type WithdrawalStatus = states.WithdrawalStatus;
/** Statuses of a delivery (§3); FAILED is a dead letter. */
export type DeliveryStatus = states.DeliveryStatus;
/** Statuses of an identity session (§3). */
export type SessionStatus = states.SessionStatus;
/** Possible decisions on an identity session (§2.7). */
export type SessionDecision = states.SessionDecision;
/** Type of customer: a person or a company. */
export type CustomerType = enums.CustomerType;
/** Reason for a failed payment, as an SPI code. */
export type FailureReason = enums.FailureReason;
/** Reason for a failed attempt (§2.4). A response other than 2xx is `HTTP_STATUS`. */
export type AttemptError = enums.AttemptError;
/** Error codes (§7). */
export type ErrorCode = refusals.RefusalCode;
/** Permission of an application (§5). */
export type Scope = enums.Scope;
/** Delays between attempts: `real` as in the service (§8), `fast`, or `off` for a single attempt. */
export type RetrySchedule = limits.RetrySchedule;
/** Effect of a fault on an API request. */
export type CallFaultAction = faults.CallFaultAction;
/** Effect of a fault on an attempt. */
export type DeliveryFaultAction = faults.DeliveryFaultAction;

/** A charge as returned by the API (§2.1). Amounts are decimal strings such as `10.00`. */
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

/** Fields of a new charge (§4.1); omitted ones get defaults. Amounts are decimal strings such as `10.00`. */
export type ChargeFields = client.BodyFields<'POST charges'>;
/** Fields of a new withdrawal (§2.2); omitted ones get defaults. */
export type WithdrawalFields = client.BodyFields<'POST withdrawals'>;
/** An additional account. The id is a UUID, the opening balance a decimal string such as `100.00`. */
export type AccountFields = client.BodyFields<'POST apps/:id/accounts'>;
/** Fields of a new application and its first account. `kyc` enables the identity API for an organization. */
export type AppFields = client.BodyFields<'POST apps'>;
/**
 * A fault. `on` is required for `delay`, which applies to both API requests and deliveries. `code` (with
 * `*`), `resource` and `nth` (counted from 1) select the target; `endpoint` is an id or a URL pattern.
 * `delay` is a real-time duration of up to 60 s, `parallel` sends the copies of a duplicate concurrently, and
 * `when` defaults to `answered`.
 */
export type FaultFields = client.BodyFields<'POST faults'>;

/** A webhook endpoint to register (§4.4). Receives all types of events unless `events` lists some. */
export type EndpointFields = Partial<client.BodyFields<'POST endpoints'>> & { readonly url: string };
/** A decision, readable after `delay` (a duration of sandbox time such as `5m`), or a page error. */
export type Decision = client.BodyFields<'POST kyc/sessions/:id/decide'>;
/** Options of a triggered event. Without a charge or withdrawal, one is created with the fields in `with`. */
export type TriggerOptions = client.TriggerOptions;

/** An application of the public API (§5). */
export type AppView = control.AppView;
/** A new application, with its secrets. */
export type AppWithSecrets = control.AppWithSecrets;
/** An account of an application, with its balance. */
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
/** Session result for a partner's server (§4.11). `euid` is null unless the status is approved. */
export type SessionResult = payments.SessionResult;
/** The test receiver and its received attempts, newest last. */
export type ReceiverView = listeners.ReceiverView;
/** A fault on API requests or on deliveries. */
export type FaultView = control.FaultView;
/** A request from the code under test, with its response. */
export type CallView = exchanges.CallView;
/** Sandbox time. A rate of 0 is frozen, 1 is real time. */
export type ClockView = control.ClockView;
/** Result of advancing the clock. */
export type AdvancedView = world.AdvancedView;
/** The executed item, or null if nothing was due. */
export type NextView = world.NextView;
/** The complete state of a sandbox, as plain JSON that contains secrets. */
export type StateFile = Omit<sandbox.StateFile, 'world'> & { readonly world: object };
/** Environment variables for an application using a sandbox. */
export type EnvironmentBlock = credentials.EnvironmentBlock;
