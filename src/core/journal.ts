import type { Applied } from './apply.js';
import { apply } from './apply.js';
import { readCommand } from './state/command-schemas.js';
import type { Command } from './commands.js';
import { Refusal } from '../contract/refusals.js';
import { finite } from './state/forms.js';
import { members, readAt } from './state/read.js';
import { number } from '../schema/values.js';
import type { WorldExport } from './state/export.js';
import { importWorld } from './state/import.js';
import type { World } from './world.js';

/**
 * The version of the core's behaviour. Raise it with every change that makes an earlier journal replay differently; a
 * journal of another version is refused, because it would end in another world.
 */
export const CORE_VERSION = 2;

interface AnyEntry {
  /** Sandbox time in milliseconds. */
  readonly at: number;
  /** What led to it, for the timeline; the world does not depend on it. */
  readonly cause?: JournalCause | undefined;
}

/** A command that was applied. */
export interface CommandEntry extends AnyEntry {
  readonly command: Command;
}

/** Who applied a command, and the call, scenario or move of the clock (sandbox time, ms) that it was part of. */
export interface JournalCause {
  readonly by: string;
  readonly scenario?: string;
  readonly call?: { readonly id: string; readonly title: string };
  readonly move?: { readonly from: number; readonly to: number };
  /** What another world is, such as a restored one, in words, and the name under which it was saved. */
  readonly state?: { readonly to: string; readonly id: string | null; readonly title: string };
}

/** A command that was applied again. */
export interface Replayed {
  readonly command: Command;
  readonly applied: Applied<unknown>;
}

/** The new rate of sandbox time: 1 is real time, 0 stands still. */
export interface RateEntry extends AnyEntry {
  readonly rate: number;
}

/** A new world replaces the current one: at the start, or after a reset, restore or import. */
export interface WorldEntry extends AnyEntry {
  readonly rate: number;
  readonly world: WorldExport;
}

/** One line of the journal: everything that ever changed the world, in order. */
export type JournalEntry = CommandEntry | RateEntry | WorldEntry;

const RATE = number('a number from 0 up', { least: 0 });

/** Replays journal entries in order to rebuild their world. It never sends anything. */
export class Replay {
  #world: World | undefined;
  /** The last rate of sandbox time. */
  rate = 1;

  /** Begins with a world, or with the first entry that holds one. */
  constructor(world?: World) {
    this.#world = world;
  }

  /**
   * Refuses (INVALID_REQUEST) an invalid entry, a journal that does not begin with a world, and a command that the world
   * refuses. Returns the command of an entry that has one.
   */
  entry(entry: JournalEntry): Replayed | undefined {
    const given = readAt(members, entry, 'entry');
    const at = readAt(finite, given['at'], 'entry.at');
    if ('world' in given) {
      this.rate = readAt(RATE, given['rate'], 'entry.rate');
      this.#world = importWorld(given['world']);
    } else if ('rate' in given) {
      this.rate = readAt(RATE, given['rate'], 'entry.rate');
    } else {
      const command = readCommand(given['command']);
      const applied = apply(this.world, command, at);
      const { refusal } = applied;
      if (refusal !== undefined) {
        throw new Refusal('INVALID_REQUEST', `The command ${command.type} is refused: ${refusal.message}`, {
          hint: 'The journal was changed, or another version wrote it.',
        });
      }
      return { command, applied };
    }
    return undefined;
  }

  get world(): World {
    if (this.#world !== undefined) return this.#world;
    throw new Refusal('INVALID_REQUEST', 'The journal does not begin with a world.');
  }
}
