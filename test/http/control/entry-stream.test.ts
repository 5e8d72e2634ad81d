import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { entryStream } from '../../../src/http/control/entry-stream.js';
import type { DoorContext } from '../../../src/http/operation/answer.js';
import type { EntryView } from '../../../src/http/control/schema.js';
import { entryView } from '../../../src/http/control/timeline.js';
import { stateSaid } from '../../../src/sandbox/timeline/said.js';
import { Timeline } from '../../../src/sandbox/timeline/timeline.js';

// Other tests compare such messages with the documents, which takes seconds.
vi.unmock('../../../src/http/streams/sse.js');

const NOTHING = { cause: null, by: 'sandbox', at: new Date(0), real_at: null, id: null };
const KEPT = 20;
/** A few entries of this size fill what is buffered for a client that does not read. */
const LARGE = 150_000;

/** A sandbox that restarts, with a slow disk, and with few entries kept. */
class Server {
  timeline = new Timeline(KEPT);
  /** All entries of each run, by its name. */
  readonly made = new Map<string, EntryView[]>();
  #synced: (() => void) | undefined;
  #keeping: Promise<void> | undefined;
  #stalledAt = Infinity;

  constructor() {
    this.#record();
  }

  note(count: number, size: number): void {
    for (let made = 0; made < count; made += 1)
      this.timeline.note(stateSaid('saved', null, 'x'.repeat(size)), 0, 0);
  }

  /** The number of the last entry that is on disk. */
  get kept(): number {
    return this.#keeping === undefined ? Infinity : this.#stalledAt;
  }

  /** What comes from now on is on disk only after `sync`. */
  stall(): void {
    if (this.#keeping === undefined) this.#stalledAt = this.timeline.ring.newest;
    this.#keeping ??= new Promise((resolve) => {
      this.#synced = resolve;
    });
  }

  sync(): void {
    this.#synced?.();
    this.#keeping = undefined;
  }

  restart(): void {
    this.timeline = new Timeline(KEPT);
    this.#keeping = undefined;
    this.#record();
  }

  open(lastId: string | undefined): Response {
    const context = {
      req: { method: 'GET', url: 'http://localhost/_sandbox/stream/timeline', header: () => lastId },
      env: {},
    } as unknown as DoorContext;
    const { timeline } = this;
    return entryStream({ timeline, kept: () => this.#keeping, onClose: () => () => undefined }, context, {
      ready: { type: 'ready', run: timeline.run, newest: timeline.ring.newest },
      after: 0,
      message: entryView,
      breakMessage: (gap) => ({ ...NOTHING, ...gap }),
    });
  }

  #record(): void {
    const made: EntryView[] = [];
    this.made.set(this.timeline.run, made);
    this.timeline.subscribe((entry) => made.push(entryView(entry)));
  }
}

function must(what: string, holds: boolean): void {
  if (!holds) throw new Error(`The client did not expect this: ${what}.`);
}

type Message =
  | EntryView
  | { readonly type: 'ready'; readonly kind?: undefined; readonly run: string }
  | { readonly kind: 'gap' | 'restarted'; readonly seq: number; readonly title: string };

/** More turns of the event loop than a stream waits for before it goes on. */
async function someTurns(): Promise<undefined> {
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
}

/** A client that reads as much as it is told to, and checks that it misses nothing and gets nothing twice. */
class Client {
  readonly #server: Server;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #pending: Promise<{ readonly value?: Uint8Array | undefined }> | undefined;
  #text = '';
  #run = '';
  #lastId: string | undefined;
  /** The number of the next entry; undefined until the server says where it goes on. */
  #expected: number | undefined = 1;

  constructor(server: Server) {
    this.#server = server;
    this.#reader = this.#open();
  }

  get isUpToDate(): boolean {
    const { run, ring } = this.#server.timeline;
    return this.#run === run && this.#expected === ring.newest + 1;
  }

  /** Takes what has come, up to a number of pieces; false when nothing more comes. */
  async read(pieces: number): Promise<boolean> {
    for (let count = 0; count < pieces; count += 1) {
      const piece = await this.#piece();
      if (piece === undefined) return false;
      this.#take(piece);
    }
    return true;
  }

  /** The connection ends within the next message, and a new one goes on after the last whole one. */
  async cut(atByte: number): Promise<void> {
    const piece = await this.#piece();
    if (piece !== undefined) this.#take(piece.subarray(0, atByte % (piece.length + 1)));
    await this.reconnect();
  }

  async reconnect(): Promise<void> {
    await this.#reader.cancel();
    this.#pending = undefined;
    this.#text = '';
    this.#reader = this.#open();
  }

  #open() {
    const { body } = this.#server.open(this.#lastId);
    if (body === null) throw new Error('Expected a stream.');
    return body.getReader();
  }

  async #piece(): Promise<Uint8Array | undefined> {
    this.#pending ??= this.#reader.read();
    const came = await Promise.race([this.#pending, someTurns()]);
    if (came === undefined) return undefined;
    this.#pending = undefined;
    return came.value;
  }

  #take(piece: Uint8Array): void {
    const blocks = (this.#text + Buffer.from(piece).toString()).split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id, json = ''] = /^(?:id: (.*)\n)?data: (.*)$/.exec(block) ?? [];
      this.#check(JSON.parse(json) as Message);
      this.#lastId = id ?? this.#lastId;
    }
  }

  #check(message: Message): void {
    if (message.kind === undefined) {
      const [lastRun, lastSeq] = this.#lastId?.split('-') ?? [message.run, 0];
      this.#run = message.run;
      this.#expected = lastRun === message.run ? Number(lastSeq) + 1 : undefined;
    } else if (message.kind === 'restarted') {
      must('a restart', this.#expected === undefined);
      this.#expected = message.seq;
    } else if (message.kind === 'gap') {
      const missed = message.seq - (this.#expected ?? message.seq);
      must('a gap', missed > 0);
      must(message.title, message.title === `${missed} older entries are no longer kept`);
      this.#expected = message.seq;
    } else {
      const made = this.#server.made.get(this.#run)?.[message.seq - 1];
      must(`${message.seq} after ${this.#expected}`, message.seq === this.#expected);
      must(`${message.seq} on disk`, message.seq <= this.#server.kept);
      must(`${message.seq} as it was`, isDeepStrictEqual(message, JSON.parse(JSON.stringify(made))));
      this.#expected = message.seq + 1;
    }
  }
}

const anyAct = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ note: fc.integer({ min: 1, max: 12 }), size: fc.constantFrom(1, 1, 1, LARGE) }),
  },
  { weight: 3, arbitrary: fc.record({ read: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ cut: fc.nat(2 * LARGE) }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('stall' as const, 'stall' as const, 'sync' as const, 'restart' as const),
  },
);

test('a stream that is cut anywhere and resumed tells each entry once, or says what is missing', async () => {
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  await fc.assert(
    fc.asyncProperty(fc.array(anyAct, { maxLength: 20 }), fc.boolean(), async (acts, isSlow) => {
      // All entries in one turn, or each in one of its own.
      let nowMs = 0;
      clock.mockImplementation(() => (nowMs += isSlow ? 1_000 : 0));
      const server = new Server();
      const client = new Client(server);
      for (const act of acts) {
        if (act === 'restart') {
          server.restart();
          await client.reconnect();
        } else if (typeof act === 'string') server[act]();
        else if ('note' in act) server.note(act.note, act.size);
        else if ('read' in act) await client.read(act.read);
        else await client.cut(act.cut);
      }
      server.sync();
      while (await client.read(1));
      expect(client.isUpToDate).toBe(true);
      await client.reconnect();
    }),
    {
      numRuns: 40,
      examples: [
        [['stall', { note: 3, size: 1 }, { read: 8 }], false],
        [['stall', { note: 1, size: 1 }, 'sync', { note: 5, size: LARGE }], false],
        [['stall', { note: 1, size: 1 }, 'sync', { note: 12, size: LARGE }], true],
      ],
    },
  );
});
