import { type ControlClient, SandboxError } from '../../client/control.js';
import type { ClockView } from '../../http/control/schema.js';
import type { EntryView } from '../../http/control/timeline.js';
import { formatHoursAndMinutes, consoleTexts } from '../words.js';
import type { Action } from './actions.js';
import { Feed } from './feed.js';
import { Resources } from './resources.js';
import type { Route, Section } from './routes.js';
import { type Filter, createFilter, type LiveRow, LiveRows } from './rows.js';
import { Histories } from './histories.js';

export interface ConsoleNotice {
  readonly text: string;
  readonly isError?: boolean;
  readonly hint?: string | undefined;
  /** The equivalent terminal command. */
  readonly command?: string | undefined;
}

/** The browser's address bar, replaced in tests. */
interface ConsoleLocation {
  readonly read: () => Route;
  /** Navigates to a path; `from` is the previous section. */
  readonly go: (path: string, from: Section, replace: boolean) => void;
}

interface Question {
  readonly text: string;
  readonly label: string;
  readonly confirm: () => void;
}

export type DialogName = 'trigger' | 'keys' | 'replay' | 'charge' | 'withdrawal' | 'confirm';

type ClockShown = Omit<ClockView, 'next_due'>;

/** State changes that do not replace rows or secrets. */
const NON_REPLACING_CHANGES: ReadonlySet<string> = new Set([
  'saved',
  'dropped',
  'not persisted',
  'persisted again',
]);

const ADVANCE_MS = 200;

/** Display time of a notice in milliseconds. */
const NOTICE_MS = 8_000;

/**
 * Stores the screen's state outside the components, because a hidden tab does not render but must process
 * every entry.
 */
export class Console {
  readonly client: ControlClient;
  readonly resources: Resources;
  readonly feed: Feed;
  histories = new Histories();
  route: Route;
  isConnected = true;
  /** Set if the sandbox requires a control token or rejects the current token. */
  refused: SandboxError | undefined;
  notice: ConsoleNotice | undefined;
  /** Collapsed root rows, by entry number. */
  readonly closed = new Set<number>();
  /** The newest entry shown while the list is paused; undefined while live. */
  pausedAt: number | undefined;
  /** Sequence number of the focused entry. */
  cursor: number | undefined;
  dialog: DialogName | undefined;
  question: Question | undefined;
  /** Secrets received by this page, by endpoint id. The API returns each secret only once. */
  readonly secrets = new Map<string, string>();
  /** Scroll position and height of the live list in pixels. */
  scrollTop = 0;
  listHeight = 800;
  /** True if the pause button paused the list. Scrolling to the top then does not resume the list. */
  isPausedByUser = false;
  /** Element to focus after the next render: the list's current row, or the page's filter. */
  focusDue: 'list' | 'filter' | undefined;
  changed: () => void;
  #clock: ClockShown | undefined;
  readonly #rows = new LiveRows();
  #filter = createFilter('', 0);
  readonly #place: ConsoleLocation;
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(client: ControlClient, place: ConsoleLocation, onChange = () => {}) {
    this.client = client;
    this.#place = place;
    this.changed = onChange;
    this.route = place.read();
    this.resources = new Resources(client, () => this.changed());
    this.feed = new Feed(client, {
      onEntries: (entries, isHistory) => this.#receive(entries, isHistory),
      onBegin: (isRestart) => (isRestart ? this.#restart() : this.resources.refresh(true)),
      onGap: () => {
        this.resources.refresh(true);
        this.notify({ text: consoleTexts.gap });
      },
      onConnected: (isConnected) => {
        if (isConnected && !this.isConnected) this.resources.refresh();
        this.refused = isConnected ? undefined : this.refused;
        this.isConnected = isConnected;
        this.changed();
      },
      onRefused: (error) => {
        if (error instanceof SandboxError && error.status === 401) this.refused = error;
        else this.notice = { ...describeProblem(error), isError: true };
        this.changed();
      },
    });
  }

  /** Shows a notice. All notices except errors disappear automatically. */
  notify(notice: ConsoleNotice | undefined): void {
    clearTimeout(this.#noticeTimer);
    this.notice = notice;
    if (notice !== undefined && notice.isError !== true)
      this.#noticeTimer = setTimeout(() => this.notify(undefined), NOTICE_MS);
    this.changed();
  }

  open(dialog: DialogName | undefined): void {
    this.dialog = dialog;
    this.changed();
  }

  confirm(question: Question): void {
    this.question = question;
    this.open('confirm');
  }

  go(path: string, replace = false): void {
    this.#place.go(path, this.route.section, replace);
    this.onNavigate();
  }

  onNavigate(): void {
    this.route = this.#place.read();
    this.changed();
  }

  /**
   * Runs an action after all earlier actions, and reports success with the button's label. Resolves to the
   * wrapped result, or to undefined if the action failed; `onRefused` replaces the error notice.
   */
  act<Result>(
    { command, run }: Action<Result>,
    label: string,
    onRefused?: (error: unknown) => void,
  ): Promise<{ readonly result: Result } | undefined> {
    const turn = this.#turn.then(async () => {
      try {
        const result = await run(this.client);
        this.notice = { text: consoleTexts.done(label), command };
        return { result };
      } catch (error) {
        this.notice =
          onRefused === undefined ? { ...describeProblem(error), isError: true, command } : undefined;
        onRefused?.(error);
        return undefined;
      } finally {
        this.changed();
      }
    });
    this.#turn = turn;
    return turn;
  }

  /** Returns the parsed filter. An invalid filter shows everything. */
  filter(): Filter {
    const text = this.route.filter.trim();
    const newest = this.histories.get(this.histories.newest);
    const now = text.includes('since:') && newest !== undefined ? Date.parse(newest.entry.at) : 0;
    if (this.#filter.text !== text || this.#filter.now !== now) this.#filter = createFilter(text, now);
    return this.#filter;
  }

  rows(): LiveRow[] {
    return this.#rows.all(this.histories, this.#rowOptions());
  }

  waiting(): number {
    return this.pausedAt === undefined ? 0 : this.#rows.countSince(this.histories, this.#rowOptions());
  }

  #rowOptions() {
    const { test, hides } = this.filter();
    return { test, hides, upTo: this.pausedAt ?? Infinity, closed: this.closed };
  }

  hold(isHeld: boolean): void {
    if (isHeld === (this.pausedAt !== undefined)) return;
    this.pausedAt = isHeld ? this.histories.newest : undefined;
    this.changed();
  }

  toggle(seq: number): void {
    if (!this.closed.delete(seq)) this.closed.add(seq);
    const cursor = this.histories.get(this.cursor ?? 0);
    // Keep the focus in the list when its row is collapsed.
    if (cursor !== undefined && this.histories.rootOf(cursor).entry.seq === seq) this.cursor = seq;
    this.changed();
  }

  clock(): ClockShown | undefined {
    const { value } = this.resources.get('clock');
    // Refresh later: an advance without effects adds no entry when it ends.
    if (value?.advancing === true && value !== this.#clock) {
      setTimeout(() => this.resources.refresh(), ADVANCE_MS);
    }
    this.#clock = value;
    return value;
  }

  /** Returns the clock as of the last render. */
  clockKnown(): ClockShown | undefined {
    return this.#clock;
  }

  /** Computes the current sandbox time in milliseconds from an earlier clock response. */
  clockNow({ now, real_now: realNow, rate, advancing }: ClockShown): number {
    const passed = advancing ? 0 : Math.max(0, Date.now() - Date.parse(realNow)) * rate;
    return Date.parse(now) + passed;
  }

  #receive(entries: readonly EntryView[], isHistory: boolean): void {
    for (const entry of entries) this.histories.add(entry);
    this.changed();
    if (isHistory) return;
    const changes = entries.filter(({ kind }) => kind === 'state');
    if (changes.some(({ to = '' }) => !NON_REPLACING_CHANGES.has(to))) this.secrets.clear();
    this.resources.refresh(changes.length > 0);
  }

  #restart(): void {
    this.histories = new Histories();
    this.closed.clear();
    this.pausedAt = undefined;
    this.cursor = undefined;
    this.secrets.clear();
    this.resources.refresh(true);
    this.notify({ text: consoleTexts.restarted });
  }
}

export function describeProblem(error: unknown): {
  readonly text: string;
  readonly hint: string | undefined;
} {
  if (error instanceof SandboxError) {
    const details = error.details.map(({ field, message }) => `${field}: ${message}`);
    return { text: [error.body.message, ...details].join(' '), hint: error.hint };
  }
  return { text: error instanceof Error ? error.message : String(error), hint: undefined };
}

/** Larger offsets are shown in whole days. */
const DAYS_FROM_MINUTES = 100 * 60;

/** Formats the clock's rate or, in real time, its offset if at least half a minute, e.g. `45h ahead`. */
export function formatPace(view: ClockShown | undefined, { clock } = consoleTexts): string {
  if (view === undefined) return '';
  if (view.advancing) return clock.advancing;
  if (view.rate === 0) return clock.frozen;
  if (view.rate !== 1) return clock.fast(view.rate);
  const ms = Date.parse(view.now) - Date.parse(view.real_now);
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes === 0) return clock.real;
  const span =
    minutes < DAYS_FROM_MINUTES ? formatHoursAndMinutes(minutes) : `${Math.round(minutes / 60 / 24)}d`;
  return ms < 0 ? clock.behind(span) : clock.ahead(span);
}
