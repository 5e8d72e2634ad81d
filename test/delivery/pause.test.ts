import { describe, expect, test, vi } from 'vitest';
import { pause } from '../../src/delivery/pause.js';
import { fakeTimers } from '../helpers/fake-timers.js';

describe('a pause', () => {
  test('resolves after its time and not before', async () => {
    fakeTimers();
    const resolved = vi.fn<() => void>();
    const paused = pause(30, new AbortController().signal).then(resolved);
    await vi.advanceTimersByTimeAsync(29);
    expect(resolved).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await paused;
    expect(resolved).toHaveBeenCalled();
  });

  test('rejects with the reason as soon as its signal aborts, and leaves no timer', async () => {
    fakeTimers();
    const stop = new AbortController();
    const reason = new Error('enough');
    const paused = pause(3_600_000, stop.signal);
    expect(vi.getTimerCount()).toBe(1);
    stop.abort(reason);
    await expect(paused).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('of a signal that has aborted rejects at once', async () => {
    fakeTimers();
    const reason = new Error('too late');
    await expect(pause(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});
