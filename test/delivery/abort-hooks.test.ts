import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { onAbort } from '../../src/delivery/abort-hooks.js';

test('all hooks of a signal are called when it aborts, and share one listener', () => {
  const aborting = new AbortController();
  const hooks = Array.from({ length: 20 }, () => vi.fn<() => void>());
  for (const hook of hooks) onAbort(aborting.signal, hook);
  expect(getEventListeners(aborting.signal, 'abort')).toHaveLength(1);
  aborting.abort();
  expect(hooks.map((hook) => hook.mock.calls.length)).toEqual(hooks.map(() => 1));
});

test('a hook that was taken off is not called, not even by another hook of the same abort', () => {
  const aborting = new AbortController();
  const late = vi.fn<() => void>();
  const early = vi.fn<() => void>();
  onAbort(aborting.signal, early)();
  onAbort(aborting.signal, () => takeOff());
  const takeOff = onAbort(aborting.signal, late);
  aborting.abort();
  expect([early.mock.calls.length, late.mock.calls.length]).toEqual([0, 0]);
});
