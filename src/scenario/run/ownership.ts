import type { Doors } from './requests.js';

const LISTS = ['charges', 'withdrawals'] as const;

interface Touching {
  readonly id?: string;
  readonly resource?: { readonly id: string };
  readonly events?: readonly Touching[];
  readonly deliveries?: readonly Touching[];
}

/**
 * Which charges and withdrawals a scenario is about: those that came since it began, and those that a step named. Others may be
 * there in a running sandbox, and what falls due for them while the clock advances is none of its business.
 */
export class Ownership {
  readonly #doors: Doors;
  readonly #touched = new Set<string>();
  /** The newest of each list at the beginning; undefined where everything is the scenario's own. */
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

  /** After a reset everything is. */
  beginAgain(): void {
    this.#marks = undefined;
  }

  /** Takes note of what a step came to: of what it moved, made happen, or sent again. */
  touch(result: unknown): void {
    if (typeof result !== 'object' || result === null) return;
    const { id, resource, events = [], deliveries = [] }: Touching = result;
    for (const touched of [id, resource?.id]) if (typeof touched === 'string') this.#touched.add(touched);
    for (const row of [...events, ...deliveries]) this.touch({ resource: row.resource });
  }

  /** Whether a charge or withdrawal, by its id, is the scenario's, as things are now. */
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
