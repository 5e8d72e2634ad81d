import { expect, test, vi } from 'vitest';
import { createClock } from '../../../src/clock.js';
import { LAST_INSTANT_MS } from '../../../src/contract/time.js';
import { WakeUp } from '../../../src/sandbox/time/time-travel.js';
import { fakeTimers } from '../../helpers/fake-timers.js';

test('waits only for a time that a running clock reaches', () => {
  fakeTimers();
  let calls = 0;
  const wakeUp = new WakeUp(() => (calls += 1));
  const clock = createClock(() => 0, LAST_INSTANT_MS - 10, 1, LAST_INSTANT_MS);
  wakeUp.set(clock, LAST_INSTANT_MS + 1);
  expect(vi.getTimerCount()).toBe(0);
  wakeUp.set(clock, LAST_INSTANT_MS);
  expect(vi.getTimerCount()).toBe(1);
  clock.setRate(0);
  wakeUp.set(clock, LAST_INSTANT_MS);
  expect(vi.getTimerCount()).toBe(0);
  expect(calls).toBe(0);
});
