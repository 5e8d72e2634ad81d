import { expect, test } from 'vitest';
import { untilAborted } from '../../../src/cli/program/until-aborted.js';

test('gives what the work gives', async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(Promise.resolve(7), signal)).resolves.toBe(7);
  await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
});

test('rejects when the signal aborts, before or during the work', async () => {
  const never = new Promise(() => {});
  const stopping = new AbortController();
  const waiting = untilAborted(never, stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toThrow('aborted');
  await expect(untilAborted(never, stopping.signal)).rejects.toThrow('aborted');
});
