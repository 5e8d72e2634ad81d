import type { EntryFacts } from './facts.js';

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

/** Initiators of a trace. `control` includes CLI commands, which use the control API. */
export const ACTORS = ['call', 'control', 'console', 'scenario', 'clock', 'listener', 'sandbox'] as const;

export type Actor = (typeof ACTORS)[number];

/** A timeline entry, immutable once numbered. */
export interface Entry {
  /** Sequence number: starts at 1 in each process and has no gaps. */
  readonly seq: number;
  /** Sequence number of the parent entry; null for an external cause. */
  readonly cause: number | null;
  readonly by: Actor;
  /** Sandbox time and real time, in milliseconds. Real time is null in entries replayed from a journal. */
  readonly at: number;
  readonly realAt: number | null;
  readonly kind: EntryKind;
  /** Id of the affected row; for an attempt, `<delivery id>.<number>`. */
  readonly id: string | null;
  readonly title: string;
  readonly facts: EntryFacts;
}

export function createAttemptId(deliveryId: string, number: number): string {
  return `${deliveryId}.${number}`;
}

/** An entry's content without its time and initiator. */
export type EntryContent = Pick<Entry, 'kind' | 'id' | 'title' | 'facts'>;

/** A mutable entry; `seq` is 0 until the entry is numbered. */
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

/** Cause of the commands being applied. */
export interface Cause {
  readonly by: Actor;
  /** Name of the running scenario. */
  readonly scenario?: string;
  /** The pending request that caused the commands. */
  readonly call?: PendingRequest;
  /** Parent entry for new requests. */
  readonly parentEntry?: EntryDraft;
  /** The current clock move. The first command adds the move's entry. */
  readonly move?: EntryDraft;
}

interface Held {
  readonly entry: EntryDraft;
  readonly parent: EntryDraft | undefined;
}

/**
 * A pending request. The timeline holds the request's consequences until the response, so that the request's
 * entry comes first.
 */
export interface PendingRequest {
  readonly entry: EntryDraft;
  /** The parent entry; undefined for an external request. */
  readonly parent?: EntryDraft | undefined;
  readonly held: Held[];
  /** Attempts in flight when the request began, each with its application id. */
  readonly during: readonly (readonly [attempt: string, appId: string])[];
}

/** Redacts secrets in an entry's title and in the facts that can contain secrets. */
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

/** A ring buffer of the newest entries. */
export class EntryRing {
  /** Redacts known secrets in a text. */
  hide: (text: string) => string = (text) => text;
  readonly #max: number;
  readonly #slots: EntryDraft[] = [];
  #newest = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Number of the newest entry; 0 before the first entry. */
  get newest(): number {
    return this.#newest;
  }

  /** Number of the oldest stored entry; `newest` + 1 if empty. */
  get oldest(): number {
    return this.#newest - this.#slots.length + 1;
  }

  /** Stores the next entry. Returns the overwritten entry, if any. */
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

  /** Returns a copy of the entry with secrets redacted. */
  read(draft: EntryDraft): Entry {
    return { ...draft, ...redactEntry(draft, this.hide) };
  }

  /** Yields the stored entries from `first` to `last`, both inclusive, oldest first. */
  *between(first = this.oldest, last = this.newest): Generator<Entry> {
    for (let seq = Math.max(first, this.oldest); seq <= last; seq += 1) {
      const entry = this.get(seq);
      if (entry === undefined) return;
      yield entry;
    }
  }

  /** Yields the stored entries, newest first. */
  *backwards(last = this.newest): Generator<Entry> {
    for (let seq = Math.min(last, this.newest); ; seq -= 1) {
      const entry = this.get(seq);
      if (entry === undefined) return;
      yield entry;
    }
  }
}
