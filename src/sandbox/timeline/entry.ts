import type { EntryFacts } from './facts.js';

/** Subjects of timeline entries. */
export const ENTRY_KINDS = [
  'call',
  'command',
  'change',
  'event',
  'delivery',
  'attempt',
  'clock',
  'fault',
  'listener',
  'state',
] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Who or what began a story. `control` is the control API, and so every command of the CLI. */
export const ACTORS = ['call', 'control', 'console', 'scenario', 'clock', 'listener', 'sandbox'] as const;

export type Actor = (typeof ACTORS)[number];

/** One thing that happened. Entries never change once they have a number. */
export interface Entry {
  /** From 1, without gaps, within one run of the process. */
  readonly seq: number;
  /** The number of the entry that led to this one; null for what came from outside. */
  readonly cause: number | null;
  readonly by: Actor;
  /** Sandbox time and real time, in milliseconds; real time is null for what was rebuilt from a journal. */
  readonly at: number;
  readonly realAt: number | null;
  readonly kind: EntryKind;
  /** The row it is about; an attempt is `<delivery id>.<number>`. */
  readonly id: string | null;
  readonly title: string;
  readonly facts: EntryFacts;
}

export function createAttemptId(deliveryId: string, number: number): string {
  return `${deliveryId}.${number}`;
}

/** The content of an entry, without when it happened and who began it. */
export type EntryContent = Pick<Entry, 'kind' | 'id' | 'title' | 'facts'>;

/** An entry before and after it gets its number: `seq` is 0 until then. */
export type EntryDraft = { -readonly [Field in keyof Entry]: Entry[Field] };

export function createEntryDraft(
  content: EntryContent,
  by: Actor,
  at: number,
  realAt: number | null,
): EntryDraft {
  const { kind, id, title, facts } = content;
  return { seq: 0, cause: null, by, at, realAt, kind, id, title, facts };
}

/** Who applies commands. */
export interface Cause {
  readonly by: Actor;
  /** The running scenario. */
  readonly scenario?: string;
  /** The pending request. */
  readonly call?: PendingRequest;
  /** Origin of the pending requests. */
  readonly asked?: EntryDraft;
  /** The move of the clock that makes things due; it has an entry from its first command on. */
  readonly move?: EntryDraft;
}

interface Held {
  readonly entry: EntryDraft;
  readonly parent: EntryDraft | undefined;
}

/**
 * A pending request. Its consequences are held back until its response is known, so the request precedes
 * them.
 */
export interface PendingRequest {
  readonly entry: EntryDraft;
  /** Its parent entry, unless external. */
  readonly parent?: EntryDraft | undefined;
  readonly held: Held[];
  /** The attempts under way when it began, with the application that each goes to. */
  readonly during: readonly (readonly [attempt: string, appId: string])[];
}

/** Redacts secrets used as a code, a name or part of an address in title and facts. */
export function redactEntry(
  { title, facts }: Pick<Entry, 'title' | 'facts'>,
  hide: (text: string) => string,
): Partial<Pick<Entry, 'title' | 'facts'>> {
  const { code, target, scenario } = facts;
  const texts = [title, code, target, scenario].join('\n');
  if (hide(texts) === texts) return {};
  const shown = Object.entries({ code, target, scenario }).filter(([, text]) => text !== undefined);
  const hidden = Object.fromEntries(shown.map(([name, text]) => [name, hide(text ?? '')]));
  return { title: hide(title), facts: { ...facts, ...hidden } };
}

/** The newest entries, by number. */
export class EntryRing {
  /** Removes known secrets from a text. */
  hide: (text: string) => string = (text) => text;
  readonly #max: number;
  readonly #slots: EntryDraft[] = [];
  #newest = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** The number of the last entry; 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Number of the oldest stored entry; one above the newest if empty. */
  get oldest(): number {
    return this.#newest - this.#slots.length + 1;
  }

  /** Keeps the entry with the next number; returns the one that made room. */
  add(entry: EntryDraft): EntryDraft | undefined {
    this.#newest = entry.seq;
    const slot = (entry.seq - 1) % this.#max;
    const dropped = this.#slots[slot];
    this.#slots[slot] = entry;
    return dropped;
  }

  get(seq: number): Entry | undefined {
    const entry = this.#slots[(seq - 1) % this.#max];
    return entry?.seq === seq ? this.read(entry) : undefined;
  }

  /** The entry without secrets. */
  read(draft: EntryDraft): Entry {
    return { ...draft, ...redactEntry(draft, this.hide) };
  }

  /** Oldest first, from one number to another, both included, as far as they are kept. */
  *between(first = this.oldest, last = this.newest): Generator<Entry> {
    for (let seq = Math.max(first, this.oldest); seq <= last; seq += 1) {
      const entry = this.get(seq);
      if (entry === undefined) return;
      yield entry;
    }
  }

  /** Newest first. */
  *backwards(last = this.newest): Generator<Entry> {
    for (let seq = Math.min(last, this.newest); ; seq -= 1) {
      const entry = this.get(seq);
      if (entry === undefined) return;
      yield entry;
    }
  }
}
