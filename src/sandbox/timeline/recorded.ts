import type { Actor, Entry, EntryFacts } from './entry.js';
import type { Said } from './said.js';
import { withoutSecrets } from './said.js';
import { Telling } from './telling.js';

/**
 * An entry on its way, and then in the ring: `seq` is 0 until it has its number. It is put into words when it is first read, because
 * most entries never are, and the words are most of what it takes.
 */
export class Recorded {
  seq = 0;
  cause: number | null = null;
  readonly by: Actor;
  at: number;
  realAt: number | null;
  #said: Said | Telling;
  #entry: Entry | undefined;

  constructor(said: Said | Telling, by: Actor, at: number, realAt: number | null) {
    this.#said = said;
    this.by = by;
    this.at = at;
    this.realAt = realAt;
  }

  get kind(): Entry['kind'] {
    return this.#said.kind;
  }

  get id(): string | null {
    return this.#said.id;
  }

  get title(): string {
    return this.#words().title;
  }

  get facts(): EntryFacts {
    return this.#words().facts;
  }

  /** Says more of a call: how it was answered. */
  answer(answered: Pick<Said, 'title' | 'facts'>): void {
    this.#said = { kind: this.kind, id: this.id, ...answered };
  }

  /** The entry in its words, always the same ones: those of the first time. */
  entry(hide: (text: string) => string): Entry {
    if (this.#entry !== undefined) return this.#entry;
    const { seq, cause, by, at, realAt } = this;
    const { kind, id, title, facts } = this.#words();
    const shown = { title, facts, ...withoutSecrets({ title, facts }, hide) };
    const entry: Entry = { seq, cause, by, at, realAt, kind, id, ...shown };
    this.#entry = entry;
    // So that rows which are gone are not kept.
    this.#said = entry;
    return entry;
  }

  #words(): Said {
    return this.#said instanceof Telling ? this.#said.said() : this.#said;
  }
}
