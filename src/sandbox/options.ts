import { randomBytes } from 'node:crypto';
import { assume } from '../contract/assumptions.js';
import type { JournalEntry } from '../core/journal.js';
import { seedFromText } from '../core/ids.js';
import { checkedOrigin } from '../core/identity/organizations.js';
import type { AutoDecision } from '../core/identity/session.js';
import type { World } from '../core/world.js';
import { emptyWorld } from '../core/world.js';
import type { DestinationPolicy } from '../delivery/destination.js';
import type { Credentials } from './credentials.js';

export interface SandboxOptions {
  /** Ids, drawn secrets and chance follow from it; without one they are random at each start. */
  readonly seed?: string | undefined;
  /** Sandbox time begins at this instant (ms) and stands still; without it, it runs with real time. */
  readonly freezeAt?: number | undefined;
  /** Choices for the assumptions register, as texts by id. */
  readonly assume?: Readonly<Record<string, string>> | undefined;
  /** Where deliveries may go; by default to public https addresses alone. */
  readonly policy?: DestinationPolicy | undefined;
  /** Certificate authorities that receivers' certificates are held to, instead of the usual ones (PEM). */
  readonly ca?: string | undefined;
  readonly credentials?: Credentials | undefined;
  /** Charges settle by themselves after so many milliseconds of sandbox time. */
  readonly autoSettleMs?: number | undefined;
  /** False switches identity verification off (§7: 503). */
  readonly kycEnabled?: boolean | undefined;
  /** Identity sessions are decided when they are made, and can be read after this delay. */
  readonly kycAuto?: AutoDecision | undefined;
  /** Where identity pages may be embedded. */
  readonly origins?: readonly string[] | undefined;
  /** Answers as the service does and explains nothing. */
  readonly strict?: boolean | undefined;
  /** Real time in milliseconds. */
  readonly realNow?: (() => number) | undefined;
  /** The world to go on with, in place of a fresh one. */
  readonly restored?: Restored | undefined;
  /** Hears of every change before anybody else is told of it. */
  readonly journal?: Journal | undefined;
}

/** A world that was kept, and how fast time passed in it. */
export interface Restored {
  readonly world: World;
  readonly rate: number;
}

/** Where changes are kept, in order. */
export interface Journal {
  append(entry: JournalEntry): void;
  /** Resolves when all that was appended so far is kept, or cannot be kept any more. */
  flushed(): Promise<void>;
}

/** A world as the options ask for it, in which nobody is yet. Refuses wrong options (INVALID_REQUEST). */
export function freshWorld(options: SandboxOptions, now: number): World {
  const { seed, autoSettleMs, kycEnabled = true, kycAuto, origins = [] } = options;
  const worldSeed = seedFromText(seed ?? randomBytes(16).toString('hex'));
  return emptyWorld(worldSeed, assume(options.assume), now, {
    autoSettleMs: autoSettleMs ?? null,
    kycEnabled,
    kycAuto: kycAuto ?? null,
    origins: origins.map(checkedOrigin),
  });
}
