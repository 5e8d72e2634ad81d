import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { streamTimeline } from '../../../src/http/control/timeline.js';
import type { DoorContext } from '../../../src/http/operation/answer.js';
import { stateSaid } from '../../../src/sandbox/timeline/said.js';
import { Timeline } from '../../../src/sandbox/timeline/timeline.js';
import { MessageReader } from '../../helpers/http/http-events.js';

const KEPT = 20;
/** A few entries of this size fill what is buffered for a client that does not read. */
const LARGE = 150_000;

/** A timeline with few entries and with a disk that `stall` stops until `sync`. */
function timelineOnDisk() {
  const timeline = new Timeline(KEPT);
  let keeping: Promise<void> | undefined;
  let resolve = () => {};
  const open = (lastId?: string) => {
    const request = { method: 'GET', url: 'http://localhost/_sandbox/stream/timeline', header: () => lastId };
    const context = { req: request, env: {} } as unknown as DoorContext;
    const kept = () => keeping;
    const sandbox = { timeline, kept, clock: { now: () => 0 }, onClose: () => () => undefined };
    const response = streamTimeline(sandbox, context, () => true, 0);
    const reader = new MessageReader(response);
    onTestFinished(() => reader.cancel());
    return reader;
  };
  return {
    timeline,
    open,
    note: (count: number, size = 1) => {
      for (let made = 0; made < count; made += 1)
        timeline.note(stateSaid('saved', null, 'x'.repeat(size)), 0, 0);
    },
    stall: () => {
      keeping = new Promise((done) => (resolve = done));
    },
    sync: () => {
      resolve();
      keeping = undefined;
    },
  };
}

/** The numbers of the next entries; a gap is negative. */
async function numbers(reader: MessageReader, last: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.at(-1) !== last) {
    const { kind, seq } = (await reader.next()) as { kind: string; seq: number };
    seen.push(kind === 'gap' ? -seq : seq);
  }
  return seen;
}

test('sends entries once they are on disk', async () => {
  const { open, note, stall, sync } = timelineOnDisk();
  note(1);
  const reader = open();
  expect(await reader.next()).toMatchObject({ type: 'ready' });
  expect(await numbers(reader, 1)).toEqual([1]);
  stall();
  note(2);
  let hasCome = false;
  const next = reader.next().then((message) => {
    hasCome = true;
    return message;
  });
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
  expect(hasCome).toBe(false);
  sync();
  expect(await next).toMatchObject({ seq: 2 });
  expect(await numbers(reader, 3)).toEqual([3]);
});

test('reports the entries that a slow client has missed, and sends the others once', async () => {
  const { open, note } = timelineOnDisk();
  const reader = open();
  await reader.next();
  note(12, LARGE);
  note(KEPT);
  const seen = await numbers(reader, 12 + KEPT);
  const gap = seen.findIndex((seq) => seq < 0);
  expect(gap).toBeGreaterThan(0);
  expect(gap).toBeLessThan(12);
  expect(seen.slice(0, gap)).toEqual(Array.from({ length: gap }, (_, index) => index + 1));
  const oldest = 12 + 1;
  expect(seen.slice(gap)).toEqual([-oldest, ...Array.from({ length: KEPT }, (_, index) => oldest + index)]);
});

test('resumes after any entry', async () => {
  const { timeline, open, note } = timelineOnDisk();
  note(KEPT);
  for (let last = 0; last < KEPT; last += 1) {
    const reader = open(`${timeline.run}-${last}`);
    await reader.next();
    expect((await numbers(reader, KEPT))[0]).toBe(last + 1);
  }
});
