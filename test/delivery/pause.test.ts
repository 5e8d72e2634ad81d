import { describe, expect, test } from 'vitest';
import { pause } from '../../src/delivery/pause.js';

describe('a pause', () => {
  test('resolves after its time and not before', async () => {
    const startedAt = performance.now();
    await pause(30, new AbortController().signal);
    // Timers count whole milliseconds.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
  });

  test('rejects with the reason as soon as its signal aborts, and leaves no timer', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const timersBefore = openTimers();
    const paused = pause(3_600_000, stop.signal);
    expect(openTimers()).toBe(timersBefore + 1);
    stop.abort(reason);
    await expect(paused).rejects.toBe(reason);
    expect(openTimers()).toBe(timersBefore);
  });

  test('of a signal that has aborted rejects at once', async () => {
    const reason = new Error('too late');
    const timersBefore = openTimers();
    await expect(pause(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(openTimers()).toBe(timersBefore);
  });
});

function openTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}
