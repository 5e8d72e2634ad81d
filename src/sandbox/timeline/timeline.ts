import { randomBytes } from 'node:crypto';
import { LIMITS } from '../../contract/limits.js';
import type { ApplyResult, Command } from '../../core/apply.js';
import type { Effect } from '../../core/effects.js';
import type { Delivery, World } from '../../core/world.js';
import type { Call } from '../call-log.js';
import { Subscribers } from '../subscribers.js';
import {
  describeAttempt,
  describeCall,
  describeCommand,
  describeDropped,
  describeExecutedItem,
  describeEffect,
  getFiredFaults,
  describeFiredFault,
  withScenario,
} from './entry-content.js';
import type { Actor, Cause, EntryDraft, Entry, PendingRequest, EntryContent } from './entry.js';
import { createAttemptId, createEntryDraft, EntryRing } from './entry.js';

/** An applied command with its effects. */
interface AppliedCommand {
  readonly command: Command;
  readonly applied: ApplyResult<unknown>;
  readonly world: World;
  /** Real time in milliseconds; null while replaying a journal. */
  readonly realAt: number | null;
}

/** Maximum number of in-flight attempts linked to a request; beyond the limit, none are linked. */
const DURING_MOST = 8;

/** Effects of the command itself or of one agenda item. */
interface Section extends Pick<AppliedCommand, 'world' | 'realAt'> {
  readonly by: Actor;
  readonly at: number;
  /** The pending request that holds the section's entries. */
  readonly call: PendingRequest | undefined;
  /** Parent entry of the section's changes. */
  parent: EntryDraft | undefined;
  lastChange?: EntryDraft;
  lastEvent?: EntryDraft;
}

/** An ordered history of entries with their causes, built from commands and effects. */
export class Timeline {
  /** Identifies this process, because each process numbers its entries from 1. */
  readonly run = randomBytes(4).toString('hex');
  readonly #ring: EntryRing;
  readonly #latest = new Map<string, EntryDraft>();
  /** Deliveries with an in-flight attempt, and their application ids. */
  readonly #inFlight = new Map<Delivery, string>();
  readonly #open = new Set<PendingRequest>();
  /** The newest pending request. */
  #opened: PendingRequest | undefined;
  readonly #subscribers = new Subscribers<[entry: Entry]>();
  #cause: Cause = { by: 'sandbox' };
  #worldStartSeq = 1;

  constructor(max: number = LIMITS.timelineKept) {
    this.#ring = new EntryRing(max);
  }

  get ring(): Pick<EntryRing, 'newest' | 'oldest' | 'get' | 'between' | 'backwards'> {
    return this.#ring;
  }

  /** Sets the function that redacts known secrets when entries are read. */
  set hide(hide: (text: string) => string) {
    this.#ring.hide = hide;
  }

  /**
   * Number of the first entry in this world. In earlier entries, the same ids can refer to another world's
   * rows.
   */
  get worldStartSeq(): number {
    return this.#worldStartSeq;
  }

  /** The cause of the current commands. */
  get cause(): Cause {
    return this.#cause;
  }

  /** Runs `work` with a cause for its commands. Commands after an `await` require another `withCause`. */
  withCause<Result>(cause: Cause, work: () => Result): Result {
    const outer = this.#cause;
    this.#cause = cause;
    try {
      return work();
    } finally {
      this.#cause = outer;
    }
  }

  /** Calls `subscriber` with each new entry. Returns a function that unsubscribes. */
  subscribe(subscriber: (entry: Entry) => void): () => void {
    return this.#subscribers.add(subscriber);
  }

  beginCall(id: string, title: string, at: number, realAt: number | null): PendingRequest {
    const entry = createEntryDraft({ kind: 'call', id, title, facts: {} }, 'call', at, realAt);
    const call: PendingRequest = {
      entry,
      parent: this.#cause.parentEntry,
      held: [],
      during: this.#fewInFlight(),
    };
    this.#open.add(call);
    this.#opened = call;
    return call;
  }

  /** Adds an entry, then runs `work`, which must begin a child request before its first await. */
  withParentEntry<Result>(
    content: EntryContent,
    at: number,
    realAt: number | null,
    work: () => Result,
  ): { readonly id: string; readonly result: Result } {
    const parentEntry = createEntryDraft(content, this.#cause.by, at, realAt);
    this.#number(parentEntry, undefined);
    const result = this.withCause({ ...this.#cause, parentEntry }, work);
    const opened = this.#opened?.parent === parentEntry ? this.#opened : undefined;
    return { id: opened?.entry.id ?? '', result };
  }

  /** Runs `work` as part of a replayed request. Only the request's changes are known. */
  replayCall(
    { id, title }: { readonly id: string; readonly title: string },
    at: number,
    work: () => void,
  ): void {
    const entry =
      this.#latest.get(id) ?? createEntryDraft({ kind: 'call', id, title, facts: {} }, 'call', at, null);
    const call: PendingRequest = { entry, held: [], during: [] };
    this.withCause({ by: 'call', call }, work);
    if (call.held.length === 0) return;
    this.#release(call);
    this.#latest.set(id, entry);
  }

  /** Adds a completed request and its held entries. */
  endCall({ title, facts }: EntryContent, realAt: number, call: PendingRequest): void {
    const { entry } = call;
    const during = call.during.filter(([, appId]) => appId === facts.app_id).map(([attempt]) => attempt);
    const completed = { title, facts: during.length === 0 ? facts : { ...facts, during } };
    this.#open.delete(call);
    if (entry.seq > 0) {
      const { kind, id, by, at } = entry;
      return this.#number(createEntryDraft({ kind, id, ...completed }, by, at, realAt), entry);
    }
    Object.assign(entry, completed);
    this.#release(call);
  }

  /** Adds a completed request. A request that was never pending has no consequences. */
  recordCall(call: Call, open: PendingRequest | undefined): void {
    if (open === undefined) this.note(describeCall(call), call.at, call.realAt, 'call');
    else this.endCall(describeCall(call), call.realAt, open);
  }

  /** Adds an entry without a command. If `of` is provided, the parent is the newest entry of that row. */
  note(content: EntryContent, at: number, realAt: number | null, by = this.#cause.by, of?: string): void {
    const parent = of === undefined ? undefined : this.#latest.get(of);
    this.#number(
      createEntryDraft(withScenario(content, this.#cause.scenario), parent?.by ?? by, at, realAt),
      parent,
    );
  }

  /** Starts a new world. Ids in this and later entries refer to the new world's rows. */
  startWorld(content: EntryContent, at: number, realAt: number | null): void {
    for (const call of this.#open) if (call.held.length > 0) this.#release(call);
    this.#latest.clear();
    this.#inFlight.clear();
    this.note(content, at, realAt);
    this.#worldStartSeq = this.#ring.newest;
  }

  /** Adds entries for a command's effects, including the effects of due items. */
  record({ command, applied, world, realAt }: AppliedCommand): void {
    const { effects, ownFrom } = applied;
    const { by, call, scenario, move } = this.#cause;
    if (move?.seq === 0) {
      move.realAt = realAt;
      this.#number(move, undefined);
    }
    const sectionOf = (actor: Actor, at: number, held?: PendingRequest): Section => ({
      by: actor,
      at,
      world,
      realAt,
      call: held,
      parent: undefined,
    });
    let section = sectionOf('clock', world.now);
    for (let index = 0; index <= effects.length; index += 1) {
      if (index === ownFrom) {
        section = sectionOf(command.type.startsWith('listener.') ? 'listener' : by, world.now, call);
        section.parent = call?.entry;
        const content =
          applied.refusal === undefined ? describeCommand(command, applied.result, scenario) : undefined;
        if (content !== undefined) section.parent = this.#add(content, section, section.parent);
        for (const fault of getFiredFaults(command, applied))
          this.#add(describeFiredFault(fault, 'an API request', {}), section, section.parent);
      }
      const effect = effects[index];
      if (effect?.type === 'due') {
        section = sectionOf('clock', effect.at, section.call);
        const content = describeExecutedItem(world, effect);
        if (content !== undefined) section.parent = this.#add(content, section, move);
      } else if (effect !== undefined) {
        this.#recordEffect(effect, section, effects[index + 1]);
      }
    }
  }

  #recordEffect(effect: Effect, section: Section, next: Effect | undefined): void {
    if (effect.type === 'attempt') return this.#recordAttempt(effect, section);
    if (effect.type === 'held') return this.#recordHeld(effect, section);
    if (effect.type === 'attempt.ended') return;
    if (effect.type === 'delivery') return this.#recordDelivery(effect, section, next);
    // Attribute retention to the sandbox, not to the command that created the newest row.
    if (effect.type === 'dropped')
      return this.note(describeDropped(effect), section.at, section.realAt, 'sandbox');
    const content = describeEffect(section.world, effect);
    if (content === undefined) return;
    if (effect.type === 'event') {
      const isOfChange = section.lastChange?.id === effect.event.resource.id;
      section.lastEvent = this.#add(content, section, isOfChange ? section.lastChange : section.parent);
    } else {
      section.lastChange = this.#add(content, section, section.parent);
    }
  }

  /** Records an attempt's start and its fired faults. The attempt's entry is added when the attempt ends. */
  #recordAttempt({ delivery, number }: Extract<Effect, { type: 'attempt' }>, section: Section): void {
    const endpoint = section.world.endpoints.get(delivery.endpointId);
    if (endpoint !== undefined) this.#inFlight.set(delivery, endpoint.appId);
    const parent = this.#latest.get(delivery.id) ?? section.parent;
    const facts = { delivery_id: delivery.id, attempt: number };
    for (const fault of delivery.faults)
      this.#add(describeFiredFault(fault, `attempt ${number}`, facts), section, parent);
  }

  /** Records a fault that holds the next attempt. */
  #recordHeld(
    { delivery, fault: { id, action, incident } }: Extract<Effect, { type: 'held' }>,
    section: Section,
  ): void {
    const facts = { delivery_id: delivery.id, attempt: delivery.attempts + 1 };
    const parent = this.#latest.get(delivery.id) ?? section.parent;
    this.#add(
      describeFiredFault({ id, action, incident }, `attempt ${facts.attempt}`, facts),
      section,
      parent,
    );
  }

  /** Adds a delivery's creation or new status, with the attempt that ended, if any. */
  #recordDelivery(
    effect: Extract<Effect, { type: 'delivery' }>,
    section: Section,
    next: Effect | undefined,
  ): void {
    const { delivery, from } = effect;
    const before = this.#latest.get(delivery.id);
    let parent = section.parent ?? before;
    if (from === null)
      parent = section.lastEvent?.id === delivery.event.id ? section.lastEvent : section.parent;
    if (!delivery.inFlight) this.#inFlight.delete(delivery);
    if (next?.type === 'attempt.ended') {
      parent = this.#add(describeAttempt(section.world, delivery, next.attempt), section, before);
    }
    const content = describeEffect(section.world, effect);
    if (content !== undefined) this.#add(content, section, parent);
  }

  #fewInFlight(): (readonly [attempt: string, appId: string])[] {
    if (this.#inFlight.size > DURING_MOST) return [];
    return Array.from(this.#inFlight, ([{ id, attempts }, appId]) => [createAttemptId(id, attempts), appId]);
  }

  #add(content: EntryContent, section: Section, parent: EntryDraft | undefined): EntryDraft {
    const entry = createEntryDraft(content, parent?.by ?? section.by, section.at, section.realAt);
    this.#trackLatest(entry, section.call);
    if (section.call !== undefined && section.call.entry.seq === 0) section.call.held.push({ entry, parent });
    else this.#number(entry, parent);
    return entry;
  }

  /**
   * Tracks a row's newest entry. If another request holds an earlier entry, numbers that request first to
   * preserve the order.
   */
  #trackLatest(entry: EntryDraft, call: PendingRequest | undefined): void {
    if (entry.kind !== 'change' && entry.kind !== 'delivery') return;
    const id = entry.id ?? '';
    const earlier = this.#latest.get(id);
    if (earlier?.seq === 0 && !call?.held.some((held) => held.entry === earlier))
      this.#releaseHolder(earlier);
    this.#latest.set(id, entry);
  }

  #number(entry: EntryDraft, parent: EntryDraft | undefined): void {
    if (parent?.seq === 0) this.#releaseHolder(parent);
    entry.seq = this.#ring.newest + 1;
    entry.cause = parent?.seq ?? null;
    const dropped = this.#ring.add(entry);
    if (dropped !== undefined && dropped.kind !== 'attempt') {
      const id = dropped.id ?? '';
      if (this.#latest.get(id) === dropped) this.#latest.delete(id);
    }
    if (!this.#subscribers.isEmpty) this.#subscribers.notify(this.#ring.read(entry));
  }

  /** Numbers a request and its held entries. */
  #release(call: PendingRequest): void {
    if (call.entry.seq > 0) return;
    call.entry.at = call.held[0]?.entry.at ?? call.entry.at;
    this.#number(call.entry, call.parent);
    for (const { entry, parent } of call.held.splice(0)) this.#number(entry, parent);
  }

  /** Numbers the pending request that contains this entry before its response. */
  #releaseHolder(entry: EntryDraft): void {
    for (const call of this.#open) {
      if (call.entry === entry || call.held.some((held) => held.entry === entry)) this.#release(call);
    }
  }
}
