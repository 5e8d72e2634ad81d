import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import type { WorldExport } from '../core/state/export.js';

/** A named copy of a world. */
export interface Snapshot {
  readonly name: string;
  readonly rate: number;
  readonly world: WorldExport;
}

/** Maximum length of an invalid name quoted in an error message. */
const MOST_QUOTED = 100;

/** Pattern for snapshot names, and the error message for invalid names. */
export const SNAPSHOT_NAME_FORM = {
  pattern: /^[\w.-]{1,64}$/,
  problem: (name: string) =>
    'Must be 1 to 64 unaccented letters, digits, hyphens, underscores or periods, without spaces, ' +
    `such as before-test-1; got ${JSON.stringify(name.slice(0, MOST_QUOTED))}.`,
};

/** Stores snapshots in memory across resets. */
export class Snapshots {
  readonly #byName = new Map<string, Snapshot>();

  /** Saves or replaces a snapshot. Rejects invalid names and too many snapshots (INVALID_REQUEST). */
  save(snapshot: Snapshot): Snapshot {
    const { name } = snapshot;
    if (!SNAPSHOT_NAME_FORM.pattern.test(name)) {
      throw new Refusal('INVALID_REQUEST', 'The snapshot name is not valid.', {
        details: [{ field: 'name', message: SNAPSHOT_NAME_FORM.problem(name) }],
      });
    }
    if (!this.#byName.has(name) && this.#byName.size >= LIMITS.snapshots) {
      throw new Refusal('INVALID_REQUEST', `The maximum of ${LIMITS.snapshots} snapshots has been reached.`, {
        hint: 'Drop one with `npx sandbox state drop NAME`.',
      });
    }
    this.#byName.delete(name);
    this.#byName.set(name, snapshot);
    return snapshot;
  }

  /** Finds a snapshot. Rejects an unknown name (NOT_FOUND). */
  find(name: string): Snapshot {
    const snapshot = this.#byName.get(name);
    if (snapshot !== undefined) return snapshot;
    const names = [...this.#byName.keys()].join(', ');
    throw new Refusal('NOT_FOUND', `There is no saved state ${name.slice(0, 64)}.`, {
      hint:
        names === ''
          ? 'Saved states end with the sandbox; `npx sandbox state export FILE` keeps one.'
          : `Saved states: ${names}.`,
    });
  }

  /** Lists the snapshots, oldest first. */
  list(): Snapshot[] {
    return [...this.#byName.values()];
  }

  drop(name: string): void {
    this.#byName.delete(this.find(name).name);
  }
}
