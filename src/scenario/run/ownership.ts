import type { Doors } from './requests.js';

const LISTS = ['charges', 'withdrawals'] as const;

interface Touching {
  readonly id?: string;
  readonly resource?: { readonly id: string };
  readonly events?: readonly Touching[];
  readonly deliveries?: readonly Touching[];
}

/**
 * The charges and withdrawals of a scenario: those created since it began, and those that a step named. A running sandbox
 * may have others, and the scenario ignores their events.
 */
export class Ownership {
  readonly #doors: Doors;
  readonly #touched = new Set<string>();
  /** The newest of each list at the start; undefined where everything belongs to the scenario. */
  #marks: ReadonlyMap<string, string> | undefined;

  private constructor(doors: Doors, marks: ReadonlyMap<string, string> | undefined) {
    this.#doors = doors;
    this.#marks = marks;
  }

  static async begin(doors: Doors, isFresh: boolean): Promise<Ownership> {
    const marks = new Map<string, string>();
    for (const list of isFresh ? [] : LISTS) {
      const { data } = await doors.control.get(list, { limit: 1 });
      if (data[0] !== undefined) marks.set(list, data[0].id);
    }
    return new Ownership(doors, marks.size === 0 ? undefined : marks);
  }

  /** After a reset everything belongs to the scenario. */
  beginAgain(): void {
    this.#marks = undefined;
  }

  /** Notes the result of a step: what it changed, triggered or resent. */
  touch(result: unknown): void {
    if (typeof result !== 'object' || result === null) return;
    const { id, resource, events = [], deliveries = [] }: Touching = result;
    for (const touched of [id, resource?.id]) if (typeof touched === 'string') this.#touched.add(touched);
    for (const row of [...events, ...deliveries]) this.touch({ resource: row.resource });
  }

  /** Whether the charge or withdrawal of this id currently belongs to the scenario. */
  async test(): Promise<(id: unknown) => boolean> {
    const marks = this.#marks;
    if (marks === undefined) return () => true;
    const own = new Set<unknown>(this.#touched);
    for (const list of LISTS) {
      const isKnown = ({ id }: { readonly id: string }) => id === marks.get(list);
      for (const { id } of await this.#doors.control.list(list, {}, isKnown)) own.add(id);
    }
    return (id) => own.has(id);
  }
}
