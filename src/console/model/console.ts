import type { ControlClient } from '../../client/control.js';
import { SandboxError } from '../../client/control.js';
import type { ClockView, EntryView } from '../../http/control/schema.js';
import type { Words } from '../words/words.js';
import type { Action } from './actions.js';
import { Feed } from './feed.js';
import type { Filter } from './filter.js';
import { filterOf, saysTime } from './filter.js';
import { Resources } from './resources.js';
import type { Route, Section } from './routes.js';
import type { Row } from './lines.js';
import { Lines } from './lines.js';
import { rootOf, Stories } from './stories.js';

/** What the console says of what was just done. */
export interface Notice {
  readonly text: string;
  readonly isError: boolean;
  readonly hint?: string | undefined;
  /** The command that does the same in a terminal. */
  readonly command?: string | undefined;
}

/** Where the browser keeps the address; a test has its own. */
export interface Place {
  readonly read: () => Route;
  /** `from` is the section that was shown. */
  readonly go: (path: string, from: Section, replace: boolean) => void;
}

/** What is asked before something that cannot be undone. */
export interface Question {
  readonly text: string;
  /** On the button that does it. */
  readonly label: string;
  readonly action: Action;
  /** Where the page goes when it is done; by default it stays. */
  readonly next?: string | undefined;
}

/** The dialogs that lie over the page. */
export type DialogName = 'trigger' | 'keys' | 'replay' | 'charge' | 'withdrawal' | 'confirm';

/** Of the clock, what does not change while it is left alone; the agenda says what is due. */
export type ClockShown = Omit<ClockView, 'next_due'>;

/** Changes of the whole state after which the rows and their secrets are the same. */
const SAME_WORLD: ReadonlySet<string> = new Set(['saved', 'dropped', 'not persisted', 'persisted again']);

/** How often a clock that is being moved is asked. */
const ADVANCE_MS = 200;

/** Everything that the screen shows, kept outside of its components: a hidden tab draws nothing, and must miss nothing. */
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
  /** Which dialog is open. */
  dialog: DialogName | undefined;
  /** What the dialog `confirm` asks. */
  question: Question | undefined;
  /** The secrets that this page was given, by the id of their endpoint; no other answer shows them again. */
  readonly secrets = new Map<string, string>();
  /** Where the live list is scrolled to, and how much of it is seen, in pixels. */
  scrollTop = 0;
  listHeight = 800;
  /** The person asked to hold the list; scrolling back to its top does not release it. */
  isHoldAsked = false;
  isFocusDue = false;
  /** After the next drawing, the keyboard is in the page's filter. */
  isSearchDue = false;
  /** Told which fields of a request were wrong; the screen has the form. */
  onRefused: (details: SandboxError['details']) => void = () => undefined;
  #clock: ClockShown | undefined;
  readonly #lines = new Lines();
  #shown: { readonly of: readonly unknown[]; readonly rows: Row[] } | undefined;
  #filter = filterOf('', 0);
  readonly #place: Place;
  #turn: Promise<boolean> = Promise.resolve(true);
  readonly #onChange: () => void;

  constructor(client: ControlClient, words: Words, place: Place, onChange: () => void) {
    this.client = client;
    this.words = words;
    this.#place = place;
    this.#onChange = onChange;
    this.route = place.read();
    this.resources = new Resources(client, () => this.changed());
    this.feed = new Feed(client, {
      onEntries: (entries) => this.#take(entries),
      onHistory: (entries) => this.#keep(entries),
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

  changed(): void {
    this.#onChange();
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

  /** Does one thing after those that were asked for before, and says so with the command that does the same. */
  act(action: Action): Promise<boolean> {
    this.#turn = this.#turn.then(() => this.#do(action));
    return this.#turn;
  }

  async #do(action: Action): Promise<boolean> {
    const { command } = action;
    try {
      await action.run(this.client);
      this.notice = { text: action.done, isError: false, command };
      this.resources.refresh();
      return true;
    } catch (error) {
      this.notice = { ...problemOf(error), isError: true, command };
      if (error instanceof SandboxError) this.onRefused(error.details);
      return false;
    } finally {
      this.changed();
    }
  }

  /** The filter as a test, and what is wrong with it; a filter that cannot be read shows everything. */
  filter(): Filter {
    const text = this.route.filter.trim();
    const now = saysTime(text) ? this.now() : 0;
    if (this.#filter.text !== text || this.#filter.now !== now) this.#filter = filterOf(text, now);
    return this.#filter;
  }

  /** The lines of the live list; the same ones while nothing has changed. */
  rows(): Row[] {
    const { stories, heldAt, closed } = this;
    const { test, hides } = this.filter();
    const of = [stories, stories.version, heldAt, test, [...closed].join(' ')];
    if (this.#shown?.of.every((one, index) => one === of[index])) return this.#shown.rows;
    const rows = this.#lines.rows(stories, { test, hides, upTo: heldAt ?? Infinity, closed });
    this.#shown = { of, rows };
    return rows;
  }

  /** How many stories are held back. */
  waiting(): number {
    const { stories, heldAt: upTo, closed } = this;
    const { test, hides } = this.filter();
    return upTo === undefined ? 0 : this.#lines.countSince(stories, { test, hides, upTo, closed });
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

  /** What the clock says; it is asked again when it was moved, and while it is being moved. */
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

  /** What the clock said when the screen was drawn last. */
  clockKnown(): ClockShown | undefined {
    return this.#clock;
  }

  /** Whether an entry is of a clock that is being moved: it said so, or sandbox time is further than it said. */
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

  #take(entries: readonly EntryView[]): void {
    this.#keep(entries);
    if (entries.some(({ kind }) => kind === 'state')) {
      if (entries.some(({ kind, to = '' }) => kind === 'state' && !SAME_WORLD.has(to))) {
        this.secrets.clear();
      }
      this.resources.refresh();
    } else this.resources.touch(entries);
  }

  #keep(entries: readonly EntryView[]): void {
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
