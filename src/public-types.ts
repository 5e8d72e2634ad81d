// The published types that follow from tables and schemas. The build writes each of them out in full, so that
// the published declarations show what a charge has, and not how its schema is built.
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

/** Types of the service's events (§6). */
export type EventType = enums.EventType;
/** A charge's states (§3). */
export type ChargeStatus = states.ChargeStatus;
/** A withdrawal's states (§3). */
export type WithdrawalStatus = states.WithdrawalStatus;
/** A delivery's states (§3); FAILED is a dead letter. */
export type DeliveryStatus = states.DeliveryStatus;
/** The states of an identity session (§3). */
export type SessionStatus = states.SessionStatus;
/** The possible decisions on an identity session (§2.7). */
export type SessionDecision = states.SessionDecision;
/** Who is verified: a person or a company. */
export type CustomerType = enums.CustomerType;
/** Reason for a failed payment: an SPI code. */
export type FailureReason = enums.FailureReason;
/** Reason for a failed attempt (§2.4); a response other than 2xx is `HTTP_STATUS`. */
export type AttemptError = enums.AttemptError;
/** The codes of errors (§7). */
export type ErrorCode = refusals.RefusalCode;
/** Permission of an application (§5). */
export type Scope = enums.Scope;
/** The waits between attempts: `real` as the service has them (§8), `fast`, or `off` for a single attempt. */
export type RetrySchedule = limits.RetrySchedule;
/** Effect of a fault on an API request. */
export type CallFaultAction = faults.CallFaultAction;
/** Effect of a fault on an attempt. */
export type DeliveryFaultAction = faults.DeliveryFaultAction;

/** A charge as the service shows it (§2.1). Amounts are decimal strings such as `10.00`. */
export type ChargeResource = service.ChargeResource;
/** A withdrawal as the service shows it (§2.2). */
export type WithdrawalResource = service.WithdrawalResource;
/** A webhook endpoint as the service shows it (§2.3). */
export type EndpointResource = service.EndpointResource;
/** A delivery as the service shows it (§2.4). */
export type DeliveryResource = service.DeliveryResource;
/** A line of an account's ledger (§2.5). */
export type TransactionResource = service.TransactionResource;
/** Envelope of every webhook, without type and data (§6). */
export type Envelope = Omit<service.Envelope, 'type' | 'data'>;
/** The body of every error (§7); the sandbox adds `hint`. */
export type ErrorBody = errors.ErrorBody;

/** The fields of a new charge (§4.1); the others get defaults. Amounts are decimal strings such as `10.00`. */
export type ChargeFields = client.BodyFields<'POST charges'>;
/** The fields of a new withdrawal (§2.2); the others get defaults. */
export type WithdrawalFields = client.BodyFields<'POST withdrawals'>;
/** A further account: its id, a UUID, and its opening balance, a decimal string such as `100.00`. */
export type AccountFields = client.BodyFields<'POST apps/:id/accounts'>;
/** The fields of a new application and of its first account; `kyc` gives a new organization the identity API. */
export type AppFields = client.BodyFields<'POST apps'>;
/**
 * A fault. `on` is required for an action that exists for both calls and deliveries (`delay`). `code` (with `*`),
 * `resource` and `nth` (ranks from 1) aim it; `endpoint` is an id, or a pattern for the URL. `delay` is a duration
 * of real time up to 60 s; `parallel` sends the copies of a duplicate at once; `when` is by default `answered`.
 */
export type FaultFields = client.BodyFields<'POST faults'>;

/** A webhook endpoint to register (§4.4); it gets every type of event unless `events` lists some. */
export type EndpointFields = Partial<client.BodyFields<'POST endpoints'>> & { readonly url: string };
/** A decision, readable after `delay` (a duration of sandbox time such as `5m`), or an error of the page. */
export type Decision = client.BodyFields<'POST kyc/sessions/:id/decide'>;
/** Options of a triggered event; without a charge or withdrawal it creates one with the fields of `with`. */
export type TriggerOptions = client.TriggerOptions;

/** An application of the public API (§5). */
export type AppView = control.AppView;
/** A new application, with its secrets. */
export type AppWithSecrets = control.AppWithSecrets;
/** An account of an application, with its balance. */
export type AccountView = control.AccountView;
/** A charge, with its application and why it failed. */
export type ChargeView = control.ChargeView;
/** A withdrawal, with its application and why it failed. */
export type WithdrawalView = control.WithdrawalView;
/** A webhook endpoint or a listener. */
export type EndpointView = control.EndpointView;
/** An event without its resource. */
export type EventLine = exchanges.EventLine;
/** An event with its body and what became of it. */
export type EventView = exchanges.EventView;
/** An event on its way to an endpoint. */
export type DeliveryLine = exchanges.DeliveryLine;
/** A delivery with its attempts; what an attempt looked like is kept of the newest deliveries. */
export type DeliveryView = exchanges.DeliveryView;
/** An identity session, seen from inside. */
export type SessionView = control.SessionView;
/** Result for a partner's server (§4.11): `euid` is null unless the status is approved. */
export type SessionResult = payments.SessionResult;
/** The test receiver and what came, newest last. */
export type ReceiverView = listeners.ReceiverView;
/** A fault: on calls or on deliveries. */
export type FaultView = control.FaultView;
/** A request of the code under test, with its response. */
export type CallView = exchanges.CallView;
/** Sandbox time; a rate of 0 stands still and 1 is real time. */
export type ClockView = control.ClockView;
/** Result of an advance. */
export type AdvancedView = world.AdvancedView;
/** Executed item; null if nothing is due. */
export type NextView = world.NextView;
/** A whole sandbox: a plain JSON value that holds secrets. */
export type StateFile = Omit<sandbox.StateFile, 'world'> & { readonly world: object };
/** Environment for an application using a sandbox. */
export type EnvironmentBlock = credentials.EnvironmentBlock;
