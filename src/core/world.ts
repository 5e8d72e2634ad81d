import { type Agenda, emptyAgenda } from './agenda.js';
import type { Assumed } from '../contract/assumptions.js';
import type { AttemptError, EventType, FailureReason, Scope } from '../contract/enums.js';
import type { DeliveryFaultAction } from '../contract/fault-kinds.js';
import type { Fault, FiredFault } from './webhooks/faults.js';
import type { Seed } from './ids.js';
import type { RetrySchedule } from '../contract/limits.js';
import { LIMITS } from '../contract/limits.js';
import type { Override } from './webhooks/overrides.js';
import type { AutoDecision, IdentitySession } from './identity/session.js';
import type {
  ChargeStatus,
  DeliveryStatus,
  ENDPOINT_STATUSES,
  WithdrawalStatus,
} from '../contract/transitions.js';
import type { Table } from './table.js';
import { emptyTable } from './table.js';
import type { PixKeyType } from './payments/documents.js';

export type Metadata = Readonly<Record<string, string>>;

/** Who holds the credentials of the identity API (§5.4); every application belongs to one. */
export interface Organization {
  readonly ordinal: number;
  readonly id: string;
  readonly name: string;
  /** The bearer credential and the key of publishable-key mode; null where none was provisioned. */
  kycToken: string | null;
  publishableKey: string | null;
  /** Where its pages may be embedded, beside the world's own `origins`. */
  readonly origins: string[];
  readonly sessionsByKey: Map<string, IdentitySession>;
}

/** The caller that a token identifies, and its scopes (§5). */
export interface App {
  readonly ordinal: number;
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  token: string;
  signingSecret: string;
  readonly scopes: readonly Scope[];
  /** Its first account, which payments use that name none. */
  readonly accountId: string;
  readonly chargesByCode: Map<string, Charge>;
  readonly withdrawalsByCode: Map<string, Withdrawal>;
  readonly withdrawals: Withdrawal[];
  /** Used nonces and the real time, in seconds, until which each is remembered. */
  readonly nonces: Map<string, number>;
}

export interface Account {
  readonly id: string;
  readonly appId: string;
  /** The sum of the ledger, in cents; a bigint because sums of large amounts pass 2^53. */
  balanceCents: bigint;
  readonly transactions: Transaction[];
}

export interface ChargeInput {
  readonly code: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly payerName: string | null;
  readonly payerDocument: string | null;
  readonly metadata: Metadata;
}

export interface Charge extends ChargeInput {
  readonly ordinal: number;
  readonly id: string;
  readonly appId: string;
  readonly providerFeeCents: number;
  readonly partnerFeeCents: number;
  readonly createdAt: number;
  status: ChargeStatus;
  expiresAt: number;
  /** The fault `event-first` settled it, and no one else has asked for that yet. */
  settledEarly?: true | undefined;
  /** Why it failed: visible in the control API only. */
  reason: FailureReason | null;
}

export interface WithdrawalInput {
  readonly code: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly pixKey: string;
  readonly pixKeyType: PixKeyType;
  readonly beneficiaryDocument: string | null;
  readonly beneficiaryName: string | null;
  readonly metadata: Metadata;
}

export interface Withdrawal extends WithdrawalInput {
  readonly ordinal: number;
  readonly id: string;
  readonly appId: string;
  readonly feeCents: number;
  readonly createdAt: number;
  status: WithdrawalStatus;
  /** The SPI code of a rejection or return: visible in the control API only. */
  reason: FailureReason | null;
}

/** One line of the ledger; its id follows from its ordinal when it is shown. */
export interface Transaction {
  readonly ordinal: number;
  readonly code: string;
  readonly amountCents: number;
  readonly direction: 'CREDIT' | 'DEBIT';
  readonly createdAt: number;
}

export interface Endpoint {
  readonly ordinal: number;
  readonly id: string;
  readonly appId: string;
  readonly url: string;
  readonly transport: 'http' | 'listener';
  readonly createdAt: number;
  description: string | null;
  events: readonly EventType[];
  schedule: RetrySchedule;
  timeoutMs: number;
  /** Attempts in flight at a time. */
  concurrency: number;
  updatedAt: number;
  status: (typeof ENDPOINT_STATUSES)[number];
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: number;
  /** Listeners only: whether they are connected. */
  connected: boolean;
  readonly deliveries: Delivery[];
}

/** A webhook event (§6). The resource is kept as the transition left it. */
export type AnnouncedEvent = {
  readonly ordinal: number;
  readonly id: string;
  readonly at: number;
  /** The requested changes to the payload. */
  readonly overrides?: readonly Override[];
} & (
  | { readonly type: `pix.${string}` & EventType; readonly resource: Readonly<Charge> }
  | { readonly type: `withdrawal.${string}` & EventType; readonly resource: Readonly<Withdrawal> }
);

/** One HTTP try. Latency and raw texts stay outside the world. */
export interface Attempt {
  readonly number: number;
  readonly startedAt: number;
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** The faults that fired on it. */
  readonly faults?: readonly FiredFault<DeliveryFaultAction>[];
}

/** One event for one endpoint, and the state of its delivery (§2.4). */
export interface Delivery {
  readonly ordinal: number;
  readonly id: string;
  readonly event: AnnouncedEvent;
  readonly endpointId: string;
  readonly createdAt: number;
  status: DeliveryStatus;
  /** Attempts started, and the limit after which it becomes a dead letter. */
  attempts: number;
  attemptLimit: number;
  inFlight: boolean;
  /** The faults that fired on the attempt in flight. */
  faults: readonly FiredFault<DeliveryFaultAction>[];
  lastAttemptAt: number | null;
  lastStatus: number | null;
  lastError: AttemptError | null;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  /** The newest attempts whose outcome is known. */
  log: readonly Attempt[];
}

/** The whole state: plain data, changed by `apply` alone. */
export interface World {
  readonly seed: Seed;
  readonly assumed: Assumed;
  /** Milliseconds until charges are paid automatically; null switches that off. */
  readonly autoSettleMs: number | null;
  /** Whether identity verification is enabled for the environment (§7: 503 where it is not). */
  readonly kycEnabled: boolean;
  /** The automatic decision for every session; null switches that off. */
  readonly kycAuto: AutoDecision | null;
  /** Where every organization's pages may be embedded; a port may be `*`. */
  readonly origins: readonly string[];
  /** The most finished deliveries, and events without a delivery, before the oldest are dropped. */
  readonly keepDeliveries: number;
  /** The latest instant that was applied, in milliseconds of sandbox time. */
  now: number;
  readonly organizations: Table<Organization>;
  readonly apps: Table<App>;
  readonly appsByToken: Map<string, App>;
  readonly accounts: Map<string, Account>;
  readonly charges: Table<Charge>;
  readonly withdrawals: Table<Withdrawal>;
  transactionCount: number;
  readonly endpoints: Map<string, Endpoint>;
  endpointCount: number;
  /** How many events and deliveries there ever were: the oldest are dropped, and an ordinal is never used again. */
  eventCount: number;
  deliveryCount: number;
  readonly events: Table<AnnouncedEvent>;
  readonly deliveries: Table<Delivery>;
  /** The events without a delivery, which retention counts. */
  readonly undelivered: Set<AnnouncedEvent>;
  /** While true no attempt starts: due attempts are held back until deliveries are resumed. */
  deliveriesPaused: boolean;
  readonly sessions: Table<IdentitySession>;
  readonly faults: Map<string, Fault>;
  faultCount: number;
  readonly agenda: Agenda;
}

/** The settings of a world, fixed for its lifetime. */
export type WorldSettings = Pick<
  World,
  'autoSettleMs' | 'kycEnabled' | 'kycAuto' | 'origins' | 'keepDeliveries'
>;

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
