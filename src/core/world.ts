import type { Assumed } from '../contract/assumptions.js';
import type { PaymentInput } from '../contract/fields.js';
import { LIMITS } from '../contract/limits.js';
import type { ValuesOf } from '../schema/object.js';
import type { Infer } from '../schema/schema.js';
import { type Agenda, emptyAgenda } from './agenda.js';
import type { Seed } from './ids.js';
import type * as rows from './rows.js';
import { emptyTable, type Table } from './table.js';

export interface Organization extends Infer<typeof rows.ORGANIZATION> {
  readonly sessionsByKey: Map<string, IdentitySession>;
}

export interface App extends Omit<Infer<typeof rows.APP>, 'nonces'> {
  readonly chargesByCode: Map<string, Charge>;
  readonly withdrawalsByCode: Map<string, Withdrawal>;
  readonly withdrawals: Withdrawal[];
  readonly nonces: Map<string, number>;
}

export interface Account extends Omit<Infer<typeof rows.ACCOUNT>, 'balanceCents'> {
  balanceCents: bigint;
}

export type Charge = Infer<typeof rows.CHARGE>;
export type ChargeInput = PaymentInput<'charge'>;

export type Withdrawal = Infer<typeof rows.WITHDRAWAL>;
export type WithdrawalInput = PaymentInput<'withdrawal'>;

export type Transaction = Infer<typeof rows.TRANSACTION>;

export interface Endpoint extends Infer<typeof rows.ENDPOINT> {
  readonly deliveries: Delivery[];
}

export type Override = Infer<typeof rows.OVERRIDE>;
export type AnnouncedEvent = Infer<typeof rows.EVENT>;
export type Attempt = Infer<typeof rows.ATTEMPT>;

export interface Delivery extends Omit<Infer<typeof rows.DELIVERY>, 'event'> {
  readonly event: AnnouncedEvent;
}

export type IdentitySession = Infer<typeof rows.SESSION>;
export type AutoDecision = Infer<typeof rows.AUTO_DECISION>;

export type Aim = ValuesOf<typeof rows.AIM>;
export type CallMatch = Infer<typeof rows.CALL_MATCH>;
export type DeliveryMatch = Infer<typeof rows.DELIVERY_MATCH>;
export type CallFault = Infer<typeof rows.CALL_FAULT>;
export type DeliveryFault = Infer<typeof rows.DELIVERY_FAULT>;
/** A fault: misbehaviour on request. */
export type Fault = CallFault | DeliveryFault;

type Requested<Row> = Readonly<Omit<Row, 'ordinal' | 'id' | 'seen' | 'fired'>>;
export type DeliveryFaultInput = Requested<DeliveryFault>;
export type FaultInput = Requested<CallFault> | DeliveryFaultInput;

/** A fault that fired, as passed to the code that applies it. */
export interface FiredFault<Action extends string = string> extends ValuesOf<typeof rows.FAULT_DETAILS> {
  readonly id: string;
  readonly action: Action;
}

export type WorldSettings = Readonly<ValuesOf<typeof rows.SETTINGS>>;

/** The whole state: plain data, changed only by `apply`. */
export interface World extends Omit<Infer<typeof rows.HEAD>, keyof WorldSettings>, WorldSettings {
  readonly seed: Seed;
  readonly assumed: Assumed;
  readonly organizations: Table<Organization>;
  readonly apps: Table<App>;
  readonly appsByToken: Map<string, App>;
  readonly accounts: Map<string, Account>;
  readonly charges: Table<Charge>;
  readonly withdrawals: Table<Withdrawal>;
  readonly endpoints: Map<string, Endpoint>;
  readonly events: Table<AnnouncedEvent>;
  readonly deliveries: Table<Delivery>;
  /** The events without a delivery, which retention counts. */
  readonly undelivered: Set<AnnouncedEvent>;
  readonly sessions: Table<IdentitySession>;
  readonly faults: Map<string, Fault>;
  readonly agenda: Agenda;
}

const DEFAULT_SETTINGS: WorldSettings = {
  autoSettleMs: null,
  kycEnabled: true,
  kycAuto: null,
  origins: [],
  keepDeliveries: LIMITS.deliveriesKept,
};

export function emptyWorld(
  seed: Seed,
  assumed: Assumed,
  now: number,
  settings: Partial<WorldSettings> = {},
): World {
  return {
    seed,
    assumed,
    ...DEFAULT_SETTINGS,
    ...settings,
    now,
    organizations: emptyTable(),
    apps: emptyTable(),
    appsByToken: new Map(),
    accounts: new Map(),
    charges: emptyTable(),
    withdrawals: emptyTable(),
    transactionCount: 0,
    endpoints: new Map(),
    endpointCount: 0,
    eventCount: 0,
    deliveryCount: 0,
    events: emptyTable(),
    deliveries: emptyTable(),
    undelivered: new Set(),
    deliveriesPaused: false,
    sessions: emptyTable(),
    faults: new Map(),
    faultCount: 0,
    agenda: emptyAgenda(),
  };
}
