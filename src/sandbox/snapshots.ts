import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import type { WorldExport } from '../core/state/export.js';

/** A world as it was, under a name. */
export interface Snapshot {
  readonly name: string;
  readonly rate: number;
  readonly world: WorldExport;
}

/** Most characters of an invalid name quoted in a message. */
const MOST_QUOTED = 100;

/** The form of a snapshot's name. */
export const SNAPSHOT_NAME_FORM = {
  pattern: /^[\w.-]{1,64}$/,
  problem: (name: string) =>
    'Must have 1 to 64 letters without accents, digits, hyphens, underscores or points, and no spaces, ' +
    `such as before-test-1; got ${JSON.stringify(name.slice(0, MOST_QUOTED))}.`,
};

/** Saved worlds. They last as long as the process, even through resets. */
export class Snapshots {
  readonly #byName = new Map<string, Snapshot>();

  /** Saves a snapshot, replacing one of the same name. Refuses an invalid name, and one too many (INVALID_REQUEST). */
  save(snapshot: Snapshot): Snapshot {
    const { name } = snapshot;
    if (!SNAPSHOT_NAME_FORM.pattern.test(name)) {
      throw new Refusal('INVALID_REQUEST', 'The name of a snapshot is not valid.', {
        details: [{ field: 'name', message: SNAPSHOT_NAME_FORM.problem(name) }],
      });
    }
    if (!this.#byName.has(name) && this.#byName.size >= LIMITS.snapshots) {
      throw new Refusal('INVALID_REQUEST', `There are already ${LIMITS.snapshots} snapshots, the maximum.`, {
        hint: 'Drop one: `npx sandbox state drop NAME`.',
      });
    }
    this.#byName.delete(name);
    this.#byName.set(name, snapshot);
    return snapshot;
  }

  /** Refuses (NOT_FOUND) an unknown name. */
  find(name: string): Snapshot {
    const snapshot = this.#byName.get(name);
    if (snapshot !== undefined) return snapshot;
    const names = [...this.#byName.keys()].join(', ');
    throw new Refusal('NOT_FOUND', `There is no snapshot ${name.slice(0, 64)}.`, {
      hint: names === '' ? 'Take one: `npx sandbox state save NAME`.' : `There are: ${names}.`,
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
