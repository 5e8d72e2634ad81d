import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTimeout, sleep, raceAbort } from '../../src/delivery/abort.js';
import { fakeTimers } from '../helpers/fake-timers.js';

test('settles with the work', async () => {
  const { signal } = new AbortController();
  await expect(raceAbort(Promise.resolve(7), signal)).resolves.toBe(7);
  await expect(raceAbort(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
});

test('rejects when the signal aborts, before or during the work', async () => {
  const never = new Promise(() => {});
  const stopping = new AbortController();
  const waiting = raceAbort(never, stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toThrow('aborted');
  await expect(raceAbort(never, stopping.signal)).rejects.toThrow('aborted');
});

test('a pause resolves after its duration and not before', async () => {
  fakeTimers();
  const resolved = vi.fn<() => void>();
  const paused = sleep(30, new AbortController().signal).then(resolved);
  await vi.advanceTimersByTimeAsync(29);
  expect(resolved).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  await paused;
});

test('a pause rejects with the reason of its signal, before or meanwhile, and leaves no timer', async () => {
  fakeTimers();
  const stop = new AbortController();
  const reason = new Error('enough');
  const paused = sleep(3_600_000, stop.signal);
  stop.abort(reason);
  await expect(paused).rejects.toBe(reason);
  await expect(sleep(3_600_000, stop.signal)).rejects.toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
});

test('a timeout fires although only a combined signal refers to it', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const outer = new AbortController();
  const work = raceAbort(new Promise(() => {}), AbortSignal.any([outer.signal, createTimeout(50)]));
  // Without a reference to the timeout, each collection takes it with its timer.
  const collecting = setInterval(collectGarbage, 5);
  onTestFinished(() => clearInterval(collecting));
  await expect(work).rejects.toThrow('timeout');
});
