import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import type { WorldExport } from '../core/state/export.js';

/** A world as it was, under a name. */
export interface Snapshot {
  readonly name: string;
  readonly rate: number;
  readonly world: WorldExport;
}

export const SNAPSHOT_NAME_PATTERN = /^[\w.-]{1,64}$/;
export const SNAPSHOT_NAME_PROBLEM = 'Has 1 to 64 of A-Z a-z 0-9 _ . -';

/** Worlds to come back to. They live as long as the process does, also through resets. */
export class Snapshots {
  readonly #byName = new Map<string, Snapshot>();

  /** Keeps one in the place of an earlier one of that name. Refuses a name that is none, and one too many (INVALID_REQUEST). */
  save(snapshot: Snapshot): Snapshot {
    const { name } = snapshot;
    if (!SNAPSHOT_NAME_PATTERN.test(name)) {
      throw new Refusal('INVALID_REQUEST', 'The name of a snapshot has 1 to 64 of A-Z a-z 0-9 _ . -', {
        details: [{ field: 'name', message: SNAPSHOT_NAME_PROBLEM }],
      });
    }
    if (!this.#byName.has(name) && this.#byName.size >= LIMITS.snapshots) {
      throw new Refusal(
        'INVALID_REQUEST',
        `There are ${LIMITS.snapshots} snapshots, the most that there may be.`,
        {
          hint: 'Drop one: `npx pix-sandbox state drop NAME`.',
        },
      );
    }
    this.#byName.delete(name);
    this.#byName.set(name, snapshot);
    return snapshot;
  }

  /** Refuses (NOT_FOUND) a name that stands for none. */
  find(name: string): Snapshot {
    const snapshot = this.#byName.get(name);
    if (snapshot !== undefined) return snapshot;
    const names = [...this.#byName.keys()].join(', ');
    throw new Refusal('NOT_FOUND', `There is no snapshot ${name.slice(0, 64)}.`, {
      hint: names === '' ? 'Take one: `npx pix-sandbox state save NAME`.' : `There are: ${names}.`,
    });
  }

  /** Oldest first. */
  list(): Snapshot[] {
    return [...this.#byName.values()];
  }

  drop(name: string): void {
    this.#byName.delete(this.find(name).name);
  }
}
