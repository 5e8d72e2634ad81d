import { type ApplyResult, apply, type Command, isCommandType } from './apply.js';
import { Refusal } from '../contract/refusals.js';
import type { WorldExport } from './state/export.js';
import { importWorld } from './state/import.js';
import type { World } from './world.js';

interface AnyEntry {
  /** Sandbox time in milliseconds. */
  readonly at: number;
  /** Cause for the timeline; the world does not depend on it. */
  readonly cause?: JournalCause | undefined;
}

interface CommandEntry extends AnyEntry {
  readonly command: Command;
}

/** Who applied a command, and the call, scenario or move of the clock (sandbox time, ms) that it was part of. */
export interface JournalCause {
  readonly by: string;
  readonly scenario?: string;
  readonly call?: { readonly id: string; readonly title: string };
  readonly move?: { readonly from: number; readonly to: number };
  /** Description of a new world, such as a restored one, and its saved name. */
  readonly state?: { readonly to: string; readonly id: string | null; readonly title: string };
}

export interface ReplayResult {
  readonly command: Command;
  readonly applied: ApplyResult<unknown>;
}

/** The new rate of sandbox time: 1 is real time, 0 stands still. */
interface RateEntry extends AnyEntry {
  readonly rate: number;
}

/** A new world replaces the current one: at the start, or after a reset, restore or import. */
export interface WorldEntry extends AnyEntry {
  readonly rate: number;
  readonly world: WorldExport;
}

/** One line of the journal: everything that ever changed the world, in order. */
export type JournalEntry = CommandEntry | RateEntry | WorldEntry;

/** Replays journal entries in order to rebuild their world. It never sends anything. */
export class Replay {
  #world: World | undefined;
  rate = 1;

  /** Begins with a world, or with the first entry that holds one. */
  constructor(world?: World) {
    this.#world = world;
  }

  /**
   * Replays an entry and returns its command, if any. Refuses (INVALID_REQUEST) an invalid world, a journal
   * without an initial world, and commands refused by the world.
   */
  entry(entry: JournalEntry): ReplayResult | undefined {
    if ('rate' in entry) this.rate = entry.rate;
    if ('world' in entry) this.#world = importWorld(entry.world);
    if (!('command' in entry)) return undefined;
    const { command, at } = entry;
    if (!isCommandType(command.type))
      throw new Refusal('INVALID_REQUEST', `There is no command "${String(command.type)}".`);
    const applied = apply(this.world, command, at);
    if (applied.refusal === undefined) return { command, applied };
    const message = `The command ${command.type} is refused: ${applied.refusal.message}`;
    throw new Refusal('INVALID_REQUEST', message, {
      hint: 'The journal was changed, or another version wrote it.',
    });
  }

  get hasWorld(): boolean {
    return this.#world !== undefined;
  }

  get world(): World {
    if (this.#world !== undefined) return this.#world;
    throw new Refusal('INVALID_REQUEST', 'The journal does not begin with a world.');
  }
}
