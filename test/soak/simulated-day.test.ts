import { expect, test } from 'vitest';
import { soakDay } from '../helpers/simulated-day.js';

/** `npm run soak -- --day`: an hour of sandbox time in about two minutes. It needs the built package. */
const seconds = Number(process.env.SOAK_SECONDS ?? 100);
const events = Number(process.env.SOAK_EVENTS ?? 30_000);
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 1_000_000));
const KEEP = 5_000;
/** The most that a row of an event may take, with its payment or its delivery. */
const ROW_BYTES = 1_500;
const SETTLING_MS = 300_000;

test(
  `a working day with ${events} events loses nothing and stays small (SOAK_SEED=${seed})`,
  { timeout: seconds * 1_000 + SETTLING_MS },
  async () => {
    process.stdout.write(`${events} events in ${seconds} s with SOAK_SEED=${seed}.\n`);
    const { lost, held, ...counts } = await soakDay({ seed, events, seconds, keep: KEEP });
    process.stdout.write(`${JSON.stringify({ ...counts, held })}\n`);
    expect(lost).toEqual([]);
    expect(counts).toMatchObject({ made: events, kept: expect.any(Number) });
    expect(counts.kept + counts.dropped, 'every delivery is kept or named').toBe(events);
    expect(counts.kept).toBeLessThanOrEqual(KEEP);
    expect(Math.min(counts.receiverRestarts, counts.advances)).toBeGreaterThan(0);
    const besides = held.map(({ heapBytes, rows }) => heapBytes - ROW_BYTES * rows);
    const [afterFirst = 0] = besides;
    for (const bytes of besides) expect(bytes, 'heap without its rows').toBeLessThan(1.2 * afterFirst);
  },
);
