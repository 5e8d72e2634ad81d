import type { AssumptionChoices } from '../contract/assumptions.js';
import type { PaymentInput } from '../contract/fields.js';
import { LIMITS } from '../contract/limits.js';
import type { ValuesOf } from '../schema/object.js';
import type { Infer } from '../schema/schema.js';
import { type Agenda, createAgenda } from './agenda.js';
import type { IdSeed } from './ids.js';
import type * as rows from './rows.js';
import { createTable, type Table } from './table.js';

export interface Organization extends Infer<typeof rows.ORGANIZATION_ROW> {
  readonly sessionsByKey: Map<string, IdentitySession>;
}

export interface App extends Omit<Infer<typeof rows.APP_ROW>, 'nonces'> {
  readonly chargesByCode: Map<string, Charge>;
  readonly withdrawalsByCode: Map<string, Withdrawal>;
  readonly withdrawals: Withdrawal[];
  readonly nonces: Map<string, number>;
}

export interface Account extends Omit<Infer<typeof rows.ACCOUNT_ROW>, 'balanceCents'> {
  balanceCents: bigint;
}

export type Charge = Infer<typeof rows.CHARGE_ROW>;
export type ChargeInput = PaymentInput<'charge'>;

export type Withdrawal = Infer<typeof rows.WITHDRAWAL_ROW>;
export type WithdrawalInput = PaymentInput<'withdrawal'>;

export type Transaction = Infer<typeof rows.TRANSACTION_ROW>;

export interface Endpoint extends Infer<typeof rows.ENDPOINT_ROW> {
  readonly deliveries: Delivery[];
}

export type Override = Infer<typeof rows.OVERRIDE_ROW>;
export type AnnouncedEvent = Infer<typeof rows.EVENT_ROW>;
export type Attempt = Infer<typeof rows.ATTEMPT_ROW>;

export interface Delivery extends Omit<Infer<typeof rows.DELIVERY_ROW>, 'event'> {
  readonly event: AnnouncedEvent;
}

export type IdentitySession = Infer<typeof rows.SESSION_ROW>;
export type AutoDecision = Infer<typeof rows.AUTO_DECISION>;

export type FaultTarget = ValuesOf<typeof rows.FAULT_TARGET>;
export type CallMatch = Infer<typeof rows.CALL_MATCH>;
export type DeliveryMatch = Infer<typeof rows.DELIVERY_MATCH>;
export type CallFault = Infer<typeof rows.CALL_FAULT>;
export type DeliveryFault = Infer<typeof rows.DELIVERY_FAULT>;
export type Fault = CallFault | DeliveryFault;

/** `forMs` sets the end of the window relative to its start. */
type Requested<Row> = Readonly<Omit<Row, 'ordinal' | 'id' | 'seen' | 'fired'>> & { readonly forMs?: number };
export type DeliveryFaultInput = Requested<DeliveryFault>;
export type FaultInput = Requested<CallFault> | DeliveryFaultInput;

/** Describes a fired fault to the code that applies it. */
export interface FiredFault<Action extends string = string> extends ValuesOf<typeof rows.FAULT_DETAILS> {
  readonly id: string;
  readonly action: Action;
  /** Name of the incident that added the fault. */
  readonly incident?: string | undefined;
}

export type WorldSettings = Readonly<ValuesOf<typeof rows.WORLD_SETTINGS>>;

/** Complete state of a sandbox: plain data that only `applyCommand` changes. */
export interface World extends Omit<Infer<typeof rows.WORLD_HEAD>, keyof WorldSettings>, WorldSettings {
  readonly seed: IdSeed;
  readonly assumed: AssumptionChoices;
  readonly organizations: Table<Organization>;
  readonly apps: Table<App>;
  readonly appsByToken: Map<string, App>;
  readonly accounts: Map<string, Account>;
  readonly charges: Table<Charge>;
  readonly withdrawals: Table<Withdrawal>;
  readonly endpoints: Map<string, Endpoint>;
  readonly events: Table<AnnouncedEvent>;
  readonly deliveries: Table<Delivery>;
  /** Events without a delivery, tracked for retention. */
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

export function createWorld(
  seed: IdSeed,
  assumed: AssumptionChoices,
  now: number,
  settings: Partial<WorldSettings> = {},
): World {
  return {
    seed,
    assumed,
    ...DEFAULT_SETTINGS,
    ...settings,
    now,
    organizations: createTable(),
    apps: createTable(),
    appsByToken: new Map(),
    accounts: new Map(),
    charges: createTable(),
    withdrawals: createTable(),
    transactionCount: 0,
    endpoints: new Map(),
    endpointCount: 0,
    eventCount: 0,
    deliveryCount: 0,
    events: createTable(),
    deliveries: createTable(),
    undelivered: new Set(),
    deliveriesPaused: false,
    sessions: createTable(),
    faults: new Map(),
    faultCount: 0,
    agenda: createAgenda(),
  };
}
