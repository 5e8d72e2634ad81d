import type { ControlClient } from '../../client/control.js';
import { SandboxError } from '../../client/control.js';
import type { ClockView, EntryView } from '../../http/control/schema.js';
import { hoursAndMinutes } from '../words/table.js';
import type { Words } from '../words/words.js';
import type { Action } from './actions.js';
import { Feed } from './feed.js';
import { Resources } from './resources.js';
import type { Route, Section } from './routes.js';
import type { Filter, Row } from './rows.js';
import { filterOf, Rows } from './rows.js';
import { rootOf, Stories } from './stories.js';

/** The message about the last action. */
export interface Notice {
  readonly text: string;
  readonly isError: boolean;
  readonly hint?: string | undefined;
  /** The command that does the same in a terminal. */
  readonly command?: string | undefined;
}

/** The address bar of the browser; a test has its own. */
export interface Place {
  readonly read: () => Route;
  /** `from` is the section shown before. */
  readonly go: (path: string, from: Section, replace: boolean) => void;
}

/** The confirmation of something that cannot be undone. */
export interface Question {
  readonly text: string;
  /** The label of the button that does it. */
  readonly label: string;
  readonly confirm: () => void;
}

/** The result of an action; undefined where it was refused. */
export type Done<Result> = { readonly result: Result } | undefined;

/** The dialogs that lie over the page. */
export type DialogName = 'trigger' | 'keys' | 'replay' | 'charge' | 'withdrawal' | 'confirm';

/** The clock, without what the agenda says. */
export type ClockShown = Omit<ClockView, 'next_due'>;

/** Changes of the whole state after which the rows and their secrets are the same. */
const SAME_WORLD: ReadonlySet<string> = new Set(['saved', 'dropped', 'not persisted', 'persisted again']);

/** How often a moving clock is read. */
const ADVANCE_MS = 200;

/**
 * Everything that the screen shows, kept outside of its components: a hidden tab draws nothing, and must
 * miss nothing.
 */
export class Console {
  readonly client: ControlClient;
  readonly words: Words;
  readonly resources: Resources;
  readonly feed: Feed;
  stories = new Stories();
  route: Route;
  isConnected = true;
  /** The sandbox asks for a control token, or does not take ours. */
  refused: SandboxError | undefined;
  notice: Notice | undefined;
  readonly closed = new Set<number>();
  /** The newest entry shown while the list is held; undefined while it is live. */
  heldAt: number | undefined;
  /** The number of the entry that the keyboard is on. */
  cursor: number | undefined;
  dialog: DialogName | undefined;
  /** The content of the dialog `confirm`. */
  question: Question | undefined;
  /** The secrets that this page received, by the id of their endpoint; no other response shows them again. */
  readonly secrets = new Map<string, string>();
  /** Where the live list is scrolled to, and how much of it is seen, in pixels. */
  scrollTop = 0;
  listHeight = 800;
  /** The person asked to hold the list; scrolling back to its top does not release it. */
  isHoldAsked = false;
  isFocusDue = false;
  /** After the next drawing, the keyboard is in the page's filter. */
  isSearchDue = false;
  /** Called when the screen must be drawn again. */
  changed: () => void;
  #clock: ClockShown | undefined;
  readonly #rows = new Rows();
  #filter = filterOf('', 0);
  readonly #place: Place;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(client: ControlClient, words: Words, place: Place, onChange = () => {}) {
    this.client = client;
    this.words = words;
    this.#place = place;
    this.changed = onChange;
    this.route = place.read();
    this.resources = new Resources(client, () => this.changed());
    this.feed = new Feed(client, {
      onEntries: (entries) => this.#receive(entries),
      onHistory: (entries) => this.#add(entries),
      onBegin: (isRestart) => (isRestart ? this.#restart() : this.resources.refresh()),
      onGap: () => {
        this.resources.refresh();
        this.say({ text: words.gap, isError: false });
      },
      onConnected: (isConnected) => {
        this.refused = isConnected ? undefined : this.refused;
        this.isConnected = isConnected;
        this.changed();
      },
      onRefused: (error) => {
        if (error instanceof SandboxError && error.status === 401) this.refused = error;
        else this.notice = { ...problemOf(error), isError: true };
        this.changed();
      },
    });
  }

  say(notice: Notice | undefined): void {
    this.notice = notice;
    this.changed();
  }

  open(dialog: DialogName | undefined): void {
    this.dialog = dialog;
    this.changed();
  }

  /** Asks before something is done that cannot be undone. */
  ask(question: Question): void {
    this.question = question;
    this.open('confirm');
  }

  /** After the next drawing, the keyboard is on the line of the list that it was on. */
  focusList(): void {
    this.isFocusDue = true;
    this.changed();
  }

  go(path: string, replace = false): void {
    this.#place.go(path, this.route.section, replace);
    this.arrive();
  }

  /** The address has changed. */
  arrive(): void {
    this.route = this.#place.read();
    this.changed();
  }

  /**
   * Does one thing after the ones before it; `onRefused` shows a refusal instead of the notice. Resolves to
   * its result, or to undefined.
   */
  act<Result>(action: Action<Result>, onRefused?: (error: unknown) => void): Promise<Done<Result>> {
    const turn = this.#turn.then(() => this.#do(action, onRefused));
    this.#turn = turn;
    return turn;
  }

  async #do<Result>(
    { done, command, run }: Action<Result>,
    onRefused?: (error: unknown) => void,
  ): Promise<Done<Result>> {
    try {
      const result = await run(this.client);
      this.notice = { text: done, isError: false, command };
      return { result };
    } catch (error) {
      this.notice = onRefused === undefined ? { ...problemOf(error), isError: true, command } : undefined;
      onRefused?.(error);
      return undefined;
    } finally {
      this.changed();
    }
  }

  /** The filter as a test, and what is wrong with it; a filter that cannot be read shows everything. */
  filter(): Filter {
    const text = this.route.filter.trim();
    const now = text.includes('since:') ? this.now() : 0;
    if (this.#filter.text !== text || this.#filter.now !== now) this.#filter = filterOf(text, now);
    return this.#filter;
  }

  /** The lines of the live list. */
  rows(): Row[] {
    return this.#rows.all(this.stories, this.#rowOptions());
  }

  /** How many stories are held back. */
  waiting(): number {
    return this.heldAt === undefined ? 0 : this.#rows.countSince(this.stories, this.#rowOptions());
  }

  #rowOptions() {
    const { test, hides } = this.filter();
    return { test, hides, upTo: this.heldAt ?? Infinity, closed: this.closed };
  }

  hold(isHeld: boolean): void {
    if (isHeld === (this.heldAt !== undefined)) return;
    this.heldAt = isHeld ? this.stories.newest : undefined;
    this.changed();
  }

  toggle(seq: number): void {
    if (!this.closed.delete(seq)) this.closed.add(seq);
    const cursor = this.stories.get(this.cursor ?? 0);
    // The keyboard stays in the list when its line is folded away.
    if (cursor !== undefined && rootOf(cursor).entry.seq === seq) this.cursor = seq;
    this.changed();
  }

  /** The clock; it is read again when it was moved, and while it is moving. */
  clock(): ClockShown | undefined {
    const { value } = this.resources.read(
      'clock',
      (client) => client.get('clock'),
      ({ kind, at }) => kind === 'clock' || kind === 'state' || this.#isMoving(at),
    );
    // No entry says that an advance is over which did nothing.
    if (value?.advancing && value !== this.#clock)
      setTimeout(() => this.resources.again('clock'), ADVANCE_MS);
    this.#clock = value;
    return value;
  }

  /** The clock when the screen was last drawn. */
  clockKnown(): ClockShown | undefined {
    return this.#clock;
  }

  /**
   * Whether an entry is of a clock that is being moved: it said so, or sandbox time is further than it
   * said.
   */
  #isMoving(at: string): boolean {
    const clock = this.#clock;
    return clock === undefined || clock.advancing || Date.parse(at) > this.clockNow(clock);
  }

  /** Sandbox time now, in milliseconds, from what the clock said when it was asked. */
  clockNow({ now, real_now: realNow, rate, advancing }: ClockShown): number {
    const passed = advancing ? 0 : Math.max(0, Date.now() - Date.parse(realNow)) * rate;
    return Date.parse(now) + passed;
  }

  /** Sandbox time in milliseconds, as far as the last entry tells. */
  now(): number {
    const newest = this.stories.get(this.stories.newest);
    return newest === undefined ? Date.now() : Date.parse(newest.entry.at);
  }

  #receive(entries: readonly EntryView[]): void {
    this.#add(entries);
    if (entries.some(({ kind }) => kind === 'state')) {
      if (entries.some(({ kind, to = '' }) => kind === 'state' && !SAME_WORLD.has(to))) {
        this.secrets.clear();
      }
      this.resources.refresh();
    } else this.resources.touch(entries);
  }

  #add(entries: readonly EntryView[]): void {
    for (const entry of entries) this.stories.add(entry);
    this.changed();
  }

  #restart(): void {
    this.stories = new Stories();
    this.closed.clear();
    this.heldAt = undefined;
    this.cursor = undefined;
    this.secrets.clear();
    this.resources.refresh();
    this.say({ text: this.words.restarted, isError: false });
  }
}

/** What went wrong, in the sandbox's own words where it answered. */
export function problemOf(error: unknown): { readonly text: string; readonly hint: string | undefined } {
  if (error instanceof SandboxError) {
    const details = error.details.map(({ field, message }) => `${field}: ${message}`);
    return { text: [error.body.message, ...details].join(' '), hint: error.hint };
  }
  return { text: error instanceof Error ? error.message : String(error), hint: undefined };
}

const MINUTE_MS = 60_000;
/** From here on, an offset is shown in whole days. */
const DAYS_FROM_MINUTES = 100 * 60;

/** How fast the clock runs; in real time, also how far sandbox time is ahead or behind. */
export function paceOf({ clock }: Words, view: ClockShown | undefined): string {
  if (view === undefined) return '';
  if (view.advancing) return clock.advancing;
  if (view.rate === 0) return clock.frozen;
  if (view.rate !== 1) return clock.fast(view.rate);
  return `${clock.real} ${offsetOf(view)}`.trimEnd();
}

/** Such as `+45h` or `−9m`; empty below half a minute. */
function offsetOf({ now, real_now: realNow }: ClockShown): string {
  const ms = Date.parse(now) - Date.parse(realNow);
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS);
  if (minutes === 0) return '';
  const span = minutes < DAYS_FROM_MINUTES ? hoursAndMinutes(minutes) : `${Math.round(minutes / 60 / 24)}d`;
  return (ms < 0 ? '−' : '+') + span;
}
