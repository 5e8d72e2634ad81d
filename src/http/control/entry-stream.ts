import { setImmediate } from 'node:timers/promises';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Entry } from '../../sandbox/timeline/entry.js';
import type { DoorContext } from '../operation/answer.js';
import { eventStream } from '../streams/sse.js';

/** Where a stream cannot go on: entries that are no longer kept, or those of another run of the sandbox. */
export interface Break {
  readonly kind: 'gap' | 'restarted';
  readonly title: string;
  /** The number of the entry with which it goes on. */
  readonly seq: number;
}

const ENTRIES_PER_TURN = 1_000;

type Streamed = Pick<Sandbox, 'timeline' | 'kept' | 'onClose'>;

/** What a stream tells of the timeline. */
export interface Told {
  readonly ready: object;
  /** The number of the last entry that the client knows, unless it names its last message; by default the newest. */
  readonly after?: number | undefined;
  /** The message of an entry; undefined for one that is left out. */
  readonly message: (entry: Entry) => object | undefined;
  readonly breakMessage: (gap: Break) => object;
}

/** Where a stream goes on: after the id of its last message or after a number, and else with what comes. */
function startOf({ timeline: { run, ring } }: Streamed, after: number | undefined, last: string | undefined) {
  const [, lastRun, lastSeq] = /^(?:([0-9a-f]+)-)?(\d+)$/.exec(last ?? '') ?? [];
  const isOtherRun = lastRun !== undefined && lastRun !== run;
  return { isOtherRun, from: isOtherRun ? ring.oldest : Number(lastSeq ?? after ?? ring.newest) + 1 };
}

/**
 * Answers with a stream that reads the timeline at the pace of its client, tells only what is on disk, says
 * what it missed, and is resumed by the id of its last message.
 */
export function entryStream(sandbox: Streamed, context: DoorContext, told: Told): Response {
  const { ring, run } = sandbox.timeline;
  return eventStream(context, (client) => {
    const { isOtherRun, from } = startOf(sandbox, told.after, context.req.header('last-event-id'));
    let next = from;
    const tellBreak = (kind: Break['kind'], title: string) =>
      client.send(told.breakMessage({ kind, title, seq: next }));
    /** What is on disk may be sent. */
    let last = 0;
    let isPumping = false;
    /** A filter may pass over all entries, so each turn of the event loop reads only some of them. */
    const pump = async () => {
      for (let read = 1; ; read += 1) {
        isPumping = next <= last && client.hasRoom();
        if (!isPumping) return;
        if (next < ring.oldest) {
          const missed = ring.oldest - next;
          next = ring.oldest;
          tellBreak('gap', `${missed} older entries are no longer kept`);
        }
        const entry = ring.get(next);
        const message = entry && told.message(entry);
        if (message !== undefined) client.send(message, `${run}-${next}`);
        next += 1;
        if (read % ENTRIES_PER_TURN === 0) await setImmediate();
      }
    };
    const resume = () => {
      if (!isPumping) pump().catch(client.close);
    };
    const come = (seq: number) => {
      const reach = () => {
        // Entries that came when the disk had caught up may have been first.
        last = Math.max(last, seq);
        resume();
      };
      const keeping = sandbox.kept();
      if (keeping === undefined) reach();
      else void keeping.then(reach).catch(client.close);
    };
    client.send(told.ready);
    if (isOtherRun) tellBreak('restarted', 'the sandbox was started again');
    client.onRoom(resume);
    come(ring.newest);
    return [sandbox.timeline.subscribe(({ seq }) => come(seq)), sandbox.onClose(client.close)];
  });
}

/** A break in a stream whose messages are told apart by their `type`. */
export function typedBreak({ kind, title }: Break): object {
  return { type: kind, title };
}
