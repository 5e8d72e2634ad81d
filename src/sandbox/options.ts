import { randomBytes } from 'node:crypto';
import { LIMITS } from '../contract/limits.js';
import { parseDuration } from '../contract/time.js';
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
  /** Determines ids, generated secrets and chance; without a seed they are random at each start. */
  readonly seed?: string | undefined;
  /** Sandbox time starts frozen at this instant (ms); without it, it runs with real time. */
  readonly freezeAt?: number | undefined;
  /** Choices for the assumption register, as texts by id. */
  readonly assume?: Readonly<Record<string, string>> | undefined;
  /** Allowed destinations; by default only public https addresses. */
  readonly policy?: DestinationPolicy | undefined;
  /** Certificate authorities to trust for receivers, instead of the usual ones (PEM). */
  readonly ca?: string | undefined;
  readonly credentials?: Credentials | undefined;
  /** Settles charges automatically after this time, in milliseconds of sandbox time. */
  readonly autoSettleMs?: number | undefined;
  /** Number of finished deliveries to keep; 100,000 by default. */
  readonly keepDeliveries?: number | undefined;
  /** False switches identity verification off (§7: 503). */
  readonly kycEnabled?: boolean | undefined;
  /** Decides identity sessions when they are created; results are readable after this delay. */
  readonly kycAuto?: AutoDecision | undefined;
  /** Origins allowed to embed identity pages. */
  readonly origins?: readonly string[] | undefined;
  /** Responds exactly like the service, without explanations. */
  readonly strict?: boolean | undefined;
  /** The program as hints name it, if not `npx sandbox`: as whoever started this sandbox calls it. */
  readonly program?: string | undefined;
  /** Restarts the application under test, for the fault `restart`; without it, that fault is refused. */
  readonly restart?: RestartPort | undefined;
  /** Real time in milliseconds. */
  readonly realNow?: (() => number) | undefined;
  /** The world to continue with, instead of a fresh one. */
  readonly restored?: RestoredState | undefined;
  /** Gets every change before any subscriber. */
  readonly journal?: JournalPort | undefined;
}

/** A stored world, and its clock rate. */
export interface RestoredState {
  readonly world: World;
  readonly rate: number;
  /** Its history from the journal. */
  readonly timeline?: Timeline;
}

/**
 * Resolves when the application has restarted; ends early when the signal aborts. `target` is the URL where
 * it listens, if known.
 */
export type RestartPort = (signal: AbortSignal, target?: URL) => Promise<void>;

/** Stores changes in order. */
export interface JournalPort {
  append(entry: JournalEntry): void;
  /** Resolves when everything appended before is stored, or cannot be stored any more. */
  flushed(): Promise<void>;
}

/** The default policy for receivers. */
export const PUBLIC_ONLY_POLICY: DestinationPolicy = { routes: new Map(), allowLocalEndpoints: false };

/** Options of a sandbox in JSON, with valid durations. Throws Error for invalid routes. */
export function parseSandboxOptions(json: {
  readonly autoSettle?: string;
  readonly kycAuto?: { readonly status: AutoDecision['status']; readonly delay?: string };
  readonly routes?: Readonly<Record<string, string>>;
  readonly allowLocalEndpoints?: boolean;
}) {
  const { autoSettle = '', kycAuto, routes = {}, allowLocalEndpoints = false } = json;
  const pairs = Object.entries(routes).map(([from, to]) => `${from}=${to}`);
  return {
    autoSettleMs: parseDuration(autoSettle),
    kycAuto: kycAuto && { status: kycAuto.status, delayMs: parseDuration(kycAuto.delay ?? '') ?? 0 },
    policy: { routes: parseRoutes(pairs, allowLocalEndpoints), allowLocalEndpoints },
  };
}

/** A world with these options and without applications. Refuses invalid options (INVALID_REQUEST). */
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
