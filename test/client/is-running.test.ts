import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isOwnProcess, isProcessId, isRunning, getProcessIdentity } from '../../src/client/is-running.js';

test('a process runs until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const pid = child.pid ?? 0;
  await once(child, 'spawn');
  expect(isRunning({ pid })).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isRunning({ pid })).toBe(false);
});

test.runIf(process.platform === 'linux')('does not report a zombie process as running', async () => {
  // The shell becomes a program that does not know of the child that it finds itself with.
  const stranger = 'process.stdout.write(process.argv[1]); setInterval(() => {}, 1000)';
  const parent = spawn('sh', ['-c', 'sleep 60 & exec "$0" -e "$1" $!', process.execPath, stranger], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [written] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(written.toString());
  expect(isRunning({ pid })).toBe(true);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isRunning({ pid })).toBe(false);
  expect(() => process.kill(pid, 0)).not.toThrow();
  parent.kill('SIGKILL');
  await once(parent, 'exit');
});

test.each([0, -1, 1.5, Number.NaN, 2 ** 31, 2 ** 53])('rejects %d as the id of a process', (pid) => {
  expect(isProcessId(pid)).toBe(false);
  expect(isRunning({ pid })).toBe(false);
  expect(isOwnProcess({ pid, process_identity: getProcessIdentity() })).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'does not mistake a recycled process id for the original process',
  () => {
    const { pid } = process;
    const own = getProcessIdentity() ?? '';
    const [boot, namespace, started] = own.split('/');
    expect(isRunning({ pid, process_identity: own })).toBe(true);
    expect(isOwnProcess({ pid, process_identity: own })).toBe(true);
    const others = [`x/${namespace}/${started}`, `${boot}/pid:[1]/${started}`, `${boot}/${namespace}/1`];
    for (const process_identity of others) {
      expect(isRunning({ pid, process_identity })).toBe(false);
      expect(isOwnProcess({ pid, process_identity })).toBe(false);
    }
  },
);

test('reports a process without a recorded identity as running but not verifiably ours', () => {
  const { pid } = process;
  expect(isRunning({ pid })).toBe(true);
  expect(isOwnProcess({ pid })).toBe(false);
});
