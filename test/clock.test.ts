import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../src/clock.js';
import { createClock } from '../src/clock.js';

/** A clock over real time that only the test moves. */
function clockAt(realMs: number, startAt?: number) {
  const real = { now: realMs };
  return { real, clock: createClock(() => real.now, startAt) };
}

describe('a clock', () => {
  test('starts at the current time and runs with it', () => {
    const { real, clock } = clockAt(1_000);
    expect([clock.now(), clock.rate]).toEqual([1_000, 1]);
    real.now += 250;
    expect(clock.now()).toBe(1_250);
  });

  test('starts frozen on request', () => {
    const { real, clock } = clockAt(1_000, 50);
    real.now += 1_000;
    expect([clock.now(), clock.rate]).toEqual([50, 0]);
  });

  test('runs at a multiple of real time from the time of the change', () => {
    const { real, clock } = clockAt(0);
    real.now = 100;
    clock.setRate(60);
    real.now = 110;
    expect(clock.now()).toBe(100 + 600);
    clock.setRate(0);
    real.now = 1_000_000;
    expect(clock.now()).toBe(700);
    clock.setRate(1);
    real.now += 5;
    expect(clock.now()).toBe(705);
  });

  test('shows whole milliseconds', () => {
    const { real, clock } = clockAt(0);
    clock.setRate(0.3);
    real.now = 5;
    expect(clock.now()).toBe(1);
  });

  test('jumps forward and continues from there', () => {
    const { real, clock } = clockAt(100);
    clock.jumpTo(5_000);
    real.now += 10;
    expect(clock.now()).toBe(5_010);
    clock.jumpTo(20);
    expect(clock.now()).toBe(5_010);
  });

  test('waits while real time moves backwards', () => {
    const { real, clock } = clockAt(1_000);
    real.now = 1_500;
    expect(clock.now()).toBe(1_500);
    real.now = 900;
    expect(clock.now()).toBe(1_500);
    real.now = 1_501;
    expect(clock.now()).toBe(1_501);
  });

  test('stays at its end', () => {
    const real = { now: 0 };
    const clock = createClock(() => real.now, 90, 1, 100);
    real.now = 10;
    expect(clock.now()).toBe(100);
    real.now = 1_000;
    expect(clock.now()).toBe(100);
    clock.setRate(60);
    real.now = 2_000;
    expect(clock.now()).toBe(100);
  });

  test('never moves backwards, whatever is done to it', () => {
    const anyAct = fc.oneof(
      fc.record({ real: fc.integer({ min: -1_000, max: 1_000 }) }),
      fc.record({ rate: fc.constantFrom(0, 0.5, 1, 60, 100_000) }),
      fc.record({ jump: fc.integer({ min: -1_000, max: 1_000_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(anyAct), fc.option(fc.nat(), { nil: undefined }), (acts, startAt) => {
        const { real, clock } = clockAt(10_000, startAt);
        let before = clock.now();
        for (const act of acts) {
          if ('real' in act) real.now += act.real;
          else if ('rate' in act) clock.setRate(act.rate);
          else clock.jumpTo(act.jump);
          expect(clock.now()).toBeGreaterThanOrEqual(before);
          expect(Number.isInteger(clock.now())).toBe(true);
          before = clock.now();
        }
      }),
    );
  });

  test('stops while it is held, and continues from there', () => {
    const { real, clock } = clockAt(0);
    const start = clock.now();
    const [release, releaseOther] = [clock.hold(), clock.hold()];
    real.now += 100;
    expect([clock.now(), clock.rate, clock.isHeld]).toEqual([start, 1, true]);
    release();
    release();
    real.now += 100;
    expect(clock.now()).toBe(start);
    clock.jumpTo(start + 5);
    releaseOther();
    expect([clock.now(), clock.isHeld]).toEqual([start + 5, false]);
    real.now += 7;
    expect(clock.now()).toBe(start + 12);
  });

  test('reads the same however often it is read', () => {
    fc.assert(
      fc.property(fc.constantFrom(0.25, 1, 7.5), fc.array(fc.nat(50)), (rate, steps) => {
        const [read, unread] = [clockAt(0), clockAt(0)];
        for (const { clock } of [read, unread]) clock.setRate(rate);
        for (const step of steps) {
          read.real.now += step;
          unread.real.now += step;
          read.clock.now();
        }
        const ends: Clock[] = [read.clock, unread.clock];
        expect(ends.map((clock) => clock.now())).toEqual([unread.clock.now(), unread.clock.now()]);
      }),
    );
  });
});
