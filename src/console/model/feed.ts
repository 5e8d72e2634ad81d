import { BROWSER_LIMITS } from '../../contract/browser-limits.js';
import { type ControlClient, NotReachableError, SandboxError } from '../../client/control.js';
import type { EntryView } from '../../http/control/timeline.js';

interface FeedEvents {
  /** Receives new entries or, with `isHistory`, older entries that change nothing. */
  readonly onEntries: (entries: readonly EntryView[], isHistory: boolean) => void;
  /** Called when the timeline starts. After a restart, all earlier data belongs to a previous run. */
  readonly onBegin: (isRestart: boolean) => void;
  /** Called if the sandbox dropped entries before this console received them. */
  readonly onGap: () => void;
  readonly onConnected: (isConnected: boolean) => void;
  readonly onRefused: (error: unknown) => void;
}

/** A message to other tabs: an entry, or only the connection state. `run` is undefined while disconnected. */
export interface FeedMessage {
  readonly run?: string;
  readonly entry?: EntryView;
}

/** Size of the first page, small enough to render quickly. Older entries are loaded later. */
const FIRST = 200;
const PAGE = BROWSER_LIMITS.timelineEntries;
const RETRY_MS = 500;

const pause = () =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, RETRY_MS);
  });

/**
 * Follows the timeline without gaps or duplicates, even after a broken connection. Tabs of one browser share
 * one stream, because browsers open only six connections per origin.
 */
export class Feed {
  readonly #client: ControlClient;
  readonly #events: FeedEvents;
  #run: string | undefined;
  newest = 0;
  /** Serializes timeline updates, so that no entry is added twice. */
  #turn: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(client: ControlClient, events: FeedEvents) {
    this.#client = client;
    this.#events = events;
  }

  begin(): Promise<void> {
    return this.#retry(() => this.#inTurn(() => this.#restart()));
  }

  async #retry(work: () => Promise<void>): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await work();
        return;
      } catch (error) {
        this.fail(error);
        await pause();
      }
    }
  }

  /** Streams entries until `signal` aborts or the feed ends, and broadcasts them to other tabs. */
  async stream(signal: AbortSignal, broadcast: (message: FeedMessage) => void): Promise<void> {
    const ends = AbortSignal.any([signal, this.#stop.signal]);
    while (!ends.aborted) {
      try {
        // Include the run, because each run numbers its own entries.
        const lastEventId = `${this.#run}-${this.newest}`;
        for await (const message of this.#client.stream('GET stream/timeline', {
          lastEventId,
          signal: ends,
        })) {
          if ('kind' in message && message.kind === 'gap') await this.loadMissed();
          else if ('kind' in message && message.kind === 'restarted') break;
          else {
            const passed =
              'type' in message
                ? { run: message.run }
                : { run: this.#run ?? '', entry: message as EntryView };
            broadcast(passed);
            await this.receive(passed);
          }
        }
      } catch (error) {
        if (ends.aborted) return;
        if (error instanceof NotReachableError) broadcast({});
        this.fail(error);
      }
      if (!ends.aborted) await pause();
    }
  }

  /**
   * Handles a message from the stream or from the tab that owns the stream. Fetches missing entries first.
   */
  async receive({ run, entry }: FeedMessage): Promise<void> {
    this.#events.onConnected(run !== undefined);
    if (run === undefined) return;
    await this.#inTurn(async () => {
      if (run !== this.#run) await this.#restart();
      else if (entry === undefined || entry.seq > this.newest + 1) await this.#fill();
      if (entry?.seq === this.newest + 1) this.#emit([entry]);
    });
  }

  loadMissed(): Promise<void> {
    return this.#inTurn(() => this.#fill());
  }

  /** Starts over with the current run: loads the newest entries first, then older entries. */
  async #restart(): Promise<void> {
    const first = await this.#client.get('timeline', { limit: FIRST });
    this.#events.onBegin(this.#run !== undefined && this.#run !== first.run);
    this.#events.onConnected(true);
    this.#run = first.run;
    this.newest = first.newest;
    this.#events.onEntries(first.data, true);
    let before = first.data[0]?.seq ?? 0;
    void this.#retry(async () => {
      while (before > first.oldest && first.run === this.#run) {
        const { data, run } = await this.#client.get('timeline', { limit: PAGE, before });
        if (data[0] === undefined || run !== this.#run) return;
        this.#events.onConnected(true);
        this.#events.onEntries(data, true);
        before = data[0].seq;
      }
    });
  }

  async #fill(): Promise<void> {
    for (;;) {
      const page = await this.#client.get('timeline', { limit: PAGE, after: this.newest });
      if (page.run !== this.#run) return this.#restart();
      const [first] = page.data;
      if (first === undefined) return;
      if (first.seq > this.newest + 1) this.#events.onGap();
      this.#emit(page.data);
      if (this.newest >= page.newest) return;
    }
  }

  #emit(entries: readonly EntryView[]): void {
    this.newest = entries.at(-1)?.seq ?? this.newest;
    this.#events.onEntries(entries, false);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Reports a failed request. An invalid token ends the feed, because retrying is useless. */
  fail(error: unknown): void {
    if (error instanceof NotReachableError) {
      this.#events.onConnected(false);
      return;
    }
    if (error instanceof SandboxError && error.status === 401) this.#stop.abort();
    this.#events.onRefused(error);
  }
}
