import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRunning } from '../../src/client/is-running.js';
import type { RunningSandbox } from '../helpers/e2e/e2e.js';
import { Project } from '../helpers/e2e/e2e.js';

const place = ({ url, ready }: RunningSandbox) => `${url} (pid ${ready.pid})`;

function runFiles({ stateHome }: Project): string[] {
  const folder = join(stateHome, 'pix-sandbox');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
}

describe('a second start in a directory', () => {
  test('reports it; status lists both, and stop falls back to the first', async () => {
    using project = new Project();
    await using first = await project.start();
    await using second = await project.start();
    expect(await second.stderr.next('warning')).toContain(`has another sandbox at ${place(first)}. Commands`);
    expect((await project.run(['status'])).stdout).toMatch(
      new RegExp(`^sandbox +${second.url} [^\\n]+\\nanother +${first.url} \\(pid ${first.pid}\\)\\n`),
    );
    expect(await project.ask(['status', '--url', first.url])).toMatchObject({
      others: [{ url: second.url, pid: second.pid }],
    });
    const stopped = await project.run(['stop']);
    expect(stopped.stdout).toBe(`The sandbox at ${place(second)} has stopped.`);
    expect(stopped.stderr).toContain(`has another sandbox at ${place(first)}`);
    expect(await project.ask(['status'])).toMatchObject({ url: first.url });
    expect(await project.ask(['stop'])).toMatchObject({ url: first.url });
    expect((await project.run(['stop'])).exitCode).toBe(3);
    expect(first.stderr.text()).toBe('');
  });

  test('a second start in a directory may run concurrently without hiding either sandbox', async () => {
    using project = new Project();
    const [first, second] = await Promise.all([project.start(), project.start()]);
    await using _first = first;
    await using _second = second;
    const stop = () => project.ask<{ url: string }>(['stop']);
    const stopped = [await stop(), await stop()];
    expect(new Set(stopped.map(({ url }) => url))).toEqual(new Set([first.url, second.url]));
    const said = await Promise.all([first.ended(), second.ended()]);
    expect(said.map(({ stderr }) => stderr).join('')).toContain('This project has another sandbox at');
    expect(runFiles(project)).toEqual([]);
  });

  test('a second start in a directory is reported or rejected with --detach at the same moment', async () => {
    using project = new Project();
    const start = () => project.run(['start', '--detach', '--port', '0', '--json']);
    const both = await Promise.all([start(), start()]);
    const started = both.filter(({ exitCode }) => exitCode === 0);
    const pids = started.map(({ stdout }) => (JSON.parse(stdout) as { pid: number }).pid);
    try {
      const printed = both.map(({ stdout, stderr }) => stdout + stderr).join('\n');
      expect(printed).toMatch(/This project has another sandbox at|"code":"ALREADY_RUNNING"/);
      const stopped: number[] = [];
      for (const _ of started) stopped.push((await project.ask<{ pid: number }>(['stop'])).pid);
      expect(new Set(stopped)).toEqual(new Set(pids));
    } finally {
      for (const pid of pids) if (isRunning({ pid })) process.kill(pid, 'SIGKILL');
    }
  });
});
