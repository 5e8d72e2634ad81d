import { randomBytes } from 'node:crypto';
import { LIMITS } from '../contract/limits.js';
import { type Delay, parseDelay } from '../contract/delay.js';
import { parseRateLimit, type RateLimit } from '../contract/rate-limit.js';
import { resolveAssumptions } from '../contract/assumptions.js';
import type { JournalEntry } from '../core/journal.js';
import { createSeed } from '../core/ids.js';
import { parseOrigin } from '../core/identity/applications.js';
import type { AutoDecision } from '../core/world.js';
import type { World } from '../core/world.js';
import { createWorld } from '../core/world.js';
import { type DestinationPolicy, parseRoutes } from '../delivery/destination.js';
import type { Credentials } from './credentials.js';
import type { Timeline } from './timeline/timeline.js';

export interface SandboxOptions {
  /** Seed for ids, generated secrets and random choices; random at each start by default. */
  readonly seed?: string | undefined;
  /** Starts with the clock frozen at this instant (ms). By default, the clock runs in real time. */
  readonly freezeAt?: number | undefined;
  /** Overrides for the assumption register, by assumption id. */
  readonly assume?: Readonly<Record<string, string>> | undefined;
  /** Allowed delivery destinations; by default, only public https addresses. */
  readonly policy?: DestinationPolicy | undefined;
  /** Certificate authorities (PEM) to trust for receivers, instead of the default ones. */
  readonly ca?: string | undefined;
  readonly credentials?: Credentials | undefined;
  /** Settles charges automatically after this delay of sandbox time. */
  readonly autoSettleMs?: Delay | undefined;
  /** Number of finished deliveries to retain; 100,000 by default. */
  readonly keepDeliveries?: number | undefined;
  /** Rate limit per application on the payments API, in sandbox time; unlimited by default. */
  readonly rateLimit?: RateLimit | undefined;
  /** Rate limit per organization on the identity API, in sandbox time; unlimited by default. */
  readonly kycRateLimit?: RateLimit | undefined;
  /** Set to false to disable identity verification (§7: 503). */
  readonly kycEnabled?: boolean | undefined;
  /** Decides identity sessions automatically on creation. Results become readable after the delay. */
  readonly kycAuto?: AutoDecision | undefined;
  /** Origins allowed to embed identity pages. */
  readonly origins?: readonly string[] | undefined;
  /** Responds exactly like the service, without hints. */
  readonly strict?: boolean | undefined;
  /** Command name for hints; `npx sandbox` by default. */
  readonly program?: string | undefined;
  /** Restarts the application under test for `restart` faults, which are rejected without this option. */
  readonly restart?: RestartPort | undefined;
  /** Returns real time in milliseconds. */
  readonly realNow?: (() => number) | undefined;
  /** State to resume instead of creating a fresh world. */
  readonly restored?: RestoredState | undefined;
  /** Receives every change before the subscribers. */
  readonly journal?: JournalPort | undefined;
}

/** A stored world with its clock rate. */
export interface RestoredState {
  readonly world: World;
  readonly rate: number;
  /** The world's history, replayed from the journal. */
  readonly timeline?: Timeline;
}

/** Restarts the application; settles early on abort. `target` is the application's URL, if known. */
export type RestartPort = (signal: AbortSignal, target?: URL) => Promise<void>;

/** Stores changes in order. */
export interface JournalPort {
  append(entry: JournalEntry): void;
  /** Resolves once all earlier entries are stored or storing has failed. */
  flushed(): Promise<void>;
}

/** Default policy: only public https addresses. */
export const PUBLIC_ONLY_POLICY: DestinationPolicy = { routes: new Map(), allowLocalEndpoints: false };

/** Converts validated JSON options. Throws an Error for invalid routes. */
export function parseSandboxOptions(json: {
  readonly autoSettle?: string;
  readonly rateLimit?: string;
  readonly kycAuto?: { readonly status: AutoDecision['status']; readonly delay?: string };
  readonly routes?: Readonly<Record<string, string>>;
  readonly allowLocalEndpoints?: boolean;
}) {
  const { autoSettle = '', rateLimit = '', kycAuto, routes = {}, allowLocalEndpoints = false } = json;
  const pairs = Object.entries(routes).map(([from, to]) => `${from}=${to}`);
  return {
    autoSettleMs: parseDelay(autoSettle),
    rateLimit: parseRateLimit(rateLimit),
    kycAuto: kycAuto && { status: kycAuto.status, delayMs: parseDelay(kycAuto.delay ?? '') ?? 0 },
    policy: { routes: parseRoutes(pairs, allowLocalEndpoints), allowLocalEndpoints },
  };
}

/** Creates a world without applications from these options. Rejects invalid options (INVALID_REQUEST). */
export function createFreshWorld(options: SandboxOptions, now: number): World {
  const { seed, autoSettleMs, kycEnabled = true, kycAuto, origins = [] } = options;
  const { keepDeliveries = LIMITS.deliveriesKept } = options;
  const worldSeed = createSeed(seed ?? randomBytes(16).toString('hex'));
  return createWorld(worldSeed, resolveAssumptions(options.assume), now, {
    autoSettleMs: autoSettleMs ?? null,
    kycEnabled,
    kycAuto: kycAuto ?? null,
    origins: origins.map(parseOrigin),
    keepDeliveries,
  });
}
