import { type ApplyResult, applyCommand, type Command, isCommandType } from './apply.js';
import { Refusal } from '../contract/refusals.js';
import type { WorldExport } from './state/export.js';
import { importWorld } from './state/import.js';
import type { World } from './world.js';

interface AnyEntry {
  /** Sandbox time in milliseconds. */
  readonly at: number;
  /** Cause shown in the timeline; the world doesn't depend on it. */
  readonly cause?: JournalCause | undefined;
}

interface CommandEntry extends AnyEntry {
  readonly command: Command;
}

/**
 * Identifies the actor behind a command, and the request, scenario or clock move that caused it. Times are
 * milliseconds of sandbox time.
 */
export interface JournalCause {
  readonly by: string;
  readonly scenario?: string;
  readonly call?: { readonly id: string; readonly title: string };
  readonly move?: { readonly from: number; readonly to: number };
  /** Identifies the source of a new world's state, e.g. a named snapshot. */
  readonly state?: { readonly to: string; readonly id: string | null; readonly title: string };
}

export interface ReplayResult {
  readonly command: Command;
  readonly applied: ApplyResult<unknown>;
}

/** New rate of sandbox time: 1 is real time, 0 is frozen. */
interface RateEntry extends AnyEntry {
  readonly rate: number;
}

/** Replaces the current world at startup or after a reset, restore or import. */
export interface WorldEntry extends AnyEntry {
  readonly rate: number;
  readonly world: WorldExport;
}

/** Journal line. The journal records every change to the world in order. */
export type JournalEntry = CommandEntry | RateEntry | WorldEntry;

/** Rebuilds a world by replaying journal entries in order. Never sends webhooks. */
export class Replay {
  #world: World | undefined;
  rate = 1;

  /** Starts with this world, or with the first world in the journal. */
  constructor(world?: World) {
    this.#world = world;
  }

  /**
   * Replays an entry; returns its command and result if it has a command. Throws INVALID_REQUEST for an
   * invalid or missing initial world, and for rejected commands.
   */
  entry(entry: JournalEntry): ReplayResult | undefined {
    if ('rate' in entry) this.rate = entry.rate;
    if ('world' in entry) this.#world = importWorld(entry.world);
    if (!('command' in entry)) return undefined;
    const { command, at } = entry;
    if (!isCommandType(command.type))
      throw new Refusal('INVALID_REQUEST', `Unknown command "${String(command.type)}".`);
    const applied = applyCommand(this.world, command, at);
    if (applied.refusal === undefined) return { command, applied };
    const message = `The command ${command.type} was rejected: ${applied.refusal.message}`;
    throw new Refusal('INVALID_REQUEST', message, {
      hint: 'The journal was modified, or written by another version.',
    });
  }

  get hasWorld(): boolean {
    return this.#world !== undefined;
  }

  get world(): World {
    if (this.#world !== undefined) return this.#world;
    throw new Refusal('INVALID_REQUEST', 'The journal does not start with a world.');
  }
}
