import { BROWSER_LIMITS } from '../../contract/browser-limits.js';
import type { ControlClient } from '../../client/control.js';
import { NotReachableError, SandboxError } from '../../client/control.js';
import type { EntryView, TimelineBreakView } from '../../http/control/schema.js';

/** The callbacks of the feed. */
export interface FeedEvents {
  readonly onEntries: (entries: readonly EntryView[]) => void;
  /** Entries that were there before anything was asked after `onBegin`. */
  readonly onHistory: (entries: readonly EntryView[]) => void;
  /** The timeline begins; after a restart, nothing that is known counts any more. */
  readonly onBegin: (isRestart: boolean) => void;
  /** Entries that this console has not seen are no longer kept. */
  readonly onGap: () => void;
  readonly onConnected: (isConnected: boolean) => void;
  readonly onRefused: (error: unknown) => void;
}

/** A message to the other tabs: an entry, or whether this one is connected to a run of the sandbox. */
export type FeedMessage =
  | { readonly run: string; readonly entry: EntryView }
  | { readonly run: string; readonly entry?: undefined }
  | { readonly run?: undefined; readonly entry?: undefined };

/** Entries fetched first, so that the page shows something soon; the older ones follow. */
const FIRST = 200;
const PAGE = BROWSER_LIMITS.timelineEntries;
const RETRY_MS = 500;

/**
 * The timeline as it grows, without a gap and without a double: first what there is, then what comes, also
 * after the connection was cut. Tabs of one browser share one stream, because a browser opens only six
 * connections to an origin.
 */
export class Feed {
  readonly #client: ControlClient;
  readonly #events: FeedEvents;
  #run: string | undefined;
  #newest = 0;
  /** Work on the timeline happens in turn, so that no entry comes twice. */
  #turn: Promise<void> = Promise.resolve();
  #isStopped = false;
  readonly #stop = new AbortController();

  constructor(client: ControlClient, events: FeedEvents) {
    this.#client = client;
    this.#events = events;
  }

  /** The number of the newest entry. */
  get newest(): number {
    return this.#newest;
  }

  close(): void {
    this.#isStopped = true;
    this.#stop.abort();
  }

  /** Reads what there is, until it works. */
  async begin(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#inTurn(() => this.#restart());
        return;
      } catch (error) {
        this.fail(error);
        await this.#pause();
      }
    }
  }

  /**
   * Streams entries again and again, and passes them on to the other tabs. Ends when the feed is closed, or
   * `signal` aborts.
   */
  async stream(signal: AbortSignal, broadcast: (message: FeedMessage) => void): Promise<void> {
    const pass = (message: FeedMessage) => {
      broadcast(message);
      return this.receive(message);
    };
    const ends = AbortSignal.any([signal, this.#stop.signal]);
    while (!ends.aborted) {
      try {
        for await (const message of this.#client.stream('GET stream/timeline', {
          // With its run: the numbers of another run mean other entries.
          lastEventId: `${this.#run}-${this.#newest}`,
          signal: ends,
        })) {
          if ('type' in message) await pass({ run: message.run });
          else if (isEntry(message)) await pass({ run: this.#run ?? '', entry: message });
          else if (message.kind === 'gap') await this.catchUp();
          else break;
        }
      } catch (error) {
        if (ends.aborted) return;
        if (error instanceof NotReachableError) broadcast({});
        this.fail(error);
      }
      if (!ends.aborted) await this.#pause();
    }
  }

  /** Handles a message of the stream or of the tab that has it; fetches what is missing before an entry. */
  async receive({ run, entry }: FeedMessage): Promise<void> {
    this.#events.onConnected(run !== undefined);
    if (run === undefined) return;
    await this.#inTurn(async () => {
      if (run !== this.#run) await this.#restart();
      else if (entry === undefined || entry.seq > this.#newest + 1) await this.#fill();
      if (entry?.seq === this.#newest + 1) this.#emit([entry]);
    });
  }

  /** Fetches what came since the newest entry. */
  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#fill());
  }

  /** Starts over with another run of the sandbox: the newest entries first, then the older ones. */
  async #restart(): Promise<void> {
    const first = await this.#client.get('timeline', { limit: FIRST });
    this.#events.onBegin(this.#run !== undefined && this.#run !== first.run);
    this.#events.onConnected(true);
    this.#run = first.run;
    this.#newest = first.newest;
    this.#events.onHistory(first.data);
    void this.#older(first.run, first.data[0]?.seq ?? 0, first.oldest);
  }

  async #older(run: string, from: number, oldest: number): Promise<void> {
    let before = from;
    while (before > oldest && run === this.#run && !this.#isStopped) {
      try {
        const page = await this.#client.get('timeline', { limit: PAGE, before });
        const [first] = page.data;
        if (first === undefined || page.run !== this.#run) return;
        this.#events.onConnected(true);
        this.#events.onHistory(page.data);
        before = first.seq;
      } catch (error) {
        if (run !== this.#run) return;
        this.fail(error);
        await this.#pause();
      }
    }
  }

  async #fill(): Promise<void> {
    for (;;) {
      const page = await this.#client.get('timeline', { limit: PAGE, after: this.#newest });
      if (page.run !== this.#run) return this.#restart();
      const [first] = page.data;
      if (first === undefined) return;
      if (first.seq > this.#newest + 1) this.#events.onGap();
      this.#emit(page.data);
      if (this.#newest >= page.newest) return;
    }
  }

  #emit(entries: readonly EntryView[]): void {
    this.#newest = entries.at(-1)?.seq ?? this.#newest;
    this.#events.onEntries(entries);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Says why nothing comes. Without the right token nothing will, so the feed ends. */
  fail(error: unknown): void {
    if (error instanceof NotReachableError) {
      this.#events.onConnected(false);
      return;
    }
    if (error instanceof SandboxError && error.status === 401) this.close();
    this.#events.onRefused(error);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}

function isEntry(message: EntryView | TimelineBreakView): message is EntryView {
  return message.kind !== 'gap' && message.kind !== 'restarted';
}
