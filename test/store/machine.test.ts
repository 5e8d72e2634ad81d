import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { thisMachine } from '../../src/store/machine.js';
import { fakeTimers, INTERVALS } from '../helpers/fake-timers.js';

const HAS_PROC = existsSync('/proc/self/stat');

test('this process runs, and has a start that stays the same', () => {
  const self = thisMachine.processOf(process.pid);
  expect(self).not.toBeNull();
  expect(thisMachine.processOf(process.pid)).toEqual(self);
  expect(/^[0-9a-f-]{36}\/\d+$/.test(self?.started ?? '')).toBe(HAS_PROC);
});

test('the process table is the one of this kernel and pid namespace', () => {
  const namespace = HAS_PROC ? readlinkSync('/proc/self/ns/pid') : null;
  expect(thisMachine.processTable?.endsWith(`/${namespace}`) ?? null).toBe(HAS_PROC ? true : null);
});

test('a timer fires until it is stopped', () => {
  fakeTimers(INTERVALS);
  let fired = 0;
  const stop = thisMachine.every(1_000, () => {
    fired += 1;
  });
  vi.advanceTimersByTime(3_500);
  expect(fired).toBe(3);
  stop();
  vi.advanceTimersByTime(3_500);
  expect(fired).toBe(3);
});

test('a child runs until it was killed, and is another process than this one', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const pid = child.pid ?? 0;
  const running = thisMachine.processOf(pid);
  expect(running).not.toBeNull();
  expect(running?.started === thisMachine.processOf(process.pid)?.started).toBe(!HAS_PROC);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(thisMachine.processOf(pid)).toBeNull();
});

test.runIf(HAS_PROC)('a child that ended and was not asked for yet does not run', async () => {
  // The shell becomes `sleep`, which never asks how the shell's child ended.
  const shell = spawn('sh', ['-c', 'exec 3<&0; cat <&3 >/dev/null & echo $!; exec sleep 60'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    const [said]: unknown[] = await once(shell.stdout, 'data');
    const pid = Number(String(said));
    expect(thisMachine.processOf(pid)).not.toBeNull();
    await expect.poll(() => readFileSync(`/proc/${shell.pid}/comm`, 'utf8')).toBe('sleep\n');
    shell.stdin.end();
    await expect.poll(() => thisMachine.processOf(pid)).toBeNull();
    expect(() => process.kill(pid, 0)).not.toThrow();
  } finally {
    shell.kill('SIGKILL');
  }
});
